"""Null tests: known durations, and differences where there are none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from scopemark.trust_report.goals import MET, MISSED, Goal, at_most, wilson
from scopemark.trust_report.nvbench import bound
from scopemark.trust_report.words import MINUS, duration, share_of, signed_nanoseconds

CALLED_DIFFERENT = 0.05


@dataclass(frozen=True)
class Line:
    """measured = offset + slope × clocked, by least squares, every duration with the same weight; seconds."""

    slope: float
    offset: float


def fit(durations: pd.DataFrame) -> Line:
    """The line through the kernels of known duration."""
    spin = durations[durations["kernel"] == "spin"]
    x, y = spin["clocked_seconds"].to_numpy(float), spin["measured_seconds"].to_numpy(float)
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    return Line(slope, float(y.mean() - slope * x.mean()))


def deviations(durations: pd.DataFrame) -> pd.DataFrame:
    """Every kernel with its deviation from the common offset, in seconds, and what the goal allows.

    The common offset is the median of measured less clocked over the kernels of known duration.
    """
    frame = durations.copy()
    numbers = [name for name in frame if name != "kernel"]
    frame[numbers] = frame[numbers].astype(float)
    frame["common"] = common_offset(durations)
    for name in ("measured", "low", "high"):
        column = "measured_seconds" if name == "measured" else f"measured_{name}"
        frame[f"deviation_{name}"] = frame[column] - frame["clocked_seconds"] - frame["common"]
    frame["allowed"] = frame["measured_seconds"].map(bound) * frame["measured_seconds"]
    return frame


def common_offset(durations: pd.DataFrame) -> float:
    """What a start, an end and the events add to what a kernel clocks: the median, in seconds."""
    spin = durations[durations["kernel"] == "spin"]
    return float(np.median(spin["measured_seconds"].astype(float) - spin["clocked_seconds"].astype(float)))


def durations_goal(durations: pd.DataFrame) -> Goal:
    """Known durations come out as clocked and a common offset, within the bounds of the comparison with NVBench."""
    line, frame = fit(durations), deviations(durations)
    spin = frame[frame["kernel"] == "spin"]
    within = spin["deviation_measured"].abs() <= spin["allowed"]
    worst = spin.loc[spin["deviation_measured"].abs().idxmax()]
    text = (
        f"From {duration(spin['clocked_seconds'].min())} to {duration(spin['clocked_seconds'].max())} clocked, "
        f"{int(within.sum())} of {len(spin)} within. Least squares: measured = {duration(line.offset, 4)} + "
        f"{line.slope:.6f} × clocked, a slope {(line.slope - 1) * 1e6:+.1f} millionths from 1. ".replace("-", MINUS)
    )
    empty = frame[frame["kernel"] == "empty"]
    for row in empty.to_dict("records"):
        text += (
            f"The empty kernel takes {duration(row['measured_seconds'])}, "
            f"{signed_nanoseconds(row['deviation_measured'])} from the common offset of {duration(row['common'])}."
        )
    return Goal(
        "known_durations",
        "Known durations measured as clocked plus a common offset, within the same bounds",
        MET if within.all() else MISSED,
        float(worst["deviation_measured"]),
        "seconds",
        f"within {abs(worst['deviation_measured']) * 1e9:,.0f} ns",
        text,
    )


def pairs_goal(pairs: pd.DataFrame) -> Goal:
    """The same kernel under two names is not called different more often than the interval allows."""
    different = pairs["called_different"].astype(bool)
    count, total = int(different.sum()), len(pairs)
    share = wilson(count, total)
    each = pairs_by_kernel(pairs)
    worst = each.loc[each["share"].idxmax()]
    return Goal(
        "equal_pairs",
        "Equal kernels under two names called different in at most 5 % of the pairs",
        at_most(share, CALLED_DIFFERENT),
        share.value,
        "share of pairs",
        share_of(count, total, share),
        f"Over {len(each)} kernels; most often {int(worst['different'])} of {int(worst['pairs'])} pairs of one kernel, "
        f"least {int(each['different'].min())}. The interval is Wilson's.",
        share.low,
        share.high,
    )


def pairs_by_kernel(pairs: pd.DataFrame) -> pd.DataFrame:
    """Per kernel: pairs, how many of them were called different, and the widest interval of a ratio."""
    frame = pairs.assign(
        different=pairs["called_different"].astype(bool),
        width=(pairs["ratio_high"].astype(float) - pairs["ratio_low"].astype(float)) / 2,
    )
    grouped = frame.groupby(["case", "kernel", "iterations"], sort=False)
    found = grouped.agg(pairs=("pair", "size"), different=("different", "sum"), width=("width", "median"))
    return found.assign(share=found["different"] / found["pairs"]).reset_index()
