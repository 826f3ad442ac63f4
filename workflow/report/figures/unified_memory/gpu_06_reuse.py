"""From how many uses on which memory pays: an AXPY that is repeated, against copies of pinned memory."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import cases, relative, sized, word
from scopemark.figures.plots import lines

TITLE = "Reuse: time against explicit copies of pinned memory"
WAYS = ["explicit_pageable", "managed", "managed_prefetch", "managed_hints", "pinned", "malloc"]


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: ratio with its interval, to the time with pinned copies; one: 1."""
    found = cases(results, "gpu", "pattern", way=["explicit_pinned", *WAYS])
    found = relative(found, "way", "explicit_pinned", ["size_bytes", "repeats"])
    found = arrange(found[found["way"] != "explicit_pinned"].sort_values("size_bytes", kind="stable"), way=WAYS)
    found = found.sort_values(["device", "machine", "size_bytes"], kind="stable")
    words = {"series": found["way"].map(word), "panel": found["size_bytes"].map(sized)}
    return points(found, x="repeats", **words, value="ratio").assign(one=1.0)


def draw(frame: pd.DataFrame):
    marks = {"one": "as long as with copies of pinned memory"}
    label = "time against copies\nof pinned memory"
    return lines(frame, "ratio", "uses of the data", label, 3.2, 3.2, scale=1.0, marks=marks)
