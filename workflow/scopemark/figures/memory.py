"""What the figures of unified memory share: which cases they compare, their words, sizes, ceilings and ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from scopemark.figures.data import DRAWN, Results, arrange, pick
from scopemark.report.format import fact
from scopemark.stage.allocators import ALLOCATORS
from scopemark.statistics import Interval, ratio_interval

WORDS = {
    "pinned_copy": "copy, pinned",
    "pageable_copy": "copy, pageable",
    "registered_copy": "copy, registered",
    "managed_copy": "copy, managed",
    "prefetch": "prefetch",
    "faults": "page faults",
    "kernel_copy": "a kernel copies, pinned",
    "direct": "direct access, managed",
    "to_gpu": "to the GPU",
    "to_host": "to the host",
    "none": "no hint",
    "read_mostly": "ReadMostly",
    "read_mostly_prefetch": "ReadMostly, prefetch",
    "preferred_gpu": "PreferredLocation GPU",
    "preferred_gpu_prefetch": "PreferredLocation GPU, prefetch",
    "preferred_host": "PreferredLocation host",
    "accessed_by_gpu": "AccessedBy GPU",
    "preferred_host_accessed_by_gpu": "PreferredLocation host, AccessedBy GPU",
    "accessed_by_host": "AccessedBy host",
    "preferred_gpu_accessed_by_host": "PreferredLocation GPU, AccessedBy host",
    "prefetch_away": "prefetch to the wrong side",
    "gpu_reads": "the GPU reads",
    "gpu_updates": "the GPU updates",
    "both_read": "GPU and CPU read in turns",
    "exchange": "the GPU writes, the CPU reads",
    "sparse": "the GPU reads a word per page",
    "explicit_copy": "explicit copy",
    "device_write": "device writes to the host",
    "host_read": "host reads managed memory",
    "explicit_pageable": "copies, pageable",
    "explicit_pinned": "copies, pinned",
    "managed": "managed, bare",
    "managed_prefetch": "managed, prefetch",
    "managed_hints": "managed, hints",
    "pinned": "pinned, in place",
    "malloc": "malloc, in place",
    "prefetch_to_gpu": "prefetch to the GPU",
    "prefetch_to_host": "prefetch to the host",
    "set_read_mostly": "set ReadMostly",
    "unset_read_mostly": "unset ReadMostly",
    "set_preferred_gpu": "set PreferredLocation GPU",
    "set_preferred_host": "set PreferredLocation host",
    "unset_preferred": "unset PreferredLocation",
    "set_accessed_by_gpu": "set AccessedBy GPU",
    "set_accessed_by_host": "set AccessedBy host",
    "unset_accessed_by": "unset AccessedBy",
    "range_attribute": "ask for an attribute",
}
"""What the figures write for a way, a hint, a workload or a call. Hints have CUDA's names, as they have in the advice;
allocators are called as their users write them."""


def word(value: str) -> str:
    """What a figure writes for a value; other values have their own words, without the underscores."""
    return WORDS.get(value, value.replace("_", " "))


def called(allocator: str) -> str:
    """An allocator as its user writes it."""
    return ALLOCATORS[allocator].call


def sized(bytes: float) -> str:
    """A size in words: 64 MiB."""
    return fact("bytes", int(bytes))


def short(bytes: float) -> str:
    """A size as the tick of an axis: 64M."""
    return sized(bytes).replace(" bytes", "").replace("iB", "").replace(" ", "")


def texts(values: pd.Series, words: Callable[[Any], str] | Mapping[Any, str]) -> pd.Series:
    """What is said of values, as texts: also of none, so that they can be put together with others."""
    return values.map(words).astype("string")


def cases(results: Results, kind: str, benchmark: str, /, **wanted: object) -> pd.DataFrame:
    """The cases of a benchmark on targets of a kind, without those that a machine cannot run."""
    found = pick(results.summary, target_kind=kind, benchmark=benchmark, sampling="adaptive", **wanted)
    return found[found["status"] != "unsupported"]


def alike(frame: pd.DataFrame, *columns: str, by: Sequence[str] = ()) -> pd.DataFrame:
    """Of each machine the cases with one value of each column: what most of them share, and of several the largest.

    by: columns of whose values each has its own choice.
    """
    if frame.empty:
        return frame
    groups = ["machine", *by]
    counts = frame.groupby([*groups, *columns])["case"].size().reset_index(name="number")
    best = counts.sort_values(["number", *columns], kind="stable").groupby(groups).tail(1)
    return frame.merge(best[[*groups, *columns]], on=[*groups, *columns])


def at_largest(frame: pd.DataFrame, by: Sequence[str] = (), **of: object) -> pd.DataFrame:
    """Of each machine the cases of one size: the largest that those were measured with which `of` picks.

    by: columns of whose values each has its own choice.
    """
    groups = ["machine", *by]
    best = pick(frame, **of).groupby(groups)["size_bytes"].max().rename("largest").reset_index()
    found = frame.merge(best, on=groups)
    return found[found["size_bytes"] == found["largest"]].drop(columns="largest")


def moved(frame: pd.DataFrame) -> pd.DataFrame:
    """The cases with the bytes of their memory per second, whatever they count as operations."""
    return frame.assign(moved_per_second=frame["size_bytes"] / frame["median_seconds"])


def link_rates(results: Results) -> dict[tuple[str, str], float]:
    """(machine, direction) to the link's rate in B/s: of the plain copy of pinned memory at the largest size."""
    copies = moved(cases(results, "gpu", "transfer", way="pinned_copy"))
    copies = copies[copies["status"].isin(DRAWN)].sort_values("size_bytes")
    return {(row.machine, row.direction): row.moved_per_second for row in copies.itertuples()}


