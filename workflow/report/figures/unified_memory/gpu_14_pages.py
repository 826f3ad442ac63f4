"""Random access, by allocator: what page sizes and caches leave of the bandwidth."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import alike, called, texts
from scopemark.figures.memory_kinds import pages
from scopemark.figures.plots import dots

TITLE = "Reads in order and at random, by allocator"


def data(results: Results) -> pd.DataFrame:
    found = alike(pages(results, "gpu"), "threads")
    panel = texts(found["processor"], str.upper) + " reads"
    return points(found, x=found["allocator"].map(called), series="how", panel=panel)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}words per second", width=4.0, legend_columns=2)
