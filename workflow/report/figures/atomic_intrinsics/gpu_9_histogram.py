"""A histogram in private and in global bins, and CuPy's beside it."""

import pandas as pd

from scopemark.figures.data import Results
from scopemark.figures.histogram import draw, forms, ordered, shots

__all__ = ["TITLE", "data", "draw"]

TITLE = "Histogram by number of bins and skew, and CuPy's as the yardstick"


def data(results: Results) -> pd.DataFrame:
    return ordered(pd.concat([forms(results, "gpu", "intrinsic"), shots(results, "intrinsic")]))