def memory_rates(results: Results) -> dict[str, float]:
    """Machine to the rate of its GPU's memory in B/s: of the last pass of reads of device memory, the largest."""
    reads = cases(results, "gpu", "access", allocator="device", processor="gpu", operation="read", pattern="sequential")
    reads = pick(reads, stride_bytes=4)
    reads = reads[reads["status"].isin(DRAWN)].sort_values(["size_bytes", "pass"])
    return {row.machine: row.bytes_per_second for row in reads.itertuples()}


def relative(frame: pd.DataFrame, column: str, base: str, by: Sequence[str], speedup: bool = False) -> pd.DataFrame:
    """The cases with the ratio of their time to that of the case which has `base` in a column and the same in `by`.

    ratio, ratio_low, ratio_high: empty where a case has no valid number, and without bounds where a budget cut one
    short before it had an interval; a case without such a partner is left out.
    speedup: of the partner's time to the case's own, so that more is faster. status and samples: the worse of both.
    """
    bases = {_key(row, by): row for row in frame[frame[column] == base].to_dict("records")}
    rows = []
    for row in frame.to_dict("records"):
        partner = bases.get(_key(row, by))
        if partner is None:
            continue
        pair = (partner, row) if speedup else (row, partner)
        ratio = over(*pair)
        status = next((one["status"] for one in pair if one["status"] not in DRAWN), None)
        status = status or ("unstable" if "unstable" in (row["status"], partner["status"]) else "ok")
        found = {"ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high}
        rows.append(row | found | {"status": status, "samples": min(one["samples"] for one in pair)})
    return pd.DataFrame(rows, columns=[*frame, "ratio", "ratio_low", "ratio_high"])


def _key(row: Mapping[str, object], by: Sequence[str]) -> tuple:
    return (row["machine"], *(row[name] for name in by))


def over(numerator: Mapping[str, object], denominator: Mapping[str, object]) -> Interval:
    """The ratio of two cases' times with its interval; NaN where one has no valid number."""
    times = [seconds(case) for case in (numerator, denominator)]
    if any(math.isnan(time.value) for time in times):
        return Interval(math.nan, math.nan, math.nan)
    if any(math.isnan(time.low) for time in times):
        return Interval(times[0].value / times[1].value, math.nan, math.nan)
    return ratio_interval(*times)


def seconds(case: Mapping[str, object]) -> Interval:
    """A case's time with its interval; NaN for what it lacks. One that a budget cut short may have no bounds."""
    names = ("median_seconds", "low_seconds", "high_seconds") if case["status"] in (*DRAWN, "skipped") else ()
    values = [math.nan if pd.isna(case[name]) else float(case[name]) for name in names]
    return Interval(*values or [math.nan] * 3)


def quoted(frame: pd.DataFrame, value: str, names: pd.Series, unit: str) -> pd.DataFrame:
    """What a paper quotes of a figure: its points under their names, without the signs that lists are parted by."""
    return pd.DataFrame(
        {
            "machine": frame["machine"],
            "quantity": names.str.replace("[,:]", "", regex=True),
            "unit": unit,
            "value": frame[value],
            "low": frame[f"{value}_low"],
            "high": frame[f"{value}_high"],
        }
    )


def winner_from(frame: pd.DataFrame, series: str) -> dict[tuple[str, str], float]:
    """(machine, panel) to the smallest x from which on a series is the fastest, beyond its interval and the others';
    without those that have none."""
    found = {}
    for key, own in frame.dropna(subset=["seconds"]).groupby(["machine", "panel"], sort=False):
        for x, there in sorted(own.groupby("x"), key=lambda item: item[0], reverse=True):
            own_high = there.loc[there["series"] == series, "seconds_high"]
            others_low = there.loc[there["series"] != series, "seconds_low"]
            if own_high.empty or others_low.empty or not own_high.iloc[0] < others_low.min():
                break
            found[key] = x
    return found


def team(threads: object) -> str:
    """A number of CPU threads in words, as the axis has it: 1 thread, a thread per CPU."""
    number, _, per = str(threads).partition("/")
    unit = "1 thread" if number == "1" else f"{number} threads"
    return f"{unit} per CPU" if per else unit


def counters(results: Results) -> pd.DataFrame:
    """The cases of one word that CPU and GPU add to, with what is drawn in words: `place`, `adders` and `where`."""
    adders = {"gpu": "the GPU alone", "cpu": "the CPU alone", "both": "both at once"}
    found = alike(cases(results, "gpu", "counter", parties=list(adders)), "adds")
    found = arrange(found, allocator=list(ALLOCATORS), scope=["device", "system"], parties=list(adders))
    where = texts(found["scope"], "{} scope on the GPU".format)
    return found.assign(place=found["allocator"].map(called), adders=found["parties"].map(adders), where=where)
