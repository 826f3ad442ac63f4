"""The APIs at matched scope and order, with the old value wanted or not."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "APIs at matched scope and order"
PLACES = [f"{scope} scope, {order}" for scope in ("block", "device", "system") for order in ("relaxed", "seq_cst")]
RESULTS = [style.word("discarded"), style.word("used")]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        operation="fetch_add",
        type="uint32",
        placement="global",
        address="uniform",
        counters_per_block=1,
        stride_bytes=4,
        order=["relaxed", "seq_cst"],
    )
    cases = widest(cases[cases.groupby(["machine", "blocks"])["result"].transform("nunique") > 1])
    place = cases["scope"] + " scope, " + cases["order"]
    panel = cases["result"].map(style.word)
    return arrange(points(cases, x=place, series="api", panel=panel), x=PLACES, panel=RESULTS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=3.3, legend_columns=4)
