"""How long one atomic takes: a dependent chain in one thread."""

import pandas as pd

from scopemark.experiments.atomic_intrinsics.operation import ALL, TYPES
from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import dots
from scopemark.quantities import USABLE

TITLE = "Latency of every atomic intrinsic"
PLACEMENTS = ["shared", "cluster", "global"]


def data(results: Results) -> pd.DataFrame:
    cases = pick(results.summary, target_kind="gpu", benchmark="operation", result="used", launch_threads=1)
    cases = cases[cases["status"] != "unsupported"]
    rows = cases["operation"].astype("string") + " " + cases["type"].astype("string")
    frame = points(cases, x=rows, series="placement")
    measured = cases.set_index("case")
    cycles = measured["kernel_cycles"] / (measured["operations"] / measured["launch_blocks"])  # of the first thread
    frame["cycles"] = frame["case"].map(dict(zip(measured.index, cycles, strict=True)))
    frame["cycles"] = frame["cycles"].where(frame["status"].isin(USABLE))
    frame = frame[[name for name in frame if not name.startswith("operations_per_second")]]
    frame = frame.assign(cycles_low=frame["cycles"], cycles_high=frame["cycles"])
    return arrange(frame, x=[f"{operation} {type}" for operation in ALL for type in TYPES], series=PLACEMENTS)


def draw(frame: pd.DataFrame):
    return dots(frame, "cycles", "SM clock cycles per operation", width=5.0)
