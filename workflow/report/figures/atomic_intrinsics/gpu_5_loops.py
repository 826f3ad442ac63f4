"""What an operation costs that is built from compare-and-swap."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import lines

TITLE = "Loops of compare-and-swap against the native operation"
FORMS = ["native", "loop_strong", "loop_weak", "loop_no_exit", "loop_backoff"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="contention",
        api="atomic_ref",
        form=FORMS,
        mapping="modulo",
        updates=16384,
        cache="warm",
    )
    frame = points(cases, x="slots", series="form", panel="operation")
    return arrange(frame.sort_values("x", kind="stable"), panel=["add", "max"], series=FORMS)


def draw(frame: pd.DataFrame):
    return lines(frame, "operations_per_second", "slots", "{power}updates per second", 3.8)
