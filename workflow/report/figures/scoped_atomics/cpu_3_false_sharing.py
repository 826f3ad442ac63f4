"""Two threads with a counter each: on one cache line, or on two."""

import pandas as pd

from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import lines

TITLE = "False sharing by distance on CPU threads"


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="cpu",
        benchmark="counter",
        operation="fetch_add",
        type="uint32",
        order="relaxed",
        result="discarded",
        launch_threads=1,
        counters_per_block=1,
        api=["atomic_ref", "builtin"],
    )
    cases = widest(cases, ("threads_per_block", "iterations", "cache", "sampling"))
    cases = cases[cases.groupby("machine")["stride_bytes"].transform("nunique") > 1]
    threads = cases["launch_blocks"].map(lambda n: "1 thread" if n == 1 else f"{n} threads, a counter each")
    frame = points(cases, x="stride_bytes", series=cases["api"] + "|" + threads)
    lines = {key: machine["host"].get("cache_line_bytes") for key, machine in results.machines.items()}
    line = {m: lines.get((r, t)) for m, r, t in zip(cases["machine"], cases["run"], cases["target"], strict=True)}
    known = (
        frame["machine"]
        .map(lambda name: f"cache line: {line[name]:g} bytes" if line.get(name) else "")
        .astype("string")
    )
    return frame.assign(launch=known).sort_values(["device", "machine", "series", "x"], kind="stable")


def draw(frame: pd.DataFrame):
    label = "{power}adds per second,\nall threads together"
    return lines(
        frame, "operations_per_second", "distance of neighbouring counters, bytes", label, 6.2, legend_columns=2
    )
