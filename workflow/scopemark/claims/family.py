"""What keeps one noisy comparison of many from deciding a claim: intervals that hold together, and caution with noise.

A claim that makes m comparisons, each with an interval of 95 %, would be wrong in one of them far more often than in
5 %. So each interval is given 1 - 0.05/m (Bonferroni: Dunn, Journal of the American Statistical Association 56:52,
1961), and all of them hold at once with 95 %. The summary has no interval but that of 95 %: its distances from the
value, on the logarithmic scale, are stretched by the ratio of the normal quantiles.

A case that ended `unstable` has a median that may sit in either of two speeds, or had time for a few samples only. It
is judged by all that was seen of it, from its fastest to its slowest sample, in place of its median's interval: so it
decides only what every one of its samples would, and leaves the rest unresolved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

from scopemark.quantities import Pair, plain
from scopemark.statistics import Interval

CONFIDENCE = 0.95


def stretch(comparisons: int) -> float:
    """By what the distances to the bounds grow, so that so many intervals hold together as one does.

    >>> [round(stretch(m), 3) for m in (1, 2, 10)]
    [1.0, 1.144, 1.432]
    """
    normal, missed = NormalDist(), 1 - CONFIDENCE
    return normal.inv_cdf(1 - missed / (2 * comparisons)) / normal.inv_cdf(1 - missed / 2)


def widened(interval: Interval, comparisons: int) -> Interval:
    """The interval of a positive estimate that is one of so many; one without bounds as it is."""
    if math.isnan(interval.low):
        return interval
    value, factor = interval.value, stretch(comparisons)
    return Interval(value, value * (interval.low / value) ** factor, value * (interval.high / value) ** factor)


def together(pairs: Sequence[Pair]) -> list[Pair]:
    """A claim's comparisons with intervals that hold together with 95 %."""
    return [replace(pair, ratio=widened(pair.ratio, len(pairs))) for pair in pairs]


def cautious(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of the summary, in which an unstable case's interval reaches from its fastest to its slowest sample."""
    return [_whole_range(row) if row["status"] == "unstable" else row for row in rows]


def _whole_range(row: Mapping[str, Any]) -> Mapping[str, Any]:
    fastest, slowest = (plain(row.get(f"{end}_seconds")) for end in ("minimum", "maximum"))
    if plain(row.get("low_seconds")) is None or None in (fastest, slowest):
        return row
    found = {**row, "low_seconds": fastest, "high_seconds": slowest}
    if (operations := plain(row.get("operations"))) is not None:
        found |= {"operations_per_second_low": operations / slowest, "operations_per_second_high": operations / fastest}
    return found


def with_unstable(pairs: Sequence[Pair]) -> str:
    """How many of a claim's comparisons have an unstable case, in words; empty if none."""
    number = sum("unstable" in (pair.a["status"], pair.b["status"]) for pair in pairs)
    if not number:
        return ""
    if len(pairs) == 1:
        return "one of its cases is unstable"
    return f"{'each has' if number == len(pairs) else f'{number:,} of {len(pairs):,} have'} an unstable case"
