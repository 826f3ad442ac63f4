"""A goal against what was measured, and how a share is judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from scopemark.statistics import Interval

MET, MISSED, UNCLEAR, STATED = "met", "missed", "unclear", "no goal"


@dataclass(frozen=True)
class Goal:
    """One row of the verdict table, for one run.

    goal: its id. asked: what is wanted, in words. value, low, high: the number that decides, with its 95 % interval
    where it has one, in `unit`. measured: that number as a reader wants it. detail: what else there is to say.
    """

    goal: str
    asked: str
    verdict: str
    value: float
    unit: str
    measured: str
    detail: str
    low: float = math.nan
    high: float = math.nan


def wilson(count: int, total: int) -> Interval:
    """A share with its 95 % interval by Wilson's score. ValueError for a share of nothing.

    Source: Wilson 1927; method 3 of Newcombe, Statistics in Medicine 17:857, 1998.
    """
    if total < 1:
        raise ValueError("a share of nothing")
    z = NormalDist().inv_cdf(0.975)
    share = count / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def at_most(share: Interval, bound: float) -> str:
    """The verdict on a share that should not exceed a bound: unclear where only its interval reaches down to it."""
    return MET if share.value <= bound else UNCLEAR if share.low <= bound else MISSED


def at_least(share: Interval, bound: float) -> str:
    """The verdict on a share that should reach a bound: unclear where only its interval reaches up to it."""
    return MET if share.value >= bound else UNCLEAR if share.high >= bound else MISSED
