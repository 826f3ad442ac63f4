"""The points of unified memory's figures from hand-made rows, for their tests."""

from __future__ import annotations

import pandas as pd

from helpers import ROOT
from memory_rows import results
from scopemark.figures.data import load_figure

DIRECTORY = ROOT / "workflow/report/figures/unified_memory"


def points(name: str, *rows: dict) -> pd.DataFrame:
    """The points of a figure from rows."""
    return load_figure(DIRECTORY / f"{name}.py").data(results(*rows))


def values(frame: pd.DataFrame, value: str, *columns: str) -> dict:
    """The drawn values by what tells them apart."""
    keys = frame[columns[0]] if len(columns) == 1 else zip(*(frame[name] for name in columns), strict=True)
    return dict(zip(keys, frame[value].astype(float), strict=True))
