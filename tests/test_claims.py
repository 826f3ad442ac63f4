"""Verdicts on hand-made rows whose answers are arithmetic."""

from __future__ import annotations

import pandas as pd
import pytest

from claim_rows import CPU, EXPERIMENT, GPU, row
from scopemark.claims.definitions import lacking, load_claims
from scopemark.claims.finding import claim_tables
from scopemark.claims.judge import Place, judge, places
from scopemark.claims.text import family_text, ratio_text
from scopemark.claims.verdict import equal, family_verdict, greater, judge_ratios, no_faster, no_slower
from scopemark.quantities import matched_pairs, meets, plain
from scopemark.report.format import digits
from scopemark.statistics import Interval
from scopemark.tables import check

COUNTER = EXPERIMENT.benchmark("counter")
HERE_GPU, HERE_CPU = Place("here", "gpu0", GPU), Place("here", "cpu", CPU)
CLAIMS = load_claims("scoped_atomics")


def interval(low, high):
    return Interval((low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.001, 2, "holds"),
        (1.0, 1.2, "unresolved"),
        (0.9, 1.1, "unresolved"),
        (0.5, 0.999, "contradicted"),
        (0.96, 1.04, "contradicted"),  # equality is shown, so the gain is not there
        (0.95, 1.05, "contradicted"),
        (0.949, 1.05, "unresolved"),
        (1.01, 1.04, "holds"),  # a small gain is a gain
    ],
)
def test_greater(low, high, verdict):
    assert greater(interval(low, high)) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.95, 1.05, "holds"),
        (0.949, 1.0, "unresolved"),
        (1.0, 1.051, "unresolved"),
        (1.051, 1.2, "contradicted"),
        (0.5, 0.949, "contradicted"),
        (0.5, 2, "unresolved"),
    ],
)
def test_equal(low, high, verdict):
    assert equal(interval(low, high)) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.951, 0.99, "holds"),
        (3, 4, "holds"),
        (0.95, 1, "unresolved"),
        (0.8, 0.95, "unresolved"),
        (0.8, 0.949, "contradicted"),
    ],
)
def test_no_slower(low, high, verdict):
    assert no_slower(interval(low, high)) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.5, 0.6, "holds"),
        (0.9, 1.049, "holds"),
        (1.0, 1.05, "unresolved"),
        (1.05, 1.1, "unresolved"),
        (1.051, 1.1, "contradicted"),
    ],
)
def test_no_faster(low, high, verdict):
    assert no_faster(interval(low, high)) == verdict


def test_a_family_holds_only_if_all_do():
    assert family_verdict(["holds", "holds"]) == "holds"
    assert family_verdict(["holds", "unresolved"]) == "unresolved"
    assert family_verdict(["holds", "unresolved", "contradicted"]) == "contradicted"
    with pytest.raises(ValueError, match="no comparisons"):
        family_verdict([])


def test_the_deciding_comparison_is_the_least_favourable_of_the_verdict():
    judged = judge_ratios("greater", [interval(2, 2.2), interval(1.5, 1.6), interval(3, 4)])
    assert (judged.verdict, judged.deciding) == ("holds", 1)
    judged = judge_ratios("greater", [interval(0.2, 1.1), interval(0.8, 0.9), interval(3, 4)])
    assert (judged.verdict, judged.deciding) == ("contradicted", 1)
    judged = judge_ratios("no_faster", [interval(2.2, 2.4), interval(1.5, 1.6), interval(0.8, 0.9)])
    assert (judged.verdict, judged.deciding) == ("contradicted", 0)
    # For equality, twice as fast and half as fast are equally wrong: 2.5 is farther from 1 than 0.5.
    assert judge_ratios("equal", [interval(0.5, 0.5), interval(2.5, 2.5)]).deciding == 1


def test_pairs_differ_in_nothing_but_what_is_varied():
    rows = [
        row(scope="block", iterations=64),
        row(scope="device", iterations=64),
        row(scope="device", iterations=128),
        row(scope="system", iterations=64),
    ]
    pairs = matched_pairs(rows, COUNTER, {"scope": "block"}, {"scope": ["device", "system"]})
    assert [(pair.b["scope"], pair.b["iterations"]) for pair in pairs] == [("device", 64), ("system", 64)]
    assert "scope" not in pairs[0].same
    assert pairs[0].same["iterations"] == 64


def test_rows_of_another_toolchain_are_no_partners():
    rows = [row(scope="block"), row(scope="device") | {"toolchain": "u"}]
    assert matched_pairs(rows, COUNTER, {"scope": "block"}, {"scope": "device"}) == []


