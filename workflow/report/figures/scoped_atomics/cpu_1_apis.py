"""The APIs on CPU threads, alone and contended."""

import pandas as pd

from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "APIs on CPU threads"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="cpu",
        benchmark="counter",
        operation="fetch_add",
        type="uint32",
        order="relaxed",
        result="discarded",
        launch_blocks=1,
        stride_bytes=64,
    )
    cases = widest(cases, ("iterations", "cache", "sampling"))
    threads = (
        cases["launch_threads"].astype("string") + " thread" + cases["launch_threads"].gt(1).map({True: "s", False: ""})
    )
    frame = points(cases, x="api", series=threads)
    return frame.assign(launch="one team of threads adding to one counter")


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second, all threads together", width=4.6)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The throughput of every point."""
    value = "operations_per_second"
    return pd.DataFrame(
        {
            "machine": frame["machine"],
            "quantity": "throughput " + frame["x"] + " " + frame["series"],
            "unit": "ops/s",
            "value": frame[value],
            "low": frame[f"{value}_low"],
            "high": frame[f"{value}_high"],
        }
    )
