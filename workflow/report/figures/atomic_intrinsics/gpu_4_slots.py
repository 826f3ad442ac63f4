"""Contention: the same updates over more and more slots."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, pick, points
from scopemark.figures.plots import lines

TITLE = "Contention by number of slots"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="contention",
        form="native",
        mapping="modulo",
        updates=2**20,
        threads_per_block=256,
        cache="warm",
    )
    cases = cases[cases["slots"].map(lambda slots: int(slots).bit_count() == 1).astype(bool)]
    cases = cases[cases.groupby(["machine", "api", "operation"])["slots"].transform("nunique") > 1]
    return points(
        cases,
        x=cases["slots"].map(lambda slots: int(slots).bit_length() - 1),
        series="api",
        panel=cases["operation"].map(style.word),
    )


def draw(frame: pd.DataFrame):
    label = "{power}updates per second"
    return lines(frame, "operations_per_second", "slots", label, 3.8, x_word=_slots)


def _slots(exponent: float) -> str:
    """A power of two as the tick of an axis: 64, 16K, 1M."""
    steps, rest = divmod(int(exponent), 10)
    return f"{2**rest}{('', 'K', 'M', 'G')[steps]}"
