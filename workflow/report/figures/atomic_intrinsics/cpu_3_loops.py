"""Loops of compare-and-swap on CPU threads."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import lines

TITLE = "Loops of compare-and-swap on CPU threads"
FORMS = ["native", "loop_strong", "loop_weak", "loop_no_exit"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary, target_kind="cpu", benchmark="contention", api="atomic_ref", form=FORMS, mapping="modulo"
    )
    cases = widest(cases, ("updates", "threads_per_block", "cache", "sampling"))
    frame = points(cases, x="slots", series="form", panel="operation")
    return arrange(frame.sort_values("x", kind="stable"), panel=["add", "max"], series=FORMS)


def draw(frame: pd.DataFrame):
    return lines(frame, "operations_per_second", "slots", "{power}updates per second", 3.8)
