"""Verdicts: from a ratio's 95 % interval, and from those of a family of comparisons.

A relation is never judged by the point estimate alone. With B the equality band 0.95…1.05:

========== ====================== ============================================================
relation   holds                  contradicted
========== ====================== ============================================================
greater    interval above 1       interval below 1, or inside B and around 1: equality is shown
equal      interval inside B      interval outside B
no_slower  low bound above 0.95   high bound below 0.95
no_faster  high bound below 1.05  low bound above 1.05
different  interval outside B     interval inside B
========== ====================== ============================================================

Everything else is unresolved. A family holds if every comparison does and is contradicted if any is. Its intervals
hold together with 95 %, whatever the number of comparisons: `claims.family` widens them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scopemark.statistics import Interval

HOLDS, CONTRADICTED, UNRESOLVED, NOT_TESTABLE = "holds", "contradicted", "unresolved", "not testable here"
VERDICTS = (HOLDS, CONTRADICTED, UNRESOLVED, NOT_TESTABLE)
"""In the order in which the report counts them."""
BAND = (0.95, 1.05)
"""Ratios inside it are called equal."""


def inside_band(ratio: Interval) -> bool:
    """Whether the interval shows equality; its ends belong to the band."""
    return BAND[0] <= ratio.low and ratio.high <= BAND[1]


def greater(ratio: Interval) -> str:
    """A > B."""
    if ratio.low > 1:
        return HOLDS
    return CONTRADICTED if ratio.high < 1 or inside_band(ratio) else UNRESOLVED


def equal(ratio: Interval) -> str:
    """A ≈ B."""
    if inside_band(ratio):
        return HOLDS
    return CONTRADICTED if ratio.high < BAND[0] or ratio.low > BAND[1] else UNRESOLVED


def no_slower(ratio: Interval) -> str:
    """A is as fast as B or faster: what is lost, if anything, is less than the band."""
    if ratio.low > BAND[0]:
        return HOLDS
    return CONTRADICTED if ratio.high < BAND[0] else UNRESOLVED


def no_faster(ratio: Interval) -> str:
    """A is as slow as B or slower: what is gained, if anything, is less than the band."""
    if ratio.high < BAND[1]:
        return HOLDS
    return CONTRADICTED if ratio.low > BAND[1] else UNRESOLVED


def different(ratio: Interval) -> str:
    """Not A ≈ B."""
    return {HOLDS: CONTRADICTED, CONTRADICTED: HOLDS}.get(equal(ratio), UNRESOLVED)


RELATIONS: dict[str, Callable[[Interval], str]] = {
    "greater": greater,
    "equal": equal,
    "no_slower": no_slower,
    "no_faster": no_faster,
    "different": different,
}
"""The relations of ratios, by their name in a claim."""


@dataclass(frozen=True)
class FamilyVerdict:
    """The verdict on a family, the index of the comparison that decides it, and the verdict on each."""

    verdict: str
    deciding: int
    verdicts: Sequence[str]


def family_verdict(verdicts: Sequence[str]) -> str:
    """holds if all do, contradicted if any is, or else unresolved. ValueError for an empty family."""
    if not verdicts:
        raise ValueError("the verdict on no comparisons")
    if CONTRADICTED in verdicts:
        return CONTRADICTED
    return HOLDS if all(verdict == HOLDS for verdict in verdicts) else UNRESOLVED


def judge_ratios(relation: str, ratios: Sequence[Interval], bounds: Sequence[Interval] | None = None) -> FamilyVerdict:
    """The verdict on a family of ratios, by their intervals, or by other `bounds` of them that are wider.

    The deciding comparison is, of those with the family's verdict, the one whose ratio is least favourable: the
    smallest, or where no gain is claimed the largest; for equality the one farthest from 1, and for difference the one
    nearest to it.
    """
    verdicts = [RELATIONS[relation](ratio) for ratio in bounds or ratios]
    verdict = family_verdict(verdicts)
    candidates = [index for index, one in enumerate(verdicts) if one == verdict]
    if relation == "equal":
        deciding = max(candidates, key=lambda index: abs(math.log(ratios[index].value)))
    elif relation == "different":
        deciding = min(candidates, key=lambda index: abs(math.log(ratios[index].value)))
    else:
        pick = max if relation == "no_faster" else min
        deciding = pick(candidates, key=lambda index: ratios[index].value)
    return FamilyVerdict(verdict, deciding, verdicts)
