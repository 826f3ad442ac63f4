"""What changed between toolchains: in the machine code of every kernel, and in the time of those that were measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.collect import HERE
from scopemark.compare.runs import TIMED
from scopemark.statistics import Interval, geometric_mean, ratio_interval

COMPARED = ("instruction", "warp_aggregated", "registers")
"""What is told of a kernel besides that its code is another one."""


def toolchain_changes(
    kernels: pd.DataFrame, summary: pd.DataFrame, targets: Mapping[str, str], toolchains: Sequence[str]
) -> pd.DataFrame:
    """The table `toolchains`: a row per kernel and architecture for each toolchain after the first.

    kernels, summary: of one experiment. targets: this machine's GPUs, name to architecture as sm_90.
    """
    base, *others = toolchains
    times = {chain: kernel_ratios(summary, targets, base, chain) for chain in others}
    key = ["experiment", "architecture", "kernel"]
    frames = []
    for chain in others:
        one, two = (kernels[kernels["toolchain"] == name] for name in (base, chain))
        joined = one.merge(two, on=key, suffixes=("_base", "_new"))
        joined["code_differs"] = joined["code_hash_base"] != joined["code_hash_new"]
        joined["differs"] = [_differences(row) for row in joined.to_dict("records")]
        found = [times[chain].get((row.architecture, row.kernel), {}) for row in joined.itertuples()]
        frames.append(pd.concat([joined, pd.DataFrame(found, index=joined.index)], axis=1))
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    return tables.conform("toolchains", frame)


def _differences(row: Mapping[str, Any]) -> str | None:
    """The names, of COMPARED, of what the two builds of a kernel do not share."""
    pairs = ((name, row[f"{name}_base"], row[f"{name}_new"]) for name in COMPARED)
    # A kernel without an instruction of interest has none in both.
    names = [name for name, one, two in pairs if not (pd.isna(one) and pd.isna(two)) and (pd.isna(one) or one != two)]
    return " ".join(names) or None


def kernel_ratios(
    summary: pd.DataFrame, targets: Mapping[str, str], base: str, new: str
) -> dict[tuple[str, str], dict[str, Any]]:
    """(architecture, kernel) to the time ratio of what was measured here with both toolchains.

    ratio, low, high: the geometric mean over the kernel's cases, new by base. The distances of the bounds of k cases
    are combined in quadrature on the logarithmic scale, and divided by k. Cases without an interval do not count.
    """
    here = summary[(summary["run"] == HERE) & summary["target"].isin(list(targets)) & summary["status"].isin(TIMED)]
    here = here[here["low_seconds"].notna()]
    one, two = (here[here["toolchain"] == name] for name in (base, new))
    joined = one.merge(two, on=["target", "kernel", "case"], suffixes=("_base", "_new"))
    found = {}
    for (target, kernel), own in joined.groupby(["target", "kernel"]):
        ratios = [ratio_interval(_interval(row, "new"), _interval(row, "base")) for row in own.to_dict("records")]
        mean, count = geometric_mean([ratio.value for ratio in ratios]), len(ratios)
        down = math.hypot(*(math.log(ratio.value / ratio.low) for ratio in ratios)) / count
        up = math.hypot(*(math.log(ratio.high / ratio.value) for ratio in ratios)) / count
        times = {"cases": count, "ratio": mean, "low": mean * math.exp(-down), "high": mean * math.exp(up)}
        # Of two GPUs of one architecture the first speaks for it.
        found.setdefault((targets[target], kernel), times)
    return found


def _interval(row: Mapping[str, Any], end: str) -> Interval:
    return Interval(*(float(row[f"{name}_seconds_{end}"]) for name in ("median", "low", "high")))
