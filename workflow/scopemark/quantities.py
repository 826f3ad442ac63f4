"""Quantities over the summary table: which rows a condition names, and ratios over matched pairs of them.

A condition maps axes to what they must be: a value, a list of accepted values, bounds as {at_least: 0.5}, or how it
begins, as {begins: cold_shots}. Two rows make a pair when they are equal in every parameter and in the toolchain, but
for the parameters that a quantity varies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scopemark.benchmark import Benchmark
from scopemark.report.format import interval as duration
from scopemark.statistics import Interval, added, ratio_interval

Condition = Mapping[str, Any]
USABLE = ("ok", "unstable")
"""The statuses whose times count. An unstable case has a wide interval, which speaks for itself."""


@dataclass(frozen=True)
class Pair:
    """Two matched rows of the summary, and the ratio of their throughputs: above 1, `a` is the faster.

    same: the parameters they share, in the order of the axes.
    """

    a: Mapping[str, Any]
    b: Mapping[str, Any]
    same: Mapping[str, Any]
    ratio: Interval


def plain(value: Any) -> Any:
    """A table's or a YAML file's value in one form, so that the two compare: None, int, float or text.

    A column of counts holds "896" beside "32/sm"; the same count alone reads back as the number 896.
    """
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    try:
        number = float(value)
    except ValueError:
        return str(value)
    return int(number) if number.is_integer() else number


def meets(value: Any, wanted: Any) -> bool:
    """Whether a value of an axis is what a condition wants of it."""
    value = plain(value)
    if isinstance(wanted, Mapping) and "begins" in wanted:
        return str(value).startswith(wanted["begins"])
    if isinstance(wanted, Mapping):
        return (
            isinstance(value, (int, float))
            and value >= wanted.get("at_least", -math.inf)
            and value <= wanted.get("at_most", math.inf)
        )
    return value in [plain(one) for one in (wanted if isinstance(wanted, list) else [wanted])]


def select(rows: Iterable[Mapping[str, Any]], condition: Condition) -> list[Mapping[str, Any]]:
    """The rows that meet every part of a condition."""
    found = list(rows)
    for axis, wanted in condition.items():
        # A long table has few values of an axis: each is judged once.
        judged: dict[Any, bool] = {}
        kept = []
        for row in found:
            value = row.get(axis)
            if value not in judged:
                judged[value] = meets(value, wanted)
            if judged[value]:
                kept.append(row)
        found = kept
    return found


def throughput(row: Mapping[str, Any]) -> Interval | None:
    """Operations per second with their interval; None unless the row was measured and has one."""
    names = ("operations_per_second", "operations_per_second_low", "operations_per_second_high")
    values = [row.get(name) for name in names]
    if row["status"] not in USABLE or any(plain(value) is None for value in values):
        return None
    return Interval(*map(float, values))


def bandwidth(row: Mapping[str, Any]) -> Interval | None:
    """Bytes per second with their interval."""
    found = speed(row)
    if found is None or not plain(row.get("bytes")):
        return None
    return Interval(*(float(row["bytes"]) * rate for rate in (found.value, found.low, found.high)))


def speed(row: Mapping[str, Any]) -> Interval | None:
    """Runs per second with their interval, whatever a run does: what takes less time has more of it."""
    values = [row.get(name) for name in ("median_seconds", "high_seconds", "low_seconds")]
    if row["status"] not in USABLE or any(plain(value) is None for value in values):
        return None
    return Interval(*(1 / float(value) for value in values))


ESTIMATES: dict[str, Callable[[Mapping[str, Any]], Interval | None]] = {
    "operations": throughput,
    "bytes": bandwidth,
    "seconds": speed,
    "latency": throughput,
}
"""What a comparison may be of. latency is that of one operation, the inverse of how many there are in a second."""


def fastest(row: Mapping[str, Any]) -> Interval | None:
    """Operations per second of the fastest sample, the book's estimator: it has no interval."""
    value = plain(row.get("operations_per_second_best"))
    return None if row["status"] not in USABLE or value is None else Interval(value, math.nan, math.nan)


def matched_pairs(
    rows: Sequence[Mapping[str, Any]],
    benchmark: Benchmark,
    a: Condition,
    b: Condition,
    estimate: Callable[[Mapping[str, Any]], Interval | None] = throughput,
) -> list[Pair]:
    """The pairs of rows of one run and target, one row meeting `a` and the other `b`.

    Rows without an estimate make none. Pairs come in the order of the shared parameters, so that the same rows in
    another order give the same list.
    """
    varied = {*a, *b}
    shared = [axis.name for axis in benchmark.all_axes if axis.name not in varied]
    partners: dict[tuple, list] = {}
    for row in select(rows, b):
        if (interval := estimate(row)) is not None:
            partners.setdefault(_key(row, shared), []).append((row, interval))
    pairs = []
    for row in select(rows, a):
        interval = estimate(row)
        for other, base in partners.get(_key(row, shared), []) if interval is not None else []:
            if other["case"] != row["case"]:
                same = {name: plain(row.get(name)) for name in shared}
                pairs.append(Pair(row, other, same, ratio_interval(interval, base)))
    return sorted(pairs, key=lambda pair: _order([*pair.same.values(), *_values(pair.a, a), *_values(pair.b, b)]))


