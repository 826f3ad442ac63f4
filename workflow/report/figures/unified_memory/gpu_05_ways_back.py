"""How results come back to the host: three ways over the size, alone and with work queued that need not wait."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import cases, short, winner_from, word
from scopemark.figures.plots import lines

TITLE = "Ways back, by size of the result"
WAYS = ["explicit_copy", "device_write", "host_read"]
INDEPENDENT = {"none": "alone", "queued": "with independent work queued"}


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: crossover, the size from which on the explicit copy has the least median."""
    found = cases(results, "gpu", "result", way=WAYS, independent=list(INDEPENDENT))
    found = arrange(found, independent=list(INDEPENDENT), way=WAYS)
    words = {"series": found["way"].map(word), "panel": found["independent"].map(INDEPENDENT)}
    frame = points(found, x="size_bytes", **words, value="seconds")
    crossings = winner_from(frame, word("explicit_copy"))
    frame["crossover"] = [crossings.get(key) for key in zip(frame["machine"], frame["panel"], strict=True)]
    return frame.astype({"crossover": float})


def draw(frame: pd.DataFrame):
    places = {"crossover": "from here on the explicit copy is the fastest"}
    label = "µs from the launch\nto the sum on the host"
    return lines(frame, "seconds", "bytes of the result", label, 4.6, 3.2, scale=1e-6, places=places, x_word=short)
