"""What plain code keeps of its updates."""

import pandas as pd

from scopemark.figures import Results, pick, points, widest
from scopemark.figures_plots import dots

TITLE = "Updates that survive without atomics"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="sample",
        api="plain",
        operation=["add", "cas"],
        sampling="adaptive",
    )
    cases = widest(cases, ("updates", "threads_per_block", "cache"))
    frame = points(cases, x="operation", series="api")
    kept = cases.set_index("case")
    for name, lost in {"": "median", "_low": "most", "_high": "least"}.items():
        shares = 1 - kept[f"lost_updates_{lost}"] / kept["operations"]
        frame[f"share_kept{name}"] = frame["case"].map(dict(zip(kept.index, shares, strict=True)))
    return frame[[name for name in frame if not name.startswith("operations_per_second")]]


def draw(frame: pd.DataFrame):
    return dots(frame, "share_kept", "updates that survive, in % (bar: least to most)", 5.0, scale=0.01)
