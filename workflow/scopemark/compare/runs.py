"""Two stored runs of one machine, case by case: faster, slower, same or unclear, and what of it is confirmed.

The definitions and their reasons are in docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scopemark import tables
from scopemark.collect import CASE, estimates
from scopemark.errors import UserError
from scopemark.statistics import Interval, make_an_interval, ratio_interval
from scopemark.stored_run import StoredRun

TIMED = ("ok", "unstable")
"""Statuses whose times are compared."""

WRONG = ("incorrect", "failed", "timeout")
"""Statuses that are a regression where there was one of TIMED before."""

CHANCE = 0.025
"""How often, at the most, a case whose time did not change has its 95 % interval above the band around 1."""


@dataclass(frozen=True)
class Thresholds:
    """same_within: half the width of the band around a ratio of 1. offset_seconds: what may be added to a median by
    the process that it was measured in."""

    same_within: float = 0.02
    offset_seconds: float = 1e-7


def compare_runs(base: StoredRun, new: StoredRun, thresholds: Thresholds) -> pd.DataFrame:
    """The table `compare`: a row per case of either run. UserError if they have no experiment in common."""
    shared = [name for name in base.experiments if name in new.experiments]
    if not shared:
        raise UserError(
            f"{new.path}: it has {', '.join(new.experiments)}, and {base.path} has {', '.join(base.experiments)}: "
            "there is no experiment in common to compare"
        )
    olds, news = ([_estimated(run, name) for name in shared] for run in (base, new))
    chains = [set(pd.concat(frames)["toolchain"]) for frames in (olds, news)]
    # One toolchain in each: a difference between them is what is compared, not what tells cases apart.
    key = ["case"] if all(len(chain) == 1 for chain in chains) else ["case", "toolchain"]
    frames = [compare_cases(old, fresh, key, thresholds) for old, fresh in zip(olds, news, strict=True)]
    return tables.conform("compare", pd.concat(frames, ignore_index=True))


def _estimated(run: StoredRun, experiment: str) -> pd.DataFrame:
    """The cases of an experiment with the medians and intervals of their seconds, and of their cycles where known."""
    cases = tables.read("cases", run.cases(experiment))
    samples = tables.read("samples", run.samples(experiment))
    samples = samples[samples["discarded"].isna()]
    clocked = samples[samples["sm_clock_hz"].notna()]
    cycles = clocked.assign(seconds=clocked["seconds"] * clocked["sm_clock_hz"])
    names = ["median_seconds", "low_seconds", "high_seconds"]
    in_seconds = estimates(samples)[[*names, "processes"]]
    in_cycles = estimates(cycles)[names].rename(columns=lambda name: name.replace("seconds", "cycles"))
    clock = clocked.groupby(CASE)["sm_clock_hz"].median().rename("clock")
    frame = cases
    for found in (in_seconds, in_cycles, clock):
        frame = frame.merge(found.reset_index(), how="left", on=CASE)
    frame = frame.assign(point=_points(cases))
    return frame.astype({name: float for name in frame if name == "clock" or name.endswith(("_seconds", "_cycles"))})


def _points(cases: pd.DataFrame) -> list[str]:
    """Each case in words: the parameters that differ between the cases of its benchmark."""
    declared = tables.columns("cases")
    words = pd.Series("", index=cases.index)
    for _, own in cases.groupby("benchmark"):
        names = [name for name in own if name not in declared and own[name].nunique() > 1]
        for name in names:
            text = own[name].map(
                lambda value: "" if pd.isna(value) else f"{value:g}" if type(value) is float else value
            )
            words.loc[own.index] += [f", {name} {value}" if value != "" else "" for value in text]
    return words.str.removeprefix(", ").tolist()


def compare_cases(old: pd.DataFrame, new: pd.DataFrame, key: list[str], thresholds: Thresholds) -> pd.DataFrame:
    """A row per case of two frames of cases with estimates, joined on `key`."""
    joined = old.merge(new, how="outer", on=key, suffixes=("_base", "_new"), indicator="found_in")
    joined["found_in"] = joined["found_in"].astype("string").replace({"left_only": "base", "right_only": "new"})
    for name in ("toolchain",) if "toolchain" in key else ():
        joined[f"{name}_base"] = joined[name].where(joined["found_in"] != "new")
        joined[f"{name}_new"] = joined[name].where(joined["found_in"] != "base")
    for name in ("experiment", "benchmark", "kernel", "point"):
        joined[name] = joined[f"{name}_new"].fillna(joined[f"{name}_base"])
    joined["group"] = joined["instruction_new"].fillna(joined["instruction_base"]).fillna(joined["kernel"])
    judged = [_judged(row, thresholds) for row in joined.to_dict("records")]
    joined = pd.concat([joined, pd.DataFrame(judged, index=joined.index)], axis=1)
    return joined.sort_values(["experiment", "benchmark", "kernel", "case"], kind="stable")


def _judged(row: Mapping[str, Any], thresholds: Thresholds) -> dict[str, Any]:
    """The ratio, its verdict, and what the clock cycles say of it, for a case that both runs timed."""
    if row["found_in"] != "both" or row["status_base"] not in TIMED or row["status_new"] not in TIMED:
        return {}
    unseen = {end: _unseen(row[f"processes_{end}"], thresholds) for end in ("base", "new")}
    old, new = (_interval(row, "seconds", end, offset) for end, offset in unseen.items())
    if old is None or new is None:
        return {}
    ratio = ratio_interval(new, old)
    found = {"ratio": ratio.value, "low": ratio.low, "high": ratio.high, "verdict": verdict(ratio, thresholds)}
    old, new = (_interval(row, "cycles", end, by * row[f"clock_{end}"]) for end, by in unseen.items())
    if old is not None and new is not None:
        cycles = ratio_interval(new, old)
        found |= {"cycles_ratio": cycles.value, "cycles_low": cycles.low, "cycles_high": cycles.high}
        found["cycles_verdict"] = verdict(cycles, thresholds)
    found["confirmed"] = _confirmed(found["verdict"], found.get("cycles_verdict", "unknown"))
    return found


def _unseen(processes: float, thresholds: Thresholds) -> float:
    """Seconds that a process may add unseen: none where each of several counts once, as their interval shows it."""
    several = not pd.isna(processes) and make_an_interval(int(processes))
    return 0.0 if several else thresholds.offset_seconds


def _interval(row: Mapping[str, Any], unit: str, end: str, offset: float) -> Interval | None:
    """A median with its interval, wider by the offset on both sides; None where there is no median."""
    value, low, high = (row[f"{name}_{unit}_{end}"] for name in ("median", "low", "high"))
    if pd.isna(value):
        return None
    low, high = (math.nan, math.nan) if pd.isna(low) else (low, high)
    # A launch shorter than the offset has no lower bound but zero, whose logarithm the ratio cannot take.
    return Interval(float(value), max(low - offset, value * 1e-9), high + offset)


def verdict(ratio: Interval, thresholds: Thresholds) -> str:
    """slower or faster: the interval beyond the band around 1; same: inside it; everything else is unclear."""
    band = thresholds.same_within
    if ratio.low > 1 + band:
        return "slower"
    if ratio.high < 1 - band:
        return "faster"
    return "same" if ratio.low >= 1 - band and ratio.high <= 1 + band else "unclear"


def _confirmed(found: str, cycles: str) -> str | None:
    """What the cycles say of a change in time: "yes", "clock" (it is the clock's), "unclear", "unknown"."""
    if found not in ("slower", "faster"):
        return None
    if cycles == "unknown" or cycles == "unclear":
        return cycles
    return "yes" if cycles == found else "clock"


def compare_groups(cases: pd.DataFrame) -> pd.DataFrame:
    """The table `compare_groups`: a row per benchmark and instruction with a verdict for any of its cases.

    confirmed: "slower" or "faster" where at least two cases agree, and more than chance explains in so many groups.
    """
    judged = cases[cases["verdict"].notna()]
    groups = judged.groupby(["experiment", "benchmark", "group"], sort=True)
    rows = []
    for (experiment, benchmark, group), own in groups:
        # A change that the cycles do not show is the clock's; one that they cannot show is left to more samples.
        counts = own.loc[own["confirmed"].isin(["yes", "unknown"]), "verdict"].value_counts()
        row = {"experiment": experiment, "benchmark": benchmark, "group": group, "cases": len(own)}
        row |= {word: int(counts.get(word, 0)) for word in ("slower", "faster")}
        row |= {"same": int((own["verdict"] == "same").sum()), "clock": int((own["confirmed"] == "clock").sum())}
        row["ratio"] = math.exp(np.log(own["ratio"].to_numpy(float)).mean())
        words = [word for word in ("slower", "faster") if row[word] >= 2 and _rare(row[word], len(own), len(groups))]
        rows.append(row | {"confirmed": " and ".join(words) or None})
    return tables.make("compare_groups", rows)


def _rare(found: int, cases: int, groups: int) -> bool:
    """Whether so many of the cases of one group, of so many groups, are more than chance explains at 5 %."""
    return binomial_tail(found, cases, CHANCE) <= 0.05 / groups


def binomial_tail(least: int, trials: int, probability: float) -> float:
    """The probability of at least that many successes."""
    logs = [
        math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        + k * math.log(probability) + (trials - k) * math.log1p(-probability)
        for k in range(least, trials + 1)
    ]  # fmt: skip
    return math.fsum(map(math.exp, logs))


def compare_code(cases: pd.DataFrame) -> pd.DataFrame:
    """The table `compare_code`: a row per kernel whose instruction or aggregation differs between the runs."""
    both = cases[(cases["found_in"] == "both") & cases["instruction_base"].notna() & cases["instruction_new"].notna()]
    differs = (both["instruction_base"] != both["instruction_new"]) | (
        both["warp_aggregated_base"].fillna(False) != both["warp_aggregated_new"].fillna(False)
    )
    key = ["experiment", "kernel", "toolchain_base", "toolchain_new", "instruction_base", "instruction_new"]
    key += ["warp_aggregated_base", "warp_aggregated_new"]
    found = both[differs].groupby(key, dropna=False)
    return tables.conform("compare_code", found.agg(cases=("case", "size"), ratio=("ratio", "median")).reset_index())


def smallest_told(cases: pd.DataFrame, same_within: float) -> np.ndarray:
    """The smallest slowdown of each judged case, as a fraction, that its interval would tell; infinite without one.

    Were the times of the new run longer by a factor, the ratio and its bounds would be so too: it is told where the
    lower bound, as far below the ratio as it is, would still be above the band around 1.
    """
    judged = cases[cases["verdict"].notna()]
    told = (1 + same_within) * judged["ratio"].to_numpy(float) / judged["low"].to_numpy(float, na_value=math.nan) - 1
    return np.where(np.isnan(told), np.inf, told)


def status_changes(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases of both runs whose status is not what it was."""
    return cases[(cases["found_in"] == "both") & (cases["status_base"] != cases["status_new"])]


def regressions(cases: pd.DataFrame, groups: pd.DataFrame) -> list[str]:
    """What makes a regression, in words: groups confirmed to be slower, and cases that went wrong."""
    slower = groups[groups["confirmed"].str.startswith("slower").fillna(False)]
    found = [
        f"{row.experiment}, {row.benchmark}, {row.group}: {row.slower} of {row.cases} cases slower"
        for row in slower.itertuples()
    ]
    wrong = cases[cases["status_base"].isin(TIMED) & cases["status_new"].isin(WRONG)]
    return found + [
        f"{row.experiment}, case {row.case} ({row.kernel}): {row.status_base} became {row.status_new}"
        for row in wrong.itertuples()
    ]
