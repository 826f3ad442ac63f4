"""The element types, per scope and placement."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Element types by scope and placement"
TYPES = ["int32", "uint32", "uint64", "float32", "float64"]
PANELS = [f"{place} memory, {scope} scope" for place in ("shared", "global") for scope in ("block", "device")]


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
    return arrange(points(cases, x="type", series="api", panel=panel), x=TYPES, panel=PANELS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=2.7)
