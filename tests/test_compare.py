"""Two stored runs: the ratio and its verdict by arithmetic, and what is confirmed."""

import math

import pandas as pd
import pytest

from compare_runs import EXACT, compared
from scopemark.compare.page import finding
from scopemark.compare.runs import (
    Thresholds,
    binomial_tail,
    compare_code,
    compare_groups,
    regressions,
    smallest_told,
    status_changes,
    verdict,
)
from scopemark.statistics import Interval


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.021, 1.5, "slower"),
        (1.02, 1.5, "unclear"),  # at the edge of the band
        (0.5, 0.979, "faster"),
        (0.98, 1.02, "same"),
        (0.979, 1.01, "unclear"),
        (0.9, 1.1, "unclear"),
        (1.001, 1.019, "same"),  # not 1, and too near to it to matter
    ],
)
def test_the_verdict_follows_from_the_interval_and_the_band(low, high, expected):
    assert verdict(Interval(math.sqrt(low * high), low, high), EXACT) == expected


def test_the_ratio_of_the_medians_and_its_interval(tmp_path):
    row = compared(tmp_path, {"a": {"us": 100}}, {"a": {"us": 150}}).loc["a"]
    assert row["ratio"] == pytest.approx(1.5)
    # Both medians are ± 3 %; on the logarithmic scale the distances are combined in quadrature.
    assert row["low"] == pytest.approx(1.5 * math.exp(-math.hypot(math.log(1 / 0.97), math.log(1.03))))
    assert row["high"] == pytest.approx(1.5 * math.exp(math.hypot(math.log(1.03), math.log(1 / 0.97))))
    assert (row["verdict"], row["confirmed"]) == ("slower", "unknown")


def test_every_interval_is_widened_by_the_offset(tmp_path):
    """4 µs against 4.4 µs, both ± 1 %: 10 % slower, unless a process may add 0.1 µs, which is 2.5 % of each."""
    base, new = {"a": {"us": 4, "spread": 0.01 / 3}}, {"a": {"us": 4.4, "spread": 0.01 / 3}}
    assert compared(tmp_path, base, new).loc["a", "verdict"] == "slower"
    row = compared(tmp_path, base, new, Thresholds(0.02, 0.2e-6)).loc["a"]
    assert row["low"] == pytest.approx(1.1 * math.exp(-math.hypot(math.log(4.4 / 4.156), math.log(4.24 / 4))))
    assert row["verdict"] == "unclear"


def test_what_has_a_process_for_each_sample_is_not_widened(tmp_path):
    """Its interval is of what processes differ by: 97 to 103 for both, as with no offset at all."""
    cases = {"a": {"us": 100, "processes": True}}
    wide = compared(tmp_path, cases, cases, Thresholds(same_within=0.02, offset_seconds=1e-5)).loc["a"]
    exact = compared(tmp_path / "exact", cases, cases).loc["a"]
    assert (wide["low"], wide["high"]) == (exact["low"], exact["high"])
    assert math.log(wide["high"]) == pytest.approx(math.hypot(math.log(1.03), math.log(1 / 0.97)))


def test_a_launch_shorter_than_the_offset_is_unclear(tmp_path):
    row = compared(tmp_path, {"a": {"us": 0.05}}, {"a": {"us": 0.1}}, Thresholds(0.02, 1e-7)).loc["a"]
    assert row["verdict"] == "unclear"


def test_a_case_whose_samples_were_all_discarded_has_no_ratio(tmp_path):
    row = compared(tmp_path, {"a": {"samples": 0, "status": "unstable"}, "b": {}}, {"a": {}, "b": {}}).loc["a"]
    assert pd.isna(row["ratio"])


def test_few_samples_have_a_ratio_and_no_verdict_but_unclear(tmp_path):
    row = compared(tmp_path, {"a": {"samples": 5}}, {"a": {"us": 400}}).loc["a"]
    assert pd.isna(row["low"])
    assert row["verdict"] == "unclear"


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ((100, 1e9), (150, 1e9), ("slower", "slower", "yes")),
        ((100, 1.5e9), (150, 1e9), ("slower", "same", "clock")),
        ((150, 1e9), (100, 1.5e9), ("faster", "same", "clock")),
        ((100, 2e9), (120, 1e9), ("slower", "faster", "clock")),
        ((100, 1e9), (100, 1e9), ("same", "same", None)),
        ((100, 1e9), (150, None), ("slower", None, "unknown")),
    ],
)
def test_a_change_is_the_clocks_unless_the_cycles_show_it(tmp_path, base, new, expected):
    one, two = ({"a": {"us": us, "clock": clock, "spread": 0.001}} for us, clock in (base, new))
    row = compared(tmp_path, one, two).loc["a"]
    assert (
        tuple(None if pd.isna(row[name]) else row[name] for name in ("verdict", "cycles_verdict", "confirmed"))
        == expected
    )


