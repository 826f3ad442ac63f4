"""A flag between the processors: one asks, the other answers."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import alike, called, cases, quoted
from scopemark.figures.plots import dots
from scopemark.stage.allocators import ALLOCATORS

TITLE = "A signal between CPU and GPU, there and back"
ASKERS = {"cpu": "the CPU asks", "gpu": "the GPU asks"}


def data(results: Results) -> pd.DataFrame:
    """Seconds per round trip."""
    found = alike(cases(results, "gpu", "signal", asker=list(ASKERS)), "rounds")
    found = arrange(found, allocator=list(ALLOCATORS), asker=list(ASKERS))
    words = {"x": found["allocator"].map(called), "series": found["asker"].map(ASKERS)}
    return points(found, **words, value="seconds", per=found["operations"])


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "µs per round trip", width=5.0, scale=1e-6)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Every round trip."""
    return quoted(frame, "seconds", "round trip " + frame["x"] + " " + frame["series"], "s")
