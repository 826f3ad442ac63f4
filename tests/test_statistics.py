"""The estimators against published tables, exact arithmetic and simulation with a fixed seed."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from scopemark import statistics
from scopemark.statistics import (
    Interval,
    geometric_mean,
    interval_over_processes,
    median_interval,
    median_ranks,
    ratio_interval,
)


def coverage(n: int, rank: int) -> Fraction:
    """How often ranks r and n + 1 - r enclose the median: 1 less twice P(X < r), X binomial with p = 1/2."""
    return 1 - 2 * Fraction(sum(math.comb(n, k) for k in range(rank)), 2**n)


# The table of ranks for the median that textbooks print, at 95 %.
@pytest.mark.parametrize(
    ("n", "ranks"),
    [
        (6, (1, 6)),
        (8, (1, 8)),
        (9, (2, 8)),
        (10, (2, 9)),
        (15, (4, 12)),
        (20, (6, 15)),
        (50, (18, 33)),
        (100, (40, 61)),
    ],
)
def test_the_ranks_of_the_published_table(n, ranks):
    assert median_ranks(n) == ranks


def test_ten_samples_cover_97_9_percent():
    assert round(float(coverage(10, median_ranks(10)[0])), 3) == 0.979


@pytest.mark.parametrize("n", range(1, 6))
def test_below_six_samples_there_is_no_interval(n):
    assert median_ranks(n) is None
    interval = median_interval([1.0] * n)
    assert interval.value == 1
    assert math.isnan(interval.low)
    assert interval.relative_half_width == math.inf


@pytest.mark.parametrize("n", [6, 7, 25, 200, 500, 2000])
def test_the_ranks_are_the_narrowest_that_cover(n):
    rank = median_ranks(n)[0]
    assert coverage(n, rank) >= Fraction(95, 100)
    assert coverage(n, rank + 1) < Fraction(95, 100)


def test_another_confidence_needs_more_samples():
    # 1 - 2/2^n reaches 99 % at n = 8.
    assert median_ranks(7, 0.99) is None
    assert median_ranks(8, 0.99) == (1, 8)


@pytest.mark.parametrize("n", [10_001, 12_345, 20_000])
def test_the_approximation_is_at_most_one_rank_wider(n, monkeypatch):
    approximate = median_ranks(n)
    monkeypatch.setattr(statistics, "EXACT_UP_TO", n)
    exact = median_ranks.__wrapped__(n)
    assert exact[0] - 1 <= approximate[0] <= exact[0]
    assert sum(approximate) == n + 1


def test_the_median_is_the_mean_of_the_middle_two():
    assert median_interval([4.0, 1.0, 3.0, 2.0]).value == 2.5
    assert median_interval([3.0, 1.0, 2.0]).value == 2


def test_the_interval_is_made_of_order_statistics():
    samples = [float(value) for value in range(10, 0, -1)]
    assert median_interval(samples) == Interval(5.5, 2.0, 9.0)


def test_no_samples_have_no_median():
    with pytest.raises(ValueError, match="no samples"):
        median_interval([])


def test_the_interval_covers_a_skewed_distribution_as_often_as_it_says():
    """2000 intervals of 12 exponential samples; the median is ln 2, the coverage of ranks 3 and 10 is 96.1 %."""
    rng = random.Random(1)
    hits = 0
    for _ in range(2000):
        interval = median_interval([rng.expovariate(1) for _ in range(12)])
        hits += interval.low <= math.log(2) <= interval.high
    exact = float(coverage(12, 3))
    assert exact == pytest.approx(0.961, abs=5e-4)
    assert hits / 2000 == pytest.approx(exact, abs=3 * math.sqrt(exact * (1 - exact) / 2000))


def test_a_ratio_to_an_exact_number_is_the_interval_divided():
    ratio = ratio_interval(Interval(12, 10, 15), Interval(2, 2, 2))
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((6, 5, 7.5))


def test_the_inverse_ratio_has_the_inverse_interval():
    a, b = Interval(12, 10, 15), Interval(3, 2.5, 4)
    ratio, inverse = ratio_interval(a, b), ratio_interval(b, a)
    assert (1 / inverse.value, 1 / inverse.high, 1 / inverse.low) == pytest.approx((ratio.value, ratio.low, ratio.high))


def test_equal_relative_errors_combine_in_quadrature():
    """Both within a factor of 2 of 1: the ratio is within 2 to the power of the square root of 2."""
    ratio = ratio_interval(Interval(1, 0.5, 2), Interval(1, 0.5, 2))
    assert (ratio.low, ratio.high) == pytest.approx((2 ** -math.sqrt(2), 2 ** math.sqrt(2)))


def test_a_ratio_takes_the_bounds_that_pull_the_same_way():
    """Down: the numerator's lower bound (a factor of 2) and the denominator's upper one (none)."""
    ratio = ratio_interval(Interval(8, 4, 8), Interval(1, 0.25, 1))
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((8, 4, 32))


def test_without_an_interval_the_ratio_has_none():
    ratio = ratio_interval(Interval(6, math.nan, math.nan), Interval(2, 1, 3))
    assert ratio.value == 3
    assert math.isnan(ratio.low)
    assert math.isnan(ratio.high)


def test_the_ratio_of_medians_is_covered():
    """Two lognormal samples with medians 3 and 2: each interval covers at least 95 %, and so must their ratio."""
    rng = random.Random(2)
    hits = 0
    for _ in range(1000):
        a = median_interval([3 * rng.lognormvariate(0, 0.3) for _ in range(20)])
        b = median_interval([2 * rng.lognormvariate(0, 0.1) for _ in range(20)])
        ratio = ratio_interval(a, b)
        hits += ratio.low <= 1.5 <= ratio.high
    assert hits / 1000 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 1000)


def test_each_process_counts_once_by_its_median():
    processes = [[1, 2, 90], [3, 3, 3, 3], [4], [5, 5], [6, 6, 7], [8]]
    # Medians 2, 3, 4, 5, 6, 8; of six, the extremes enclose the median with 1 - 2 / 2^6 = 96.9 %.
    assert interval_over_processes(processes) == Interval(4.5, 2, 8)


def test_too_few_processes_are_taken_together():
    samples = [5.0, 1.0, 2.0, 4.0, 3.0, 6.0]
    assert interval_over_processes([samples]) == median_interval(samples) == Interval(3.5, 1, 6)
    assert interval_over_processes([[value] for value in samples[:5]]).value == 3.0
    with pytest.raises(ValueError, match="no samples"):
        interval_over_processes([])


def test_what_differs_between_processes_is_covered():
    """Processes differ by a standard deviation of 3 %, samples of one by 1 %: only the processes are independent."""
    rng = random.Random(5)
    over_processes, pooled = 0, 0
    for _ in range(1000):
        places = [rng.gauss(0, 0.03) for _ in range(6)]
        processes = [[math.exp(place + rng.gauss(0, 0.01)) for _ in range(6)] for place in places]
        hits = [interval_over_processes(processes), median_interval([v for samples in processes for v in samples])]
        over_processes += hits[0].low <= 1 <= hits[0].high
        pooled += hits[1].low <= 1 <= hits[1].high
    assert over_processes / 1000 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 1000)
    assert pooled / 1000 < 0.8


def test_the_relative_half_width():
    assert Interval(10, 9, 11).relative_half_width == pytest.approx(0.1)


def test_the_geometric_mean():
    assert geometric_mean([1, 4, 16]) == pytest.approx(4)
