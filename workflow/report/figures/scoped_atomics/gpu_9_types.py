"""The element types, per scope and placement."""

import pandas as pd

from scopemark.figures import Results, pick, points, widest
from scopemark.figures_plots import dots

TITLE = "Element types by scope and placement"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        api=["atomic_ref", "intrinsic"],
        operation="fetch_add",
        order="relaxed",
        address="opaque",
        result="discarded",
        counters_per_block=1,
        stride_bytes=8,
        scope=["block", "device"],
    )
    cases = widest(cases[cases.groupby("machine")["type"].transform("nunique") > 1])
    panel = cases["placement"] + " memory, " + cases["scope"] + " scope"
    frame = points(cases, x="type", series="api", panel=panel)
    return frame.sort_values(["device", "machine", "panel", "x"], kind="stable").reset_index(drop=True)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=2.9)
