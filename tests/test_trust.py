"""The arithmetic of the trust page, on rows made by hand."""

import math

import matplotlib

matplotlib.use("agg")

import pytest

from scopemark import tables
from scopemark.trust_report import null, nvbench, repeat, source, words
from scopemark.trust_report.goals import MET, MISSED, UNCLEAR, at_least, at_most, wilson
from trust_rows import batched, cold, durations_table, nvbench_table, pairs_table, repeat_table, timing_table


def test_wilson_gives_the_published_intervals():
    # Newcombe, Statistics in Medicine 17:857, 1998, table I, method 3.
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (count, total), bounds in published.items():
        share = wilson(count, total)
        assert (round(share.low, 4), round(share.high, 4)) == bounds
    with pytest.raises(ValueError, match="nothing"):
        wilson(0, 0)


def test_a_share_is_unclear_where_only_its_interval_reaches_the_goal():
    assert [at_most(wilson(count, 200), 0.05) for count in (10, 14, 40)] == [MET, UNCLEAR, MISSED]
    assert [at_least(wilson(count, 200), 0.95) for count in (190, 186, 100)] == [MET, UNCLEAR, MISSED]


def test_the_bound_depends_on_the_duration():
    assert [nvbench.bound(seconds) for seconds in (3e-6, 19e-6, 20e-6, 1.0)] == [0.02, 0.02, 0.01, 0.01]
    assert math.isnan(nvbench.bound(2.9e-6))


def test_cold_kernels_meet_the_goal_by_the_bound_or_by_noise():
    table = nvbench_table(
        cold("short", 5e-6, 1.019),
        cold("long", 1e-3, 0.991),
        cold("noisy", 2e-3, 1.03, half=0.01, noise=0.03),
        cold("interval", 3e-3, 0.98, half=0.025),
        cold("off", 4e-3, 1.03, half=0.01, noise=0.02),
        cold("tiny", 1e-6, 2.0),
    )
    found = nvbench.checks(table, "cold").set_index("case")
    assert "tiny" not in found.index
    assert found["in_bound"].to_dict() == {
        "short": True, "long": True, "noisy": False, "interval": False, "off": False
    }  # fmt: skip
    assert found.index[found["met"]].tolist() == ["short", "long", "noisy", "interval"]
    goal = nvbench.cold_goal(table)
    assert (goal.verdict, goal.measured, goal.value) == (MISSED, "4 of 5 kernels", 0.8)
    assert "Within the bound alone: 2; or with an interval of the ratio that contains 1: 3." in goal.detail
    assert nvbench.cold_goal(nvbench_table(cold("short", 5e-6, 1.019))).verdict == MET


def test_the_wall_time_is_of_both_modes_and_grows_with_the_square_of_the_interval():
    rows = [cold("a", 1e-3, 1.0, half=0.02, nvbench_half=0.01, wall=(0.2, 10.0)), batched("a", 1e-3, 1.0, wall=0.3)]
    goal = nvbench.wall_goal(nvbench_table(*rows))
    assert goal.value == pytest.approx(0.05)
    assert goal.verdict == MET
    equal = nvbench.equal_interval_goal(nvbench_table(*rows))
    assert equal.value == pytest.approx((0.2 * 4 + 0.3) / 10)
    assert equal.verdict == MISSED
    none = nvbench.equal_interval_goal(nvbench_table(cold("a", 1e-3, 1.0, half=0.02), batched("a", 1e-3, 1.0)))
    assert none.measured == "no kernel to compare"


def test_short_kernels_take_no_part_in_the_batched_comparison():
    table = nvbench_table(
        cold("a", 4e-6, 1.0), batched("a", 20e-6, 0.2), cold("b", 1e-3, 1.0, noise=0.01), batched("b", 1e-3, 0.98)
    )
    goal = nvbench.batched_goal(table)
    assert (goal.verdict, goal.measured) == (MISSED, "0 of 1 kernels")
    assert "The other 1 kernels take 4.00 µs to 4.00 µs alone, yet 20.0 µs to 20.0 µs per launch" in goal.detail


