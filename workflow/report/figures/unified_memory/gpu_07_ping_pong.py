"""CPU and GPU update the same words in turns: what each turn takes, from the first on."""

import pandas as pd

from scopemark.figures import Results, arrange, points
from scopemark.figures_memory import cases, sized, word
from scopemark.figures_plots import lines

TITLE = "Ping-pong between CPU and GPU, by iteration"
HINTS = ["none", "prefetch", "preferred_gpu", "preferred_host", "preferred_host_accessed_by_gpu"]


def data(results: Results) -> pd.DataFrame:
    found = cases(results, "gpu", "ping_pong", hint=HINTS, allocator="managed")
    found = arrange(found, hint=HINTS).sort_values(["device", "machine", "size_bytes"], kind="stable")
    words = {"series": found["hint"].map(word), "panel": found["size_bytes"].map(sized)}
    return points(found, x="iteration", **words, value="seconds")


def draw(frame: pd.DataFrame):
    return lines(frame, "seconds", "iteration", "µs, one update by each", 3.8, 3.2, legend_columns=2, scale=1e-6)