@pytest.mark.parametrize("status", ["incorrect", "failed", "timeout", "unsupported", "skipped"])
def test_rows_that_were_not_measured_well_make_no_pair(status):
    rows = [row(scope="block"), row(scope="device", status=status)]
    assert matched_pairs(rows, COUNTER, {"scope": "block"}, {"scope": "device"}) == []


def test_an_unstable_row_makes_a_pair():
    rows = [row(scope="block"), row(scope="device", status="unstable", per_second=(100.0, 50.0, 200.0))]
    assert len(matched_pairs(rows, COUNTER, {"scope": "block"}, {"scope": "device"})) == 1


def test_a_count_is_the_same_count_in_every_column_type():
    assert plain("896") == plain(896.0) == plain(896) == 896
    assert plain("32/sm") == "32/sm"
    assert plain(float("nan")) is None
    assert meets("896", [1, 896])
    assert meets(0.5, {"at_least": 0.5})
    assert not meets(0.1, {"at_least": 0.5})
    assert not meets(None, {"at_most": 0.5})


def test_a_condition_may_say_how_a_value_begins():
    wanted = {"begins": "cold_shots"}
    assert meets("cold_shots_6", wanted)
    assert not any(meets(value, wanted) for value in ("single_shots_6", 6, None))


def contention(scope, placement, per_second, **other):
    return row(scope=scope, placement=placement, per_second=per_second, **other)


def test_the_claim_of_the_book_with_its_arithmetic():
    rows = [
        contention("block", "shared", 900.0),
        contention("device", "global", 100.0),
        contention("block", "shared", (5.0, None, None), sampling="best_of_5", best=800.0),
        contention("device", "global", (5.0, None, None), sampling="best_of_5", best=80.0),
    ]
    finding = judge(CLAIMS["SA1"], EXPERIMENT, HERE_GPU, rows)
    assert (finding.verdict, finding.ratio.value, finding.pairs, finding.holding) == ("holds", pytest.approx(9), 1, 1)
    assert "9.00× [9.00, 9.00]" in finding.detail
    assert "published: 9× on a GeForce RTX 3060" in finding.detail
    assert "best of five: 10.0×" in finding.detail
    assert len(finding.comparisons) == 1
    assert finding.comparisons[0]["a"] == "scope=block placement=shared"


def test_no_gain_from_the_scope_contradicts():
    rows = [contention("block", "global", (101.0, 100.0, 102.0)), contention("device", "global", (100.0, 99.0, 101.0))]
    assert judge(CLAIMS["SA3"], EXPERIMENT, HERE_GPU, rows).verdict == "contradicted"


def test_order_is_broken_down_by_scope():
    rows = [
        row(scope="device", order="relaxed", per_second=100.0),
        row(scope="device", order="seq_cst", per_second=50.0),
        row(scope="block", order="relaxed", per_second=100.0),
        row(scope="block", order="acquire", per_second=125.0),
    ]
    finding = judge(CLAIMS["SA5"], EXPERIMENT, HERE_GPU, rows)
    assert (finding.verdict, finding.pairs, finding.holding) == ("contradicted", 2, 1)
    assert finding.ratio.value == pytest.approx(0.8)
    # 100 to 125, and 100 to 50.
    assert "block scope global memory 0.800× (contradicted), device scope global memory 2.00×" in finding.detail


def matching(form, density, per_second, **other):
    return row("match_count", per_second=per_second, form=form, density=density, **other)


def test_a_subtotal_is_judged_where_matches_are_frequent():
    rows = []
    for density, gain in ((0.0, 0.5), (0.01, 0.99), (0.1, 2), (0.5, 4), (1.0, 8)):
        rows += [matching("two_level", density, gain * 100.0), matching("per_match", density, 100.0)]
    often, seldom = (judge(CLAIMS[claim], EXPERIMENT, HERE_GPU, rows) for claim in ("SA8", "SA8b"))
    assert (often.verdict, often.ratio.value, often.pairs) == ("holds", pytest.approx(4), 2)
    assert "from density 0.1 on" in often.detail
    assert (seldom.verdict, seldom.ratio.value) == ("contradicted", pytest.approx(0.5))
    assert (seldom.pairs, seldom.holding) == (3, 2)


