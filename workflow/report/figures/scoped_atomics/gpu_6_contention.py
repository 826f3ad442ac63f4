"""Contention: how many counters share a block's threads, and how far apart they are."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import lines

TITLE = "Contention by counters per block and their distance"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        operation="fetch_add",
        type="uint32",
        order="relaxed",
        address="opaque",
        result="discarded",
        scope="device",
        placement="global",
        api=["atomic_ref", "intrinsic"],
    )
    cases = cases[cases.groupby(["machine", "blocks", "stride_bytes"])["counters_per_block"].transform("nunique") > 1]
    cases = widest(cases)
    series = cases["stride_bytes"].astype("string") + " bytes apart"
    frame = points(cases, x="counters_per_block", series=series, panel=cases["api"].map(style.word))
    frame["distance"] = frame["series"].str.extract(r"(\d+)", expand=False).astype(int)
    ordered = frame.sort_values(["device", "machine", "panel", "distance", "x"], kind="stable")
    return ordered.drop(columns="distance").reset_index(drop=True)


def draw(frame: pd.DataFrame):
    return lines(frame, "operations_per_second", "counters per block of 256 threads", "{power}adds per second", 4.0)
