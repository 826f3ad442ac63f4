"""CPU and GPU update the same words in turns: what each turn takes, from the first on."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import cases, sized, word
from scopemark.figures.plots import lines

TITLE = "Ping-pong between CPU and GPU, by iteration"
MANY = 2  # times as many page faults as in the other turns are worth a note
HINTS = ["none", "prefetch", "preferred_gpu", "preferred_host", "preferred_host_accessed_by_gpu"]


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: major_faults, the CPU's page faults in this turn, and a note of many."""
    found = cases(results, "gpu", "ping_pong", hint=HINTS, allocator="managed")
    found = arrange(found, hint=HINTS).sort_values(["device", "machine", "size_bytes"], kind="stable")
    words = {"series": found["hint"].map(word), "panel": found["size_bytes"].map(sized)}
    frame = points(found, x="iteration", **words, value="seconds")
    # Both have the order of the machines, and in it that of the hints.
    return frame.assign(major_faults=found["major_faults_median"].to_numpy(), note=_notes(found))


def _notes(found: pd.DataFrame) -> list[str]:
    """Where the CPU takes several times the page faults of its curve's other turns, how many."""
    faults = found["major_faults_median"].astype(float)
    curve = ["machine", "size_bytes", "hint"]
    usual = faults.where(faults > 0).groupby([found[name] for name in curve]).transform("min")
    return [
        f"CPU: {number:.0f} page faults" if number > MANY * other else ""
        for number, other in zip(faults, usual, strict=True)
    ]


def draw(frame: pd.DataFrame):
    return lines(
        frame, "seconds", "iteration", "µs, one update by each", 3.8, 3.2, legend_columns=2, scale=1e-6, notes="note"
    )