def overlap_pairs(
    rows: Sequence[Mapping[str, Any]], benchmark: Benchmark, together: Condition, apart: Condition
) -> list[Pair]:
    """The pairs of a row that meets `together` and all that meet `apart` and share its other parameters, as one.

    The one takes the sum of their times, so that a ratio above 1 tells what doing them at once saves. `apart` has one
    axis with a list of values; where a value is lacking there is no pair.
    """
    ((axis, parts),) = apart.items()
    shared = [name.name for name in benchmark.all_axes if name.name not in {*together, axis}]
    found: dict[tuple, dict[Any, Mapping[str, Any]]] = {}
    for row in select(rows, apart):
        if speed(row) is not None:
            found.setdefault(_key(row, shared), {})[row[axis]] = row
    pairs = []
    for row in select(rows, together):
        own, others = speed(row), found.get(_key(row, shared), {})
        if own is None or set(others) != set(parts):
            continue
        members = [others[part] for part in parts]
        total = added([_seconds(member) for member in members])
        joined = {**members[0], axis: " + ".join(map(str, parts)), "case": " ".join(one["case"] for one in members)}
        joined |= {"median_seconds": total.value, "low_seconds": total.low, "high_seconds": total.high}
        same = {name: plain(row.get(name)) for name in shared}
        pairs.append(Pair(row, joined, same, ratio_interval(total, _seconds(row))))
    return sorted(pairs, key=lambda pair: _order(pair.same.values()))


def _seconds(row: Mapping[str, Any]) -> Interval:
    return Interval(*(float(row[f"{name}_seconds"]) for name in ("median", "low", "high")))


def rival_pairs(
    rows: Sequence[Mapping[str, Any]], own: Benchmark, rival: Benchmark, a: Condition, b: Condition
) -> list[Pair]:
    """At every point of the axes that two benchmarks share, the fastest row that meets `a` and the fastest of `b`."""
    theirs = {axis.name for axis in rival.all_axes}
    shared = [axis.name for axis in own.all_axes if axis.name in theirs]
    best: list[dict[tuple, tuple]] = [{}, {}]
    for found, condition in zip(best, (a, b), strict=True):
        for row in select(rows, condition):
            key, interval = _key(row, shared), throughput(row)
            if interval is not None and (key not in found or interval.value > found[key][1].value):
                found[key] = row, interval
    pairs = [
        Pair(row, best[1][key][0], dict(zip(shared, key[1:], strict=True)), ratio_interval(interval, best[1][key][1]))
        for key, (row, interval) in best[0].items()
        if key in best[1]
    ]
    return sorted(pairs, key=lambda pair: _order([pair.a["toolchain"], *pair.same.values()]))


def _key(row: Mapping[str, Any], shared: Sequence[str]) -> tuple:
    return (row["toolchain"], *(plain(row.get(name)) for name in shared))


def _values(row: Mapping[str, Any], axes: Iterable[str]) -> list[Any]:
    return [plain(row.get(axis)) for axis in axes]


def _order(values: Iterable[Any]) -> list[tuple]:
    """A sort key for values of mixed kinds: numbers by size, then texts."""
    return [(0, value, "") if isinstance(value, (int, float)) else (1, 0, str(value)) for value in values]


def crossover(pairs: Sequence[Pair], axis: str, ahead: Callable[[Interval], bool]) -> Any | None:
    """The smallest value of a shared axis from which on every pair's ratio is `ahead`; None if there is none."""
    found = None
    for value in sorted({pair.same[axis] for pair in pairs}, reverse=True):
        if not all(ahead(pair.ratio) for pair in pairs if pair.same[axis] == value):
            break
        found = value
    return found


def differing(pairs: Sequence[Pair]) -> list[str]:
    """The shared axes in which the pairs differ among themselves."""
    if not pairs:
        return []
    return [axis for axis in pairs[0].same if len({pair.same[axis] for pair in pairs}) > 1]


def differing_axes(rows: Sequence[Mapping[str, Any]], axes: Sequence[str]) -> list[str]:
    """Of some axes those in which the rows differ among themselves."""
    return [axis for axis in axes if len({plain(row.get(axis)) for row in rows}) > 1]


BUDGET = "time budget: "
"""How the reason of a case begins that was too slow for the time it had."""


def too_slow(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many of the rows their time budget cut short before they had an interval, and after how many samples, in
    words; empty if none."""
    slow = [row for row in rows if row["status"] == "skipped" and str(plain(row.get("reason"))).startswith(BUDGET)]
    if not slow:
        return ""
    cases = "one case was" if len(slow) == 1 else f"{len(slow):,} cases were"
    of = "" if len(slow) == 1 else "the first: "
    return f"{cases} too slow for the time budget ({of}{_cut_short(slow[0])})"


def _cut_short(row: Mapping[str, Any]) -> str:
    took = plain(row.get("median_seconds"))
    each = f", each {duration(took, math.nan, math.nan, 's')}" if took is not None else ""
    return f"{str(row['reason']).removeprefix(BUDGET)}{each}"


def why_no_pairs(
    rows: Sequence[Mapping[str, Any]],
    a: Condition,
    b: Condition,
    estimate: Callable[[Mapping[str, Any]], Interval | None] = throughput,
) -> str:
    """Why the rows of a family make no pair, in words for a report."""
    sides = select(rows, a), select(rows, b)
    if not all(sides):
        return "the preset did not measure it"
    for side in sides:
        if not any(row["status"] in USABLE for row in side):
            if slow := too_slow(side):
                return slow
            reason = f": {side[0]['reason']}" if plain(side[0].get("reason")) is not None else ""
            return f"its cases have no result ({side[0]['status']}{reason})"
        if not any(estimate(row) for row in side):
            return "its cases have too few samples for an interval"
    return "the preset measured no two cases that differ in nothing else"
