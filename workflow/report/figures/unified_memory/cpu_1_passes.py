"""What one pass over memory costs on the CPU, and what the next ones do."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import called, quoted, sized, team, texts
from scopemark.figures.memory_kinds import DOES, passes
from scopemark.figures.plots import dots

TITLE = "CPU bandwidth by pass and allocator"
TEAMS = ["1", "1/cpu"]


def data(results: Results) -> pd.DataFrame:
    found = passes(results, "cpu", ["write", "read", "update"], "malloc")
    found = found[found["threads"].astype("string").isin(TEAMS)]
    panel = texts(found["operation"], DOES) + ", " + texts(found["size_bytes"], sized)
    series = "pass " + found["pass"].astype("string") + ", " + texts(found["threads"], team)
    return points(found, x=found["allocator"].map(called), series=series, panel=panel, value="bytes_per_second")


def draw(frame: pd.DataFrame):
    return dots(frame, "bytes_per_second", "{prefix}B/s", width=3.2)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The bandwidth of every point."""
    return quoted(frame, "bytes_per_second", frame["panel"] + " " + frame["x"] + " " + frame["series"], "B/s")
