"""Every way of moving data between the processors, over the size, against the link's own rate."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import cases, link_rates, moved, quoted, short, sized, texts, word
from scopemark.figures.plots import lines

TITLE = "Ways to move data, by size and direction"
WAYS = [
    "pinned_copy",
    "kernel_copy",
    "direct",
    "prefetch",
    "managed_copy",
    "registered_copy",
    "pageable_copy",
    "faults",
]
DIRECTIONS = ["to_gpu", "to_host"]


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: ceiling, the link's rate in bytes per second in that direction."""
    found = moved(cases(results, "gpu", "transfer", way=WAYS, direction=DIRECTIONS))
    found = arrange(found, direction=DIRECTIONS, way=WAYS)
    words = {"series": found["way"].map(word), "panel": found["direction"].map(word)}
    frame = points(found, x="size_bytes", **words, value="moved_per_second")
    links = {(machine, word(direction)): rate for (machine, direction), rate in link_rates(results).items()}
    frame["ceiling"] = [links.get(key) for key in zip(frame["machine"], frame["panel"], strict=True)]
    return frame.astype({"ceiling": float})


def draw(frame: pd.DataFrame):
    marks = {"ceiling": "the link: a copy of pinned memory at the largest size"}
    label = "{prefix}B/s, by the host's clock"
    return lines(frame, "moved_per_second", "bytes", label, 4.4, 3.8, marks=marks, shares="% of the link", x_word=short)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The bandwidth of every way at the largest size."""
    last = frame[frame["x"] == frame.groupby("machine")["x"].transform("max")]
    return quoted(last, "moved_per_second", last["series"] + " " + last["panel"] + " " + texts(last["x"], sized), "B/s")
