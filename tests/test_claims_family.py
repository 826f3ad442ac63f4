"""Many comparisons of one claim: intervals that hold together, and what an unstable case may decide; by arithmetic."""

from __future__ import annotations

import math
import random

import pytest

from claim_rows import EXPERIMENT, GPU, row
from scopemark.claims.definitions import load_claims
from scopemark.claims.family import cautious, stretch, widened
from scopemark.claims.judge import Place, judge
from scopemark.statistics import Interval

SA5 = load_claims("scoped_atomics")["SA5"]
ORDERS = ("acquire", "release", "acq_rel", "seq_cst")


def verdict(rows):
    return judge(SA5, EXPERIMENT, Place("here", "gpu0", GPU), rows)


def timed(median, fastest, slowest, status="ok", **parameters):
    """A case of 1000 operations whose median's interval is 1 % to both sides, from its seconds."""
    found = row(status=status, per_second=(1000 / median, 1000 / median / 1.01, 1000 / median * 1.01), **parameters)
    times = {"median": median, "low": median / 1.01, "high": median * 1.01, "minimum": fastest, "maximum": slowest}
    return found | {"operations": 1000} | {f"{name}_seconds": value for name, value in times.items()}


def test_one_comparison_keeps_its_interval():
    assert stretch(1) == 1
    assert widened(Interval(2.0, 1.5, 3.0), 1) == Interval(2.0, 1.5, 3.0)


# The two-sided quantiles of the normal distribution, from its tables: 97.5 % 1.95996, 98.75 % 2.24140, 99.5 % 2.57583.
@pytest.mark.parametrize(("comparisons", "quantile"), [(2, 2.24140), (5, 2.57583)])
def test_the_distances_grow_by_the_ratio_of_the_quantiles(comparisons, quantile):
    assert stretch(comparisons) == pytest.approx(quantile / 1.95996, rel=1e-5)
    found = widened(Interval(1.0, 0.5, 4.0), comparisons)
    assert math.log(found.low) / math.log(0.5) == pytest.approx(quantile / 1.95996, rel=1e-5)
    assert math.log(found.high) / math.log(4.0) == pytest.approx(quantile / 1.95996, rel=1e-5)


def test_an_interval_without_bounds_stays_without():
    assert math.isnan(widened(Interval(2.0, math.nan, math.nan), 9).low)


def test_together_the_intervals_miss_in_one_of_twenty_families():
    """Normal estimates of equal things, 20 to a family: without the widening 64 % of the families hold a miss."""
    draw, families, comparisons = random.Random(7), 2000, 20
    missed = {False: 0, True: 0}
    for _ in range(families):
        errors = [draw.gauss(0, 0.01) for _ in range(comparisons)]
        own = [Interval(math.exp(e), math.exp(e - 0.0196), math.exp(e + 0.0196)) for e in errors]
        for wide in missed:
            ratios = [widened(one, comparisons) if wide else one for one in own]
            missed[wide] += any(not one.low <= 1 <= one.high for one in ratios)
    assert missed[False] / families == pytest.approx(1 - 0.95**comparisons, abs=0.05)
    assert missed[True] / families == pytest.approx(0.05, abs=0.02)


def test_one_of_many_comparisons_has_to_be_clearer_to_contradict():
    # 0.92 with a distance of 3 % to the bound: alone beyond 0.95, but not stretched by 1.274, as one of four is.
    slow = {"per_second": (0.92, 0.92 / 1.001, 0.92 * 1.03)}
    others = [row(order=order) for order in ORDERS[:3]]
    alone = verdict(
        [row(**slow | {"per_second": (92.0, 92 / 1.001, 92 * 1.03)}), row(order="seq_cst", per_second=100.0)]
    )
    assert alone.verdict == "contradicted"
    of_four = [row(order="relaxed", per_second=100.0), *others, row(order="seq_cst", per_second=100 / 0.92)]
    of_four[-1] |= {"operations_per_second_low": 100 / 0.92 / 1.03, "operations_per_second_high": 100 / 0.92 * 1.001}
    found = verdict(of_four)
    assert (found.verdict, found.pairs, found.holding) == ("unresolved", 4, 3)
    assert found.ratio.high == pytest.approx(0.92 * 1.03**1.2743, rel=1e-4)  # 2.4977 / 1.95996


def test_an_unstable_case_decides_only_what_all_its_samples_would():
    base = timed(1.0, 0.99, 1.01, order="relaxed")
    # Relaxed at half the speed of seq_cst, whose slowest sample is slower than all of relaxed.
    noisy = timed(0.5, 0.45, 1.5, "unstable", order="seq_cst")
    assert verdict([base, noisy | {"status": "ok"}]).verdict == "contradicted"
    found = verdict([base, noisy])
    assert (found.verdict, found.holding) == ("unresolved", 0)
    assert found.detail.endswith("; one of its cases is unstable.")
    assert found.ratio.low > 0.48  # what is shown is the interval of the median
    clear = timed(0.5, 0.45, 0.6, "unstable", order="seq_cst")
    assert verdict([base, clear]).verdict == "contradicted"
    slow = timed(2.0, 1.5, 90.0, "unstable", order="seq_cst")
    assert verdict([base, slow]).verdict == "holds"


def test_an_unstable_row_is_judged_from_its_fastest_to_its_slowest_sample():
    stable, noisy = timed(1.0, 0.5, 4.0), timed(1.0, 0.5, 4.0, "unstable")
    assert cautious([stable]) == [stable]
    (found,) = cautious([noisy])
    assert (found["low_seconds"], found["high_seconds"]) == (0.5, 4.0)
    assert (found["operations_per_second_low"], found["operations_per_second_high"]) == (250, 2000)
    assert noisy["low_seconds"] != 0.5  # the row itself is left as it was


def test_how_many_comparisons_have_an_unstable_case_is_told():
    rows = [timed(1.0, 0.99, 1.01, order="relaxed")]
    rows += [timed(1.0, 0.99, 1.01, "unstable" if order == "release" else "ok", order=order) for order in ORDERS]
    assert verdict(rows).detail.endswith("; 1 of 4 have an unstable case.")
