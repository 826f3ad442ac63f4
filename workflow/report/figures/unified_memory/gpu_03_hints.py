"""What each hint gains or loses, its own calls included: ranked, per workload."""

import pandas as pd

from scopemark.figures.bars import bars
from scopemark.figures.data import DRAWN, Results, arrange, points
from scopemark.figures.memory import alike, cases, quoted, relative, sized, texts, word

TITLE = "Hints: speed-up over none, per workload"
WORKLOADS = ["gpu_reads", "gpu_updates", "both_read", "exchange", "sparse"]


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: ratio with its interval, the time without a hint by the time with it.

    What its budget cut short before there was an interval has its ratio all the same: of so few `samples`.
    """
    found = alike(cases(results, "gpu", "hint", workload=WORKLOADS), "size_bytes", "passes", by=["workload"])
    found = relative(found, "hint", "none", ["workload", "size_bytes", "passes"], speedup=True)
    found = arrange(found[found["hint"] != "none"], workload=WORKLOADS)
    times = texts(found["passes"], lambda passes: f", {passes} times" if passes > 1 else "")
    panel = texts(found["workload"], word) + times + ", " + texts(found["size_bytes"], sized)
    frame = points(found, x=found["hint"].map(word), series="", panel=panel, value="ratio")
    short = (found["status"] == "skipped") & found["ratio_low"].isna()
    return frame.assign(ratio=frame["ratio"].mask(short, found["ratio"]), samples=found["samples"].where(short))


def draw(frame: pd.DataFrame):
    return bars(frame, "times as fast as without a hint", width=2.9)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Every speed-up that has an interval."""
    frame = frame[frame["status"].isin(DRAWN)]
    return quoted(frame, "ratio", "speed-up " + frame["panel"] + " " + frame["x"], "ratio")