def test_a_lost_update_contradicts():
    rows = [row(), row(operation="fetch_or"), row(status="incorrect", operation="exchange")]
    rows[2] |= {"wrong_elements": 3, "lost_updates": 40}
    rows.append(row(api="intrinsic", status="incorrect") | {"wrong_elements": 9})  # SA9 is about atomic_ref
    finding = judge(CLAIMS["SA9"], EXPERIMENT, HERE_GPU, rows)
    assert (finding.verdict, finding.ratio, finding.pairs, finding.holding) == ("contradicted", None, 3, 2)
    assert [comparison["value"] for comparison in finding.comparisons] == [0, 0, 3]
    assert "3 elements wrong by 40 in sum" in finding.detail
    assert judge(CLAIMS["SA9"], EXPERIMENT, HERE_GPU, rows[:2]).verdict == "holds"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "The preset did not measure it."),
        ([contention("block", "shared", 1.0)], "The preset did not measure it."),
        (
            [contention("block", "shared", 1.0, status="timeout"), contention("device", "global", 1.0)],
            "timeout: made timeout",
        ),
        (
            [contention("block", "shared", (1.0, None, None)), contention("device", "global", 1.0)],
            "too few samples",
        ),
        (
            [contention("block", "shared", 1.0, iterations=1), contention("device", "global", 1.0)],
            "differ in nothing else",
        ),
    ],
)
def test_what_is_missing_is_said(rows, reason):
    finding = judge(CLAIMS["SA1"], EXPERIMENT, HERE_GPU, rows)
    assert finding.verdict == "not testable here"
    assert reason in finding.detail
    assert (finding.ratio, finding.pairs) == (None, 0)


def test_a_claim_about_gpus_is_not_testable_on_a_cpu():
    finding = judge(CLAIMS["SA1"], EXPERIMENT, HERE_CPU, [])
    assert finding.verdict == "not testable here"
    assert "GPU" in finding.detail


def test_needs():
    integrated = {"kind": "gpu", "gpu": {"architecture": "sm_87", "integrated": 1}}
    assert lacking(CLAIMS["SA2"]["needs"], GPU) is None
    assert "integrated must be 0, and is 1" in lacking(CLAIMS["SA2"]["needs"], integrated)
    assert "does not tell integrated" in lacking(CLAIMS["SA2"]["needs"], {"kind": "gpu", "gpu": {}})
    assert "sm_90 or later, and this target is sm_87" in lacking({"architecture_at_least": 90}, integrated)
    assert lacking({"architecture_at_least": 90}, GPU) is None


def test_numbers_have_three_digits():
    assert [digits(value) for value in (12.04, 0.9531, 1234.6, 9.996, 1, 0)] == [
        "12.0",
        "0.953",
        "1,235",
        "10.0",
        "1.00",
        "0",
    ]
    assert ratio_text(Interval(12, 11.9, 12.14)) == "12.0× [11.9, 12.1]"
    assert family_text([Interval(2, 1.5, 2.5), Interval(3, 2.9, 3.1)]) == "2.00…3.00× [1.50, 3.10]"


def test_the_tables_are_valid_and_complete():
    rows = [contention("block", "shared", 900.0), contention("device", "global", 100.0)]
    findings = [
        ("here", place.target, name, judge(claim, EXPERIMENT, place, rows if place is HERE_GPU else []))
        for place in (HERE_GPU, HERE_CPU)
        for name, claim in CLAIMS.items()
        if claim["needs"].get("kind") != "build"
    ]
    claims, pairs = claim_tables(findings)
    check("claims", claims, "claims")
    check("claim_pairs", pairs, "claim_pairs")
    assert len(claims) == len(findings)
    assert set(claims["verdict"]) == {"holds", "not testable here"}
    assert list(pairs["claim"]) == ["SA1", "SA9", "SA9"]


def test_the_places_are_named_by_their_runs(tmp_path):
    (tmp_path / "m").mkdir()
    described = '{"target": "%s", "kind": "cpu", "described_at": "2026-01-02", "host": %s}'
    host = '{"machine": "m", "kernel": "k", "usable_cpus": 1, "python": "3"}'
    here, recorded = tmp_path / "cpu.json", tmp_path / "m" / "machine.json"
    here.write_text(described % ("cpu", host))
    recorded.write_text(described % ("old", host))
    run = "recorded 2026-01-02"
    summary = pd.DataFrame({"run": ["here", run], "target": ["cpu", "old"]})
    found = [(place.run, place.target) for place in places([here, recorded], [summary])]
    assert found == [("here", "cpu"), (run, "old")]
    found = [(place.run, place.target) for place in places([here, recorded], [summary.iloc[:0]])]
    assert found == [("here", "cpu")]  # whether or not it has rows; a recorded run without any is left out
