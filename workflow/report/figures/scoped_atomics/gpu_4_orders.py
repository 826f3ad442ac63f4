"""What a memory order adds to the relaxed operation, per scope and placement."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Memory order by scope and placement"
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        api="atomic_ref",
        operation="fetch_add",
        type="uint32",
        address="uniform",
        result="discarded",
        counters_per_block=1,
    )
    cases = widest(cases[cases.groupby("machine")["order"].transform("nunique") > 1])
    frame = points(cases, x="order", series="scope", panel=cases["placement"] + " memory")
    return arrange(frame, x=ORDERS, panel=["shared memory", "global memory"], series=["block", "device", "system"])


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=3.7)