def test_one_toolchain_in_each_run_is_what_is_compared_and_several_tell_cases_apart(tmp_path):
    one = compared(tmp_path, {"a": {"toolchain": "t1"}}, {"a": {"toolchain": "t2"}})
    assert one[["found_in", "toolchain_base", "toolchain_new"]].to_numpy().tolist() == [["both", "t1", "t2"]]
    several = compared(tmp_path, {"a": {"toolchain": "t1"}}, {"a": {"toolchain": "t2"}, "b": {"toolchain": "t1"}})
    assert sorted(several[["case", "found_in"]].to_numpy().tolist()) == [["a", "base"], ["a", "new"], ["b", "new"]]


def test_cases_of_one_run_and_new_statuses_are_told(tmp_path):
    base = {"a": {}, "gone": {}, "worse": {}, "noisy": {}}
    new = {"a": {}, "came": {}, "worse": {"status": "incorrect", "reason": "3 lost"}, "noisy": {"status": "unstable"}}
    frame = compared(tmp_path, base, new)
    assert frame["found_in"].to_dict() == {"a": "both", "gone": "base", "came": "new", "worse": "both", "noisy": "both"}
    assert status_changes(frame)["case"].tolist() == ["noisy", "worse"]
    assert pd.isna(frame.loc["worse", "verdict"])
    assert frame.loc["noisy", "verdict"] == "unclear"
    found = regressions(frame, compare_groups(frame))
    assert found == ["e, case worse (b__k): ok became incorrect"]


def test_the_tail_of_the_binomial():
    assert binomial_tail(0, 5, 0.3) == pytest.approx(1)
    assert binomial_tail(5, 5, 0.3) == pytest.approx(0.3**5)
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5)
    assert 0 < binomial_tail(300, 5000, 0.025) < 1e-30


def groups_of(tmp_path, slower, same, **changes):
    base = {f"c{i}": {"spread": 0.001} for i in range(slower + same)}
    new = {name: case | ({"us": 110, **changes} if int(name[1:]) < slower else {}) for name, case in base.items()}
    frame = compared(tmp_path, base, new)
    (row,) = compare_groups(frame).to_dict("records")
    return frame, row


@pytest.mark.parametrize(
    ("slower", "same", "confirmed"),
    [
        (1, 0, False),  # one case alone may be chance
        (2, 0, True),  # 0.025² = 0.0006
        (2, 10, True),  # 3 % that two of twelve are
        (2, 20, False),  # 10 % that two of twenty-two are
        (4, 40, True),  # 2 %
        (3, 40, False),  # 9 %
    ],
)
def test_a_regression_is_confirmed_where_more_cases_agree_than_chance_explains(tmp_path, slower, same, confirmed):
    frame, row = groups_of(tmp_path, slower, same)
    assert (row["cases"], row["slower"], row["same"]) == (slower + same, slower, same)
    assert (row["confirmed"] == "slower") == confirmed
    assert bool(regressions(frame, compare_groups(frame))) == confirmed


def test_how_small_a_slowdown_could_be_told(tmp_path):
    """Both medians are ± 3 %: a slowdown must pass the distance to the lower bound, and the band."""
    frame = compared(tmp_path, {"a": {"us": 100}, "b": {"samples": 5}}, {"a": {"us": 150}, "b": {}})
    told = smallest_told(frame, 0.02)
    assert told[0] == pytest.approx(1.02 * math.exp(math.hypot(math.log(1 / 0.97), math.log(1.03))) - 1)
    assert told[1] == math.inf
    assert finding(frame, compare_groups(frame)) == (
        "no regression is confirmed; of 2 cases compared 1 slower, 0 faster, 0 same, 1 unclear"
    )


def test_what_is_the_clocks_is_no_regression(tmp_path):
    base = {name: {"spread": 0.001, "clock": 1.1e9} for name in "abc"}
    frame = compared(tmp_path, base, {name: case | {"us": 110, "clock": 1e9} for name, case in base.items()})
    (row,) = compare_groups(frame).to_dict("records")
    assert (row["slower"], row["clock"]) == (0, 3)
    assert regressions(frame, compare_groups(frame)) == []


def test_kernels_with_another_instruction_are_listed_once(tmp_path):
    base = {name: {"us": us} for name, us in (("a", 100), ("b", 100), ("c", 100))} | {"d": {"kernel": "b__same"}}
    new = {name: {"us": us, "instruction": "ATOM"} for name, us in (("a", 200), ("b", 300), ("c", 400))}
    code = compare_code(compared(tmp_path, base, new | {"d": {"kernel": "b__same"}}))
    (row,) = code.to_dict("records")
    assert (row["kernel"], row["instruction_base"], row["instruction_new"], row["cases"]) == ("b__k", "RED", "ATOM", 3)
    assert row["ratio"] == pytest.approx(3)
