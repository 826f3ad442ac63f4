"""What the host pays for a hint: the time until the call returns."""

import pandas as pd

from scopemark.figures import Results, arrange, points
from scopemark.figures_memory import cases, sized
from scopemark.figures_plots import dots

TITLE = "What the call of a hint costs"
CALLS = {
    "prefetch_to_gpu": "prefetch to the GPU",
    "prefetch_to_host": "prefetch to the host",
    "set_read_mostly": "set read mostly",
    "unset_read_mostly": "unset read mostly",
    "set_preferred_gpu": "prefer the GPU",
    "set_preferred_host": "prefer the host",
    "unset_preferred": "prefer none",
    "set_accessed_by_gpu": "accessed by the GPU",
    "set_accessed_by_host": "accessed by the host",
    "unset_accessed_by": "accessed by: unset",
    "range_attribute": "ask for an attribute",
}
RESIDENT = {"cpu": "data with the CPU", "gpu": "data with the GPU"}


def data(results: Results) -> pd.DataFrame:
    found = cases(results, "gpu", "hint_call", call=list(CALLS), resident=list(RESIDENT))
    found = arrange(found.sort_values("size_bytes", kind="stable"), call=list(CALLS), resident=list(RESIDENT))
    series = found["size_bytes"].map(sized)
    return points(
        found, x=found["call"].map(CALLS), series=series, panel=found["resident"].map(RESIDENT), value="seconds"
    )


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "µs until the call returns", width=3.6, scale=1e-6)
