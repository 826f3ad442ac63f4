"""Memory orders of an add, a load and a store on contended CPU threads."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Memory orders on CPU threads"
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
RESULT = {"fetch_add": "discarded", "load": "used", "store": "discarded"}


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="cpu",
        benchmark="counter",
        operation=list(RESULT),
        type="uint32",
        api=["atomic_ref", "builtin"],
        launch_blocks=1,
        stride_bytes=64,
    )
    cases = cases[cases["result"] == cases["operation"].map(RESULT)]
    cases = widest(cases[cases.groupby(["machine", "threads_per_block"])["order"].transform("nunique") > 1])
    frame = points(cases, x="order", series="api", panel="operation")
    return arrange(frame, x=ORDERS, panel=list(RESULT))


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}operations per second", width=3.1)
