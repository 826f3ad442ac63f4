"""API, order and scope apart, at the sample's point."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import dots

TITLE = "Ways of writing an update at matched order and scope"
WAYS = ["intrinsic", "std_atomic_ref", "atomic_ref"]
SCOPES = ["device", "system"]
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(results.summary, target_kind="gpu", benchmark="sample", sampling="adaptive", api=WAYS, order=ORDERS)
    rows = cases["api"].map(style.word) + ", " + cases["scope"]
    frame = points(cases, x=rows, series="order", panel="operation")
    words = [f"{style.word(way)}, {scope}" for way in WAYS for scope in SCOPES]
    return arrange(frame, panel=["add", "max", "cas"], x=words, series=ORDERS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}updates per second", width=3.0)
