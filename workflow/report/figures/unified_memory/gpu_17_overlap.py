"""Two pieces of work: each alone, one after the other in one stream, and at once in two."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import at_largest, cases
from scopemark.figures.plots import dots

TITLE = "A kernel and a transfer at once"
PAIRS = {
    "kernel_copy": "kernel, copy",
    "kernel_prefetch": "kernel, prefetch",
    "kernel_kernelcopy": "kernel, copy by a kernel",
    "prefetch_order": "kernel, prefetch, kernel behind it",
}
ARRANGEMENTS = {
    "first_alone": "the kernel alone",
    "second_alone": "the data alone",
    "one_stream": "both in one stream",
    "two_streams": "both in two streams",
}


def data(results: Results) -> pd.DataFrame:
    found = at_largest(cases(results, "gpu", "overlap", pair=list(PAIRS), arrangement=list(ARRANGEMENTS)))
    found = arrange(found, pair=list(PAIRS), arrangement=list(ARRANGEMENTS))
    words = {"x": found["pair"].map(PAIRS), "series": found["arrangement"].map(ARRANGEMENTS)}
    return points(found, **words, value="seconds")


def draw(frame: pd.DataFrame):
    return dots(frame, "seconds", "ms until all is done", width=5.0, scale=1e-3, legend_columns=2, linear=True)
