"""Page sizes on the CPU: reads in order and at random, from small pages and huge ones."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import called, team
from scopemark.figures.memory_kinds import pages
from scopemark.figures.plots import dots

TITLE = "CPU reads in order and at random, by allocator"


def data(results: Results) -> pd.DataFrame:
    found = pages(results, "cpu")
    return points(found, x=found["allocator"].map(called), series="how", panel=found["threads"].map(team))


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}words per second", width=4.2, legend_columns=2)
