"""cudaMemset, on memory that has pages and on memory that has none yet."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import at_largest, called, cases, moved, texts
from scopemark.figures.plots import dots

TITLE = "cudaMemset by where the memory lies"
DESTINATIONS = {
    "populated_gpu": "written by the GPU before",
    "populated_cpu": "written by the CPU before",
    "unpopulated": "no pages yet",
}
MEMORIES = ["managed", "device", "pinned"]


def data(results: Results) -> pd.DataFrame:
    found = cases(results, "gpu", "fill", memory=MEMORIES, destination=list(DESTINATIONS))
    found = arrange(at_largest(moved(found)), memory=MEMORIES, destination=list(DESTINATIONS))
    rows = texts(found["memory"], called) + ", " + texts(found["destination"], DESTINATIONS)
    return points(found, x=rows, series="", value="moved_per_second")


def draw(frame: pd.DataFrame):
    return dots(frame, "moved_per_second", "{prefix}B filled per second", width=5.0)
