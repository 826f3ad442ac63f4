"""Against NVBench: ratios cold and batched, and what the two cost."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from scopemark.trust_report.goals import MET, MISSED, Goal
from scopemark.trust_report.words import duration, percent, signed_nanoseconds, signed_percent

BOUNDS = ((20e-6, 0.01), (3e-6, 0.02))
"""From so many seconds on, by NVBench's time, the ratio is to be so close to 1. Shorter kernels have no bound."""
LONG = BOUNDS[0][0]
BATCHED_FROM = 30e-6
"""Seconds per launch, by NVBench, above which its batch measures the kernel and not how fast Python can launch it."""
WALL_SHARE = 0.1
KERNELS, SHORTEST, LONGEST = 24, 3e-6, 50e-3


def bound(seconds: float) -> float:
    """How far the ratio of a kernel of that duration may be from 1; NaN where no goal was set."""
    return next((limit for start, limit in BOUNDS if seconds >= start), math.nan)


def half_widths(frame: pd.DataFrame, who: str) -> pd.Series:
    """Half the interval of a median as a share of it."""
    return (frame[f"{who}_high"] - frame[f"{who}_low"]) / 2 / frame[f"{who}_seconds"]


def checks(nvbench: pd.DataFrame, mode: str) -> pd.DataFrame:
    """The kernels of one mode that have a bound, by duration, and whether the goal is met.

    deviation: ratio minus 1. allowed: the bound. in_bound: it is within. in_intervals: the ratio's interval contains 1.
    in_noise: it does once widened, in quadrature on the logarithmic scale, by the noise that NVBench states for the
    kernel, the relative standard deviation of its cold samples. met: within the bound or inside that noise.
    Batched there is no interval of NVBench's, so the ratio takes ours alone.
    """
    frame = nvbench[nvbench["mode"] == mode].copy()
    numbers = [name for name in frame if name not in ("case", "kernel", "mode")]
    frame[numbers] = frame[numbers].astype(float)
    cold = nvbench[nvbench["mode"] == "cold"].set_index("case")
    frame["cold_seconds"] = frame["case"].map(cold["nvbench_seconds"]).astype(float)
    frame["noise"] = frame["case"].map(cold["nvbench_noise"]).astype(float)
    if mode == "batched":
        frame["ratio_low"] = frame["ours_low"] / frame["nvbench_seconds"]
        frame["ratio_high"] = frame["ours_high"] / frame["nvbench_seconds"]
    frame["deviation"] = frame["ratio"] - 1
    frame["allowed"] = frame["nvbench_seconds"].map(bound)
    if mode == "batched":
        frame.loc[frame["nvbench_seconds"] < BATCHED_FROM, "allowed"] = math.nan
    frame = frame[frame["allowed"].notna()].copy()
    middle = np.log(frame["ratio"])
    # The bound that lies towards 1: only that one can reach it.
    reach = (np.log(frame["ratio_high"]) - middle).where(middle < 0, middle - np.log(frame["ratio_low"]))
    frame["in_bound"] = frame["deviation"].abs() <= frame["allowed"]
    frame["in_intervals"] = (frame["ratio_low"] <= 1) & (frame["ratio_high"] >= 1)
    frame["in_noise"] = middle.abs() <= np.hypot(reach, frame["noise"])
    frame["met"] = frame["in_bound"] | frame["in_noise"]
    return frame.sort_values("nvbench_seconds", kind="stable").reset_index(drop=True)


def cold_goal(nvbench: pd.DataFrame) -> Goal:
    """Every cold ratio within its bound, or inside both tools' stated noise."""
    frame = checks(nvbench, "cold")
    met, total, within = int(frame["met"].sum()), len(frame), int(frame["in_bound"].sum())
    either = int((frame["in_bound"] | frame["in_intervals"]).sum())
    durations = nvbench.loc[nvbench["mode"] == "cold", "nvbench_seconds"].astype(float)
    detail = (
        f"Within the bound alone: {within}; or with an interval of the ratio that contains 1: {either}. "
        f"{_extremes(frame)} The kernels take {duration(durations.min())} to {duration(durations.max())}; "
        f"wanted were {KERNELS} from {duration(SHORTEST, 1)} to {duration(LONGEST, 2)}."
    )
    return Goal(
        "nvbench_cold",
        "Every cold ratio to NVBench within 1 % above 20 µs and 2 % from 3 µs, or inside both tools' stated noise",
        MET if met == total and total else MISSED,
        met / total if total else math.nan,
        "share of kernels",
        f"{met} of {total} kernels",
        detail,
    )


def _extremes(frame: pd.DataFrame) -> str:
    """How far the ratios go to either side of 1, of long and of short kernels."""
    texts = []
    from_long = frame["nvbench_seconds"] >= LONG
    for where, chosen in ((f"from {duration(LONG, 2)} on", from_long), (f"below {duration(LONG, 2)}", ~from_long)):
        values = frame.loc[chosen, "deviation"]
        if len(values):
            differ = "" if texts else " the ratios differ from 1"
            texts.append(f"{where}{differ} by {signed_percent(values.min())} to {signed_percent(values.max())}")
    text = ", ".join(texts)
    return f"{text[0].upper()}{text[1:]}." if texts else ""


