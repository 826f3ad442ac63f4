"""The operations, with the old value wanted or not."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Operations on a device-scope counter"
OPERATIONS = [
    *("fetch_add", "fetch_min", "fetch_max", "fetch_and", "fetch_or", "fetch_xor"),
    *("exchange", "compare_exchange", "load", "store"),
]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        api=["atomic_ref", "intrinsic"],
        type="uint32",
        order="relaxed",
        address="opaque",
        scope="device",
        placement="global",
        counters_per_block=1,
        stride_bytes=4,
    )
    cases = widest(cases[cases.groupby(["machine", "blocks"])["operation"].transform("nunique") > 1])
    frame = points(cases, x="operation", series="api", panel=cases["result"].map(style.word))
    return arrange(frame, x=OPERATIONS, panel=[style.word("discarded"), style.word("used")])


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}operations per second", width=3.3)
