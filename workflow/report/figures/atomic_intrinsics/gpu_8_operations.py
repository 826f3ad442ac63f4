"""How many atomics a second: every intrinsic on every type."""

import pandas as pd

from scopemark.experiments.atomic_intrinsics.operation import ALL, TYPES
from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import dots

TITLE = "Throughput of every atomic intrinsic"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="operation",
        counters_per_block=32,
        placement=["global", "shared"],
        cache="warm",
    )
    cases = cases[cases["status"] != "unsupported"]
    rows = cases["operation"].astype("string") + " " + cases["type"].astype("string")
    panel = cases["placement"].astype("string") + " memory"
    frame = points(cases, x=rows, series="result", panel=panel)
    words = [f"{operation} {type}" for operation in ALL for type in TYPES]
    return arrange(frame, panel=["global memory", "shared memory"], x=words, series=["discarded", "used"])


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}operations per second", width=3.6)
