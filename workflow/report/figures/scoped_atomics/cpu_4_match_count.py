"""Counting matches on CPU threads: one shared add each, or a subtotal per team."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import lines

TITLE = "Counting matches on CPU threads"


def data(results: Results) -> pd.DataFrame:
    cases = pick(results.summary, target_kind="cpu", benchmark="match_count", api=["atomic_ref", "builtin"])
    cases = widest(cases, ("blocks", "threads_per_block", "elements", "cache", "sampling"))
    frame = points(cases, x="density", series="form", panel=cases["api"].map(style.word), value="bytes_per_second")
    return frame


def draw(frame: pd.DataFrame):
    return lines(frame, "bytes_per_second", "share of elements that match", "{prefix}B read per second", 4.0)
