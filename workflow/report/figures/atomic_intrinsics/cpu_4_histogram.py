"""A histogram in bins of each CPU thread and in shared ones."""

import pandas as pd

from scopemark.figures.data import Results
from scopemark.figures.histogram import draw, forms

__all__ = ["TITLE", "data", "draw"]

TITLE = "Histogram by number of bins and skew on CPU threads"


def data(results: Results) -> pd.DataFrame:
    return forms(results, "cpu", "atomic_ref")
