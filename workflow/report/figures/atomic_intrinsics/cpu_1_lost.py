"""What plain code keeps of its updates on CPU threads."""

import pandas as pd

from scopemark.figures.data import Results
from scopemark.figures.plots import dots
from scopemark.figures.survivors import survivors

TITLE = "Updates that survive without atomics on CPU threads"


def data(results: Results) -> pd.DataFrame:
    return survivors(results, "cpu")


def draw(frame: pd.DataFrame):
    return dots(frame, "share_kept", "updates that survive, in % (bar: least to most)", 5.0, scale=0.01, linear=True)
