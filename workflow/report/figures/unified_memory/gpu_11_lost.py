"""CPU threads and GPU threads add to one word: how many of the adds survive."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import counters
from scopemark.figures.plots import dots

TITLE = "CPU and GPU adding to one word: the adds that survive"


def data(results: Results) -> pd.DataFrame:
    """share_kept: of the median sample; share_kept_low and share_kept_high: of those that lost most and least."""
    found = counters(results)
    for name, lost in {"": "median", "_low": "most", "_high": "least"}.items():
        found[f"share_kept{name}"] = 1 - found[f"lost_updates_{lost}"] / found["operations"]
    frame = points(found, x=found["place"], series=found["adders"], panel=found["where"], value="share_kept")
    return frame.dropna(subset=["share_kept"])


def draw(frame: pd.DataFrame):
    return dots(frame, "share_kept", "adds that survive, in % (bar: least to most)", width=4.2, scale=0.01, linear=True)
