"""What it costs to get memory and to give it back."""

import pandas as pd

from scopemark.figures.data import Results
from scopemark.figures.memory_kinds import allocations
from scopemark.figures.plots import dots

TITLE = "Getting memory, and giving it back"


def data(results: Results) -> pd.DataFrame:
    return allocations(results, "gpu")


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "µs of the call", width=4.0, scale=1e-6)
