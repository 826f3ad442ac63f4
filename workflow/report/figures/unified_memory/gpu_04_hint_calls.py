"""What the host pays for a hint: the time until the call returns."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import cases, sized, word
from scopemark.figures.plots import dots

TITLE = "What the call of a hint costs"
CALLS = [
    "prefetch_to_gpu",
    "prefetch_to_host",
    "set_read_mostly",
    "unset_read_mostly",
    "set_preferred_gpu",
    "set_preferred_host",
    "unset_preferred",
    "set_accessed_by_gpu",
    "set_accessed_by_host",
    "unset_accessed_by",
    "range_attribute",
]
RESIDENT = {"cpu": "data with the CPU", "gpu": "data with the GPU"}


def data(results: Results) -> pd.DataFrame:
    found = cases(results, "gpu", "hint_call", call=CALLS, resident=list(RESIDENT))
    found = arrange(found.sort_values("size_bytes", kind="stable"), call=CALLS, resident=list(RESIDENT))
    # One size alone stands in the heading.
    series = found["size_bytes"].map(sized) if found["size_bytes"].nunique() > 1 else ""
    words = {"x": found["call"].map(word), "panel": found["resident"].map(RESIDENT)}
    return points(found, series=series, **words, value="seconds")


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "µs until the call returns", width=3.6, scale=1e-6)
