"""CPU threads and GPU threads add to one word: how fast, alone and at once."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import counters
from scopemark.figures.plots import dots

TITLE = "CPU and GPU adding to one word: the rate"


def data(results: Results) -> pd.DataFrame:
    found = counters(results)
    return points(found, x=found["place"], series=found["adders"], panel=found["where"])


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=4.2)
