"""What a first touch moves and costs, by how far apart the words are that are touched."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import at_largest, cases, quoted, short, sized, texts
from scopemark.figures.plots import lines

TITLE = "First touch of managed memory, by distance of the words"
DOES = {"read": "reads", "write": "writes", "update": "updates"}
ORIGINS = {"gpu": "cpu", "cpu": "gpu"}


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point, which is the pass that moves the pages: words, how many it touches."""
    found = cases(results, "gpu", "access", **{"allocator": "managed", "pattern": "sequential", "pass": 1})
    found = found[found["origin"] == found["processor"].map(ORIGINS)]
    found = found[
        found.groupby(["machine", "processor", "operation", "size_bytes"])["stride_bytes"].transform("nunique") > 1
    ]
    found = arrange(at_largest(found), processor=list(ORIGINS), operation=list(DOES))
    panel = found["processor"].map({"gpu": "GPU, data with the CPU", "cpu": "CPU, data with the GPU"})
    series = found["operation"].map(DOES)
    frame = points(found, x="stride_bytes", series=series, panel=panel, value="seconds")
    return frame.assign(words=found["operations"])


def draw(frame: pd.DataFrame):
    label = "ms for one pass"
    return lines(frame, "seconds", "bytes from word to word", label, 4.2, 3.0, scale=1e-3, x_word=short)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The time per word that is touched."""
    bounds = ["seconds", "seconds_low", "seconds_high"]
    each = frame.assign(**{name: frame[name] / frame["words"] for name in bounds})
    apart = " a word in " + texts(frame["x"], sized)
    return quoted(each, "seconds", frame["panel"] + " " + frame["series"] + apart, "s")
