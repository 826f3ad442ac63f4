"""Against itself: two runs in separate processes, and where the wall time of each went."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pandas as pd

from scopemark.trust_report.goals import MET, MISSED, STATED, Goal, at_least, wilson
from scopemark.trust_report.words import duration, percent, share_of, share_points, signed_percent

CLASSES = ((0.0, 10e-6), (10e-6, 100e-6), (100e-6, 1e-3), (1e-3, math.inf))
"""Classes of duration, in seconds of the first run's median: from, below."""
WITHIN = 0.95
OVERHEAD_SECONDS = 0.005
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
PARTS = ("start", "prepare", "sample", "exchange", "record")


def expected_within() -> float:
    """How often the median of one run lies within the exact 95 % interval of another, if nothing else differs.

    The difference of two independent medians has the square root of 2 of the standard error of one.
    """
    normal = NormalDist()
    return 2 * normal.cdf(normal.inv_cdf(0.975) / math.sqrt(2)) - 1


def class_name(seconds: float) -> str:
    """The class of a duration, in words."""
    low, high = next((low, high) for low, high in CLASSES if low <= seconds < high)
    if low == 0:
        return f"below {duration(high, 1)}"
    return f"from {duration(low, 1)}" if math.isinf(high) else f"{duration(low, 1)} to {duration(high, 1)}"


def class_names() -> list[str]:
    """All classes, shortest first."""
    return [class_name(low) for low, _ in CLASSES]


def measured_twice(repeat: pd.DataFrame) -> pd.DataFrame:
    """The cases that both runs have samples of, with their class; numbers and flags as plain ones."""
    frame = repeat[repeat["ratio"].notna()].copy()
    for name in frame:
        if name in ("within_each_other", "not_different"):
            frame[name] = frame[name].astype(bool)
        elif name not in ("case", "kernel"):
            frame[name] = frame[name].astype(float)
    frame["class"] = frame["seconds_1"].map(class_name)
    return frame


def by_class(repeat: pd.DataFrame) -> list[dict]:
    """Per class of duration, then of all: cases, both shares, and quantiles of the ratio minus 1."""
    frame = measured_twice(repeat)
    groups = [(name, frame[frame["class"] == name]) for name in class_names()]
    return [
        {
            "class": name,
            "cases": len(group),
            "within": float(group["within_each_other"].mean()),
            "not_different": float(group["not_different"].mean()),
            "half_width": float(((group["high_1"] - group["low_1"]) / 2 / group["seconds_1"]).median()),
            "quantiles": [float(value) for value in np.quantile(group["ratio"] - 1, QUANTILES)],
        }
        for name, group in [*groups, ("all", frame)]
        if len(group)
    ]


def within_goal(repeat: pd.DataFrame) -> Goal:
    """The share of cases whose medians lie within each other's interval."""
    frame = measured_twice(repeat)
    count, total = int(frame["within_each_other"].sum()), len(frame)
    share = wilson(count, total)
    rest = (frame.loc[~frame["within_each_other"], "ratio"] - 1).abs()
    text = (
        f"Exact 95 % intervals of independent runs would give {percent(expected_within(), 2)}: two medians differ by "
        "the square root of 2 of the standard error of one. "
    )
    if len(rest):
        text += (
            f"Of the {len(rest)} others half moved by less than {percent(rest.median(), 2)}, and "
            f"{share_points(float((rest < 0.01).mean()))} of them by less than 1 %; the farthest by "
            f"{percent(rest.max(), 2)}. "
        )
    missing = len(repeat) - total
    if missing:
        text += f"{missing} cases have no samples in one of the runs."
    return Goal(
        "two_runs_within",
        "Two runs: 95 % of the medians within each other's interval",
        at_least(share, WITHIN),
        share.value,
        "share of cases",
        share_of(count, total, share),
        text.strip(),
        share.low,
        share.high,
    )


def different_goal(repeat: pd.DataFrame) -> Goal:
    """The share of cases whose ratio's interval contains 1, which is what comparing two runs asks."""
    frame = measured_twice(repeat)
    count, total = int(frame["not_different"].sum()), len(frame)
    share = wilson(count, total)
    classes = by_class(repeat)[:-1]
    shares = "; ".join(f"{row['class']}: {share_points(row['not_different'])} of {row['cases']}" for row in classes)
    shift = max(classes, key=lambda row: abs(row["quantiles"][2]))
    return Goal(
        "two_runs_ratio",
        "Two runs: 95 % of the ratios with an interval that contains 1",
        at_least(share, WITHIN),
        share.value,
        "share of cases",
        share_of(count, total, share),
        f"By duration: {shares}. The middle ratio is farthest from 1 in the class {shift['class']}: "
        f"{signed_percent(shift['quantiles'][2])}{_one_sided(shift)}.",
        share.low,
        share.high,
    )


def _one_sided(row: dict) -> str:
    """What to add where three quarters of a class moved in one direction: no interval of a single run can tell that."""
    quarter, three = row["quantiles"][1], row["quantiles"][3]
    return ", and three quarters of it moved that way, so the process moved it" if quarter * three > 0 else ""


def where_time_goes(timing: pd.DataFrame) -> list[dict]:
    """Per run: seconds of wall time by part and in all, the GPU's share of it, and what a case costs beyond samples.

    waiting: the part of sampling in which no kernel was timed: resets, flushes, checks, warm-up launches.
    """
    rows = []
    for row in timing.to_dict("records"):
        parts = {name: float(row[name]) for name in PARTS}
        total, device, cases = sum(parts.values()), float(row["device_seconds"]), int(row["cases"])
        rows.append(
            {
                "run": int(row["run"]),
                "cases": cases,
                "samples": int(row["samples"]),
                "parts": parts,
                "total": total,
                "device": device,
                "waiting": parts["sample"] - device,
                "device_share": device / total,
                "cases_per_second": cases / total,
                "overhead": (parts["prepare"] + parts["exchange"] + parts["record"]) / cases,
                "with_start": (total - parts["sample"]) / cases,
                "waiting_per_sample": (parts["sample"] - device) / int(row["samples"]),
            }
        )
    return rows


def overhead_goal(timing: pd.DataFrame) -> Goal:
    """What a case costs beyond its samples, in the run where it cost most."""
    rows = where_time_goes(timing)
    worst = max(row["overhead"] for row in rows)
    each = ", ".join(duration(row["overhead"]) for row in rows)
    prepare = ", ".join(duration(row["parts"]["prepare"] / row["cases"]) for row in rows)
    return Goal(
        "overhead",
        "A case costs at most 5 ms beyond its samples",
        MET if worst <= OVERHEAD_SECONDS else MISSED,
        worst,
        "seconds",
        f"{duration(worst)} per case",
        f"The runs: {each}; of that {prepare} prepare the case: its memory and what to expect in it.",
    )


def device_goal(timing: pd.DataFrame) -> Goal:
    """How much of the wall time the GPU spends in samples; nothing was asked."""
    rows = where_time_goes(timing)
    least = min(row["device_share"] for row in rows)
    speeds = ", ".join(f"{row['cases_per_second']:.1f}" for row in rows)
    waits = ", ".join(duration(row["waiting_per_sample"]) for row in rows)
    return Goal(
        "device_share",
        "The share of the wall time that the GPU spends in samples",
        STATED,
        least,
        "share of wall time",
        f"{percent(least)} or more",
        f"Cases per second: {speeds}. Around each sample {waits} pass otherwise: resets, flushes, checks, "
        "warm-up launches.",
    )
