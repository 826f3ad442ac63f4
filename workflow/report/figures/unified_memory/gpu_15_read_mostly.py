"""ReadMostly, step by step: both processors read, one writes, both read again."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import at_largest, cases, moved, word
from scopemark.figures.plots import dots

TITLE = "ReadMostly: each step with and without it"
HINTS = ["none", "read_mostly"]
STEPS = {
    "gpu_read_first": "GPU reads, the first time",
    "cpu_read": "then the CPU reads",
    "gpu_read": "then the GPU reads again",
    "cpu_write": "then the CPU writes",
    "gpu_read_after_write": "then the GPU reads",
    "cpu_read_after_write": "then the CPU reads",
}


def data(results: Results) -> pd.DataFrame:
    found = at_largest(moved(cases(results, "gpu", "read_mostly", hint=HINTS, step=list(STEPS))))
    found = arrange(found, step=list(STEPS), hint=HINTS)
    rows = found["step"].map({step: f"{place}. {text}" for place, (step, text) in enumerate(STEPS.items(), 1)})
    return points(found, x=rows, series=found["hint"].map(word), value="moved_per_second")


def draw(frame: pd.DataFrame):
    return dots(frame, "moved_per_second", "{prefix}B/s", width=5.0)
