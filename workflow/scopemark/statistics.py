"""Estimators: the median with a distribution-free interval, and the ratio of two medians.

The reasons are in docs/statistics.md. Nothing here needs more than the standard library: the stop rule runs between
samples.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

EXACT_UP_TO = 10_000
"""Samples up to which the ranks of the median's interval are counted exactly: the integers grow with their number."""


@dataclass(frozen=True)
class Interval:
    """A value and its 95 % interval; the bounds are NaN where there are too few samples to give one."""

    value: float
    low: float
    high: float

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width as a share of the value; infinite where there is no interval."""
        width = (self.high - self.low) / 2
        return math.inf if math.isnan(width) or self.value == 0 else width / self.value


@functools.cache
def median_ranks(n: int, confidence: float = 0.95) -> tuple[int, int] | None:
    """The ranks (from 1) of the order statistics that enclose the median with at least that confidence.

    The number of samples below the median is binomial with p = 1/2 whatever the distribution, so the interval between
    ranks r and n + 1 - r misses it with twice the probability of fewer than r successes. None below 6 samples, where
    even the extremes enclose the median too seldom.
    Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
    """
    if n > EXACT_UP_TO:
        # The normal approximation, rounded outwards: wider than the exact interval by one rank at the most.
        half_width = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(n) / 2
        rank = math.floor(n / 2 - half_width)
        return rank, n + 1 - rank
    # In units of 2^-n, so that every number is exact: `below` counts the outcomes with fewer than `rank` successes.
    allowed = (1 - Fraction(str(confidence))) / 2 * 2**n
    below, rank, outcomes = 0, 0, 1
    while below + outcomes <= allowed:
        below += outcomes
        outcomes = outcomes * (n - rank) // (rank + 1)
        rank += 1
    return None if rank == 0 else (rank, n + 1 - rank)


def median_interval(values: Sequence[float]) -> Interval:
    """The sample median with its 95 % interval by order statistics. ValueError for no values."""
    ordered = sorted(values)
    n = len(ordered)
    if n == 0:
        raise ValueError("the median of no samples")
    median = ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2
    ranks = median_ranks(n)
    if ranks is None:
        return Interval(median, math.nan, math.nan)
    return Interval(median, ordered[ranks[0] - 1], ordered[ranks[1] - 1])


def make_an_interval(processes: int) -> bool:
    """Whether there are so many processes that each can count once, by its median."""
    return median_ranks(processes) is not None


def interval_over_processes(processes: Sequence[Sequence[float]]) -> Interval:
    """The median of what several processes measured, each a sequence of samples, with its 95 % interval.

    A process places memory, streams and clocks anew, and its samples share what came of it: they are no independent
    ones. So each process counts once, by its median. Where there are too few processes for that, their samples are
    taken together, and the interval tells of one process or a few. ValueError for no samples.
    """
    if not make_an_interval(len(processes)):
        return median_interval([value for samples in processes for value in samples])
    return median_interval([median_interval(samples).value for samples in processes])


def ratio_interval(numerator: Interval, denominator: Interval) -> Interval:
    """The ratio of two independent positive estimates with its 95 % interval.

    The distances to the bounds are combined in quadrature on the logarithmic scale, which keeps the intervals'
    asymmetry (MOVER: Zou and Donner, Statistics in Medicine 27:1693, 2008).
    """
    value = numerator.value / denominator.value
    down = math.hypot(math.log(numerator.value / numerator.low), math.log(denominator.high / denominator.value))
    up = math.hypot(math.log(numerator.high / numerator.value), math.log(denominator.value / denominator.low))
    return Interval(value, value * math.exp(-down), value * math.exp(up))


def added(parts: Sequence[Interval]) -> Interval:
    """The sum of independent estimates with its 95 % interval: the distances to the bounds add in quadrature."""
    value = math.fsum(part.value for part in parts)
    down = math.hypot(*(part.value - part.low for part in parts))
    up = math.hypot(*(part.high - part.value for part in parts))
    return Interval(value, value - down, value + up)


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive values."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))