def test_known_durations_give_their_line_back():
    line = null.fit(durations_table(offset=2e-6, slope=1.0001))
    assert (line.slope, line.offset) == (pytest.approx(1.0001), pytest.approx(2e-6))
    assert null.common_offset(durations_table()) == pytest.approx(2e-6)


def test_one_duration_off_misses_the_goal():
    assert null.durations_goal(durations_table()).verdict == MET
    goal = null.durations_goal(durations_table(extra=3e-7))
    assert (goal.verdict, goal.measured) == (MISSED, "within 300 ns")
    assert goal.value == pytest.approx(3e-7)
    assert "+500 ns from the common offset of 2.00 µs" in goal.detail


def test_equal_pairs():
    goal = null.pairs_goal(pairs_table(10, 200))
    assert (goal.verdict, goal.value, goal.measured) == (MET, 0.05, "10 of 200: 5.0 % [2.7, 9.0]")
    assert null.pairs_goal(pairs_table(40, 200)).verdict == MISSED


def test_two_runs_by_duration():
    table = repeat_table(
        (5e-6, 1.02, False, False), (5e-6, 1.03, False, False), (1e-3, 1.0, True, True), (2e-3, 1.001, False, True)
    )
    assert [(row["class"], row["cases"]) for row in repeat.by_class(table)] == [
        ("below 10 µs", 2), ("from 1 ms", 2), ("all", 4)
    ]  # fmt: skip
    assert repeat.by_class(table)[0]["quantiles"][2] == pytest.approx(0.025)
    within, different = repeat.within_goal(table), repeat.different_goal(table)
    assert (within.value, different.value) == (0.25, 0.5)
    assert "+2.50 %, and three quarters of it moved that way" in different.detail
    # 2 Phi(1.95996 / sqrt 2) - 1, by a table of the normal distribution.
    assert repeat.expected_within() == pytest.approx(0.8342, abs=5e-5)


def test_a_case_without_samples_in_a_run_is_counted_apart():
    table = repeat_table((1e-3, 1.0, True, True))
    empty = {"case": "x", "kernel": "counter__x", "samples_1": 0, "samples_2": 12}
    table = tables.make("trust_repeat", [*table.to_dict("records"), empty])
    goal = repeat.within_goal(table)
    assert goal.value == 1
    assert "1 cases have no samples in one of the runs" in goal.detail


def test_the_overhead_is_what_is_beyond_samples():
    (row, _) = repeat.where_time_goes(timing_table())
    assert row["total"] == pytest.approx(10)
    assert row["device_share"] == pytest.approx(0.5)
    assert row["waiting"] == pytest.approx(3.5)
    assert row["overhead"] == pytest.approx(0.005)
    assert repeat.overhead_goal(timing_table(prepare=0.19)).verdict == MET
    assert repeat.overhead_goal(timing_table(prepare=0.7)).verdict == MISSED


def test_cases_are_paired_with_their_adaptive_counterparts():
    rows = [
        {"case": "s", "benchmark": "counter", "kernel": "k", "iterations": 20, "sampling": "best_of_5"},
        {"case": "a", "benchmark": "counter", "kernel": "k", "iterations": 20, "sampling": "adaptive"},
        {"case": "b", "benchmark": "counter", "kernel": "k", "iterations": 64, "sampling": "adaptive"},
        {"case": "t", "benchmark": "counter", "kernel": "k", "iterations": 99, "sampling": "single_shots_3"},
    ]
    assert source.pairs(tables.make("cases", rows, ["iterations", "sampling"])) == [("s", "a")]


def test_numbers_as_words():
    assert words.duration(3.968e-6) == "3.97 µs"
    assert words.duration(0.9999e-3) == "1.00 ms"
    assert words.signed_percent(-0.02822) == "\N{MINUS SIGN}2.82 %"
    assert words.signed_percent(-1e-9) == "0.00 %"
    assert words.signed_nanoseconds(6.4e-8) == "+64 ns"
