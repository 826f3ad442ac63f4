"""The ways of writing an update on CPU threads."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Ways of writing an update on CPU threads"
WAYS = ["plain", "builtin", "std_atomic_ref", "atomic_ref"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(results.summary, target_kind="cpu", benchmark="sample", order=["relaxed", "seq_cst"], api=WAYS)
    cases = widest(cases, ("updates", "threads_per_block", "cache", "sampling"))
    frame = points(cases, x="api", series="order", panel="operation")
    return arrange(frame, panel=["add", "max", "cas"], x=WAYS, series=["relaxed", "seq_cst"])


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}updates per second", width=2.8)
