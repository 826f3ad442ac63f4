"""Counting matches: one device-scope add each, a block's subtotal, or a warp's ballot."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import lines

TITLE = "Counting matches over their density"
LAUNCH = ("blocks", "threads_per_block", "cache", "sampling")


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: ceiling, the peak memory bandwidth in bytes per second, where known."""
    cases = pick(results.summary, target_kind="gpu", benchmark="match_count", api=["atomic_ref", "intrinsic"])
    cases = widest(cases, LAUNCH)
    largest = sorted(set(cases["elements"]))[-2:]
    cases = pick(cases, elements=largest)
    series = cases["form"]
    sizes = cases["elements"].map(lambda n: f"{4 * n / 2**20:g} MiB").astype("string")
    panel = sizes + ", " + cases["api"].map(style.word)
    frame = points(cases, x="density", series=series, panel=panel, value="bytes_per_second")
    peaks = {
        label: _peak(results.machines.get((run, target), {}))
        for label, run, target in zip(cases["machine"], cases["run"], cases["target"], strict=True)
    }
    frame["ceiling"] = frame["machine"].map(peaks).astype(float)
    order = {form: place for place, form in enumerate(("per_match", "two_level", "warp_aggregated"))}
    return frame.sort_values("series", key=lambda names: names.map(order), kind="stable").reset_index(drop=True)


def _peak(machine) -> float | None:
    """Peak memory bandwidth: two transfers per clock over the bus's width. None where the driver does not tell."""
    gpu = machine.get("gpu", {})
    if not gpu.get("memory_bus_bits") or not gpu.get("highest_memory_clock_mhz"):
        return None
    return 2 * gpu["highest_memory_clock_mhz"] * 1e6 * gpu["memory_bus_bits"] / 8


def draw(frame: pd.DataFrame):
    marks = {"ceiling": "peak memory bandwidth, by bus width and clock"}
    label = "{prefix}B read per second"
    return lines(frame, "bytes_per_second", "share of elements that match", label, 2.9, 2.9, 2, marks=marks)
