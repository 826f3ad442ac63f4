"""Writing a figure so that the same points give the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from scopemark.tables import EXACT

PADDING = 0.08  # inches around a figure
EPOCH = "0"  # no date in a file: matplotlib takes this for the time of creation where a format insists on one


def write_points(frame: pd.DataFrame, path: Path | str) -> None:
    """Write what a figure draws. Floats are written with the shortest text that reads back the same."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, lineterminator="\n")


def read_points(path: Path | str) -> pd.DataFrame:
    """Read what a figure draws, as it was written; an empty text stays an empty text."""
    texts = ("machine", "launch", "panel", "series", "case", "status")
    frame = pd.read_csv(path, dtype=dict.fromkeys(texts, str), **EXACT)
    return frame.fillna(dict.fromkeys([name for name in texts if name in frame], ""))


def save(figure: Figure, pdf: str, svg: str, png: str) -> None:
    """Write a figure in its three formats, without dates or versions, in one layout that is worked out once."""
    os.environ["SOURCE_DATE_EPOCH"] = EPOCH
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    box = figure.get_tightbbox().padded(PADDING)
    figure.savefig(pdf, metadata={"CreationDate": None, "Producer": None, "Creator": None}, bbox_inches=box)
    figure.savefig(svg, metadata={"Date": None, "Creator": None}, bbox_inches=box)
    figure.savefig(png, metadata={"Software": None}, bbox_inches=box)
