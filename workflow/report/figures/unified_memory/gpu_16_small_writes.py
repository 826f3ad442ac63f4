"""Small writes by the CPU that a kernel reads at once: where the word should be."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import alike, cases
from scopemark.figures.plots import dots

TITLE = "Frequent small writes of the CPU"
RESIDENCES = {"cpu": "managed, kept with the CPU", "gpu": "managed, kept with the GPU", "pinned": "pinned"}


def data(results: Results) -> pd.DataFrame:
    """Seconds per round: a write of one word, and a kernel that reads it."""
    found = alike(cases(results, "gpu", "small_writes", residence=list(RESIDENCES)), "rounds")
    found = arrange(found, residence=list(RESIDENCES))
    where = found["residence"].map(RESIDENCES)
    return points(found, x=where, series="", value="seconds", per=found["operations"])


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "µs per write and kernel", width=5.0, scale=1e-6)