def our_wall(nvbench: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """What our cold and our batched estimates cost, in seconds by case; NVBench's wall time is that of both modes."""
    frame = nvbench.set_index("case")
    cold, batched = (frame.loc[frame["mode"] == mode, "ours_wall_seconds"] for mode in ("cold", "batched"))
    return cold.astype(float), batched.astype(float)


def wall_goal(nvbench: pd.DataFrame) -> Goal:
    """What both modes of all kernels cost us and NVBench, each stopping as it does by default."""
    frame = checks(nvbench, "cold").set_index("case")
    cold, batched = our_wall(nvbench)
    spent, theirs = (cold + batched)[frame.index], frame["nvbench_wall_seconds"]
    share, each = float(spent.sum() / theirs.sum()), spent / theirs
    ours, widths = half_widths(frame, "ours"), half_widths(frame, "nvbench")
    return Goal(
        "wall_time",
        "Our wall time at most a tenth of NVBench's by its defaults",
        MET if share <= WALL_SHARE else MISSED,
        share,
        "share of NVBench's",
        f"{percent(share)} of NVBench's",
        f"{duration(spent.sum())} against {duration(theirs.sum())} for {len(frame)} kernels, cold and batched; "
        f"of one kernel {percent(each.min(), 2)} to {percent(each.max(), 2)}. Relative half-widths of the cold "
        f"intervals: ours {percent(ours.median(), 2)} in the middle and {percent(ours.max(), 2)} at most, NVBench's "
        f"{percent(widths.median(), 2)} and {percent(widths.max(), 2)}.",
    )


def equal_interval_goal(nvbench: pd.DataFrame) -> Goal:
    """The same at NVBench's interval: our cold time grown by the square of how much narrower its interval is.

    An interval narrows with the root of the number of samples. Where NVBench's has no width, all of its middle samples
    fell on one step of the clock, and no number of ours says when it would be so; such kernels are left out.
    """
    frame = checks(nvbench, "cold").set_index("case")
    ours, theirs = half_widths(frame, "ours"), half_widths(frame, "nvbench")
    cold, batched = our_wall(nvbench)
    wide = frame.index[theirs > 0]
    needed = cold[wide] * (ours[wide] / theirs[wide]) ** 2 + batched[wide]
    spent = frame.loc[wide, "nvbench_wall_seconds"]
    share = float(needed.sum() / spent.sum()) if len(wide) else math.nan
    return Goal(
        "wall_time_equal",
        "The same, were our interval as narrow as NVBench's",
        MET if share <= WALL_SHARE else MISSED,
        share,
        "share of NVBench's",
        f"{percent(share)} of NVBench's" if len(wide) else "no kernel to compare",
        f"Extrapolated, for time grows with the square of the narrowing, over the {len(wide)} of {len(frame)} kernels "
        f"whose NVBench interval has a width; {int((needed <= WALL_SHARE * spent).sum())} of them stay below a tenth.",
    )


def batched_goal(nvbench: pd.DataFrame) -> Goal:
    """Every batched ratio within 1 % where NVBench's batch measures the kernel."""
    frame = checks(nvbench, "batched")
    met, total, within = int(frame["met"].sum()), len(frame), int(frame["in_bound"].sum())
    return Goal(
        "nvbench_batched",
        f"Every batched ratio within 1 % above {duration(BATCHED_FROM, 2)}, or inside both tools' stated noise",
        MET if met == total and total else MISSED,
        met / total if total else math.nan,
        "share of kernels",
        f"{met} of {total} kernels",
        f"Within 1 % alone: {within}. {_extremes(frame)} {launch_bound(nvbench)}",
    )


def launch_bound(nvbench: pd.DataFrame) -> str:
    """Why short kernels are no part of the batched comparison, from NVBench's own times of them."""
    batched = nvbench[nvbench["mode"] == "batched"].set_index("case")["nvbench_seconds"].astype(float)
    cold = nvbench[nvbench["mode"] == "cold"].set_index("case")["nvbench_seconds"].astype(float)
    short = batched[batched < BATCHED_FROM]
    if short.empty:
        return ""
    alone = cold[short.index]
    return (
        f"The other {len(short)} kernels take {duration(alone.min())} to {duration(alone.max())} alone, yet "
        f"{duration(short.min())} to {duration(short.max())} per launch in NVBench's batch: from Python it is bound by "
        "how fast the host launches, and compares nothing."
    )


def loading_shift(nvbench: pd.DataFrame) -> str:
    """What NVBench's presence in the process does to our own estimates, for they were made before it was loaded too."""
    cold = nvbench[(nvbench["mode"] == "cold") & nvbench["alone_seconds"].notna()]
    short = cold[cold["nvbench_seconds"].astype(float) < LONG]
    if short.empty:
        return ""
    shift = short["ours_seconds"].astype(float) - short["alone_seconds"].astype(float)
    return (
        f"Of the {len(short)} kernels below {duration(LONG, 2)} our own estimate is "
        f"{signed_nanoseconds(shift.median())} in the middle, and {signed_nanoseconds(shift.min())} to "
        f"{signed_nanoseconds(shift.max())}, from what it was before NVBench was loaded."
    )
