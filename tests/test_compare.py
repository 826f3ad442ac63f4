"""Two stored runs: the ratio and its verdict by arithmetic, what is confirmed, and what is refused."""

import json
import math

import pandas as pd
import pytest

from helpers import copy_repository, snakemake
from scopemark import tables
from scopemark.compare.page import finding, page
from scopemark.compare.runs import (
    Thresholds,
    binomial_tail,
    compare_code,
    compare_groups,
    compare_runs,
    regressions,
    smallest_told,
    status_changes,
    verdict,
)
from scopemark.compare.settings import comparison
from scopemark.errors import UserError
from scopemark.statistics import Interval
from scopemark.stored_run import StoredRun, changed_facts, check_same_machine, find_run

MACHINE = {
    "target": "g",
    "kind": "gpu",
    "described_at": "2026-01-31",
    "host": {"machine": "x86_64", "kernel": "6", "cpu": "C", "cpus": 8, "usable_cpus": 8, "python": "3.12"},
    "gpu": {
        "name": "G", "architecture": "sm_90", "multiprocessors": 100, "l2_bytes": 1, "cuda_driver": 13000, "driver": "1"
    },
}  # fmt: skip
EXACT = Thresholds(same_within=0.02, offset_seconds=0.0)


def store(path, cases, machine=MACHINE, experiment="e"):
    """A run of cases: name to what is not as usual, with `us`, the median in microseconds. The seven samples of each
    are 1 % apart, so that the extremes, which are the interval, are 3 % off."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "machine.json").write_text(json.dumps(machine))
    rows, samples = [], []
    for name, changes in cases.items():
        changes = dict(changes)
        median, clock, spread = changes.pop("us", 100), changes.pop("clock", None), changes.pop("spread", 0.01)
        row = {"case": name, "target": "g", "target_kind": "gpu", "experiment": experiment, "benchmark": "b"}
        row |= {"toolchain": "t", "kernel": "b__k", "status": "ok", "instruction": "RED", "warp_aggregated": False}
        rows.append(row | changes)
        for i in range(changes.pop("samples", 7)):
            seconds = median * 1e-6 * (1 + spread * (i - 3))
            sample = {"case": name, "target": "g", "toolchain": rows[-1]["toolchain"], "index": i}
            sample["session"] = i if changes.get("processes") else 1
            samples.append(sample | {"seconds": seconds, "sm_clock_hz": clock})
    for row in rows:
        row.pop("samples", None)
        row.pop("processes", None)
    tables.write("cases", tables.make("cases", rows, ["blocks"]), path / f"{experiment}.cases.csv")
    tables.write("samples", tables.make("samples", samples), path / f"{experiment}.samples.csv.gz")
    return StoredRun(path)


def compared(tmp_path, base, new, thresholds=EXACT):
    frame = compare_runs(store(tmp_path / "base", base), store(tmp_path / "new", new), thresholds)
    return frame.set_index("case", drop=False)


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


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [("gpu", "name", "H"), ("gpu", "multiprocessors", 99), ("host", "cpu", "D"), ("host", "cpus", 4)],
)
def test_runs_of_different_machines_are_refused(tmp_path, part, name, value):
    base = store(tmp_path / "base", {"a": {}})
    new = store(tmp_path / "new", {"a": {}}, MACHINE | {part: MACHINE[part] | {name: value}})
    with pytest.raises(UserError, match=rf"new/machine\.json: {part}\.{name} is .*base/machine\.json"):
        check_same_machine(base, new)


def test_what_changed_on_a_machine_is_listed(tmp_path):
    base = store(tmp_path / "base", {"a": {}})
    changed = {"gpu": MACHINE["gpu"] | {"driver": "2"}, "host": MACHINE["host"] | {"kernel": "7", "compiler": "g++"}}
    new = store(tmp_path / "new", {"a": {}}, MACHINE | changed)
    check_same_machine(base, new)
    found = [(row["fact"], row["base"], row["new"]) for row in changed_facts(base, new)]
    assert found == [("driver", "1", "2"), ("kernel", "6", "7"), ("compiler", None, "g++")]


def test_facts_of_memory_are_listed_by_one_name_each(tmp_path):
    memory = {"page_bytes": 4096, "numa_nodes": {"0": {"cpus": "0-3", "memory_bytes": 2**30}}}
    more = {"page_bytes": 4096, "numa_nodes": {"0": {"cpus": "0-7", "memory_bytes": 2**30}}}
    base = store(tmp_path / "base", {"a": {}}, MACHINE | {"memory": memory, "uvm": {"uvm_disable_hmm": "N"}})
    new = store(tmp_path / "new", {"a": {}}, MACHINE | {"memory": more, "uvm": {"uvm_disable_hmm": "Y"}})
    found = [(row["part"], row["fact"], row["base"], row["new"]) for row in changed_facts(base, new)]
    assert found == [("memory", "numa_nodes_0_cpus", "0-3", "0-7"), ("uvm", "uvm_disable_hmm", "N", "Y")]


def test_what_is_no_run_is_told_with_the_key(tmp_path):
    with pytest.raises(UserError, match=r"f: compare\.base: .*: there is no such directory; a run is a directory with"):
        find_run(str(tmp_path / "none"), "f: compare.base")
    (tmp_path / "run").mkdir()
    with pytest.raises(UserError, match=r"is not a run: it has no machine\.json"):
        find_run(str(tmp_path / "run"), "w")
    (tmp_path / "run" / "machine.json").write_text("{}")
    with pytest.raises(UserError, match=r"it has no <experiment>\.cases\.csv"):
        find_run(str(tmp_path / "run"), "w")
    (tmp_path / "run" / "e.cases.csv").write_text("")
    with pytest.raises(UserError, match=r"e\.samples\.csv\.gz is not beside e\.cases\.csv"):
        find_run(str(tmp_path / "run"), "w")


def test_runs_without_a_common_experiment_are_told(tmp_path):
    one, two = store(tmp_path / "one", {"a": {}}), store(tmp_path / "two", {"a": {}}, experiment="f")
    with pytest.raises(UserError, match=r"two: it has f, and .*one has e: there is no experiment in common"):
        compare_runs(one, two, EXACT)


def test_the_settings_as_the_command_line_gives_them():
    found = comparison({"base": "a", "new": "b", "same_within": "0.1", "offset_seconds": "1e-7"}, "f")
    assert (dict(found.runs), found.same_within, found.offset_seconds) == ({"base": "a", "new": "b"}, 0.1, 1e-7)
    assert not found.fail_on_regression
    assert comparison({"base": "a", "new": "b", "fail_on_regression": "true"}, "f").fail_on_regression


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (None, r"f: compare\.base is missing: name the directories of two stored runs"),
        ({"base": "a"}, r"f: compare\.new is missing"),
        ({"base": "a", "new": "./b/../a/"}, r"compare\.base and compare\.new are the same directory, a: "),
        (
            {"base": "a", "new": "b", "same_within": "much"},
            r"f: compare\.same_within: 'much' is not accepted; a number",
        ),
        ({"base": "a", "new": "b", "same_within": 1}, r"same_within: 1\.0 .* above 0 and below 1"),
        ({"base": "a", "new": "b", "offset_seconds": -1}, r"offset_seconds: -1\.0 .* seconds from 0"),
        ({"base": "a", "new": "b", "fail_on_regression": "no"}, r"fail_on_regression: 'no' .*; true or false"),
    ],
)
def test_a_bad_setting_is_told(block, said):
    with pytest.raises(UserError, match=said):
        comparison(block, "f")


def test_the_workflow_keeps_its_outputs_when_a_regression_fails_it(tmp_path):
    tree = copy_repository(tmp_path / "tree")
    base = {"a": {"spread": 0.001}, "b": {"spread": 0.001}, "<c>": {"spread": 0.001}}
    store(tree / "base", base)
    store(tree / "new", {name: case | {"us": 110} for name, case in base.items()})
    named = "base: base, new: new"
    common = ("compare", "--cores", "1", "--config", "targets=[cpu]", "architectures=[90]")
    failed = snakemake(tree, *common, f"compare={{{named}, fail_on_regression: true}}", check=False)
    assert failed.returncode != 0
    assert "a regression is confirmed" in failed.stdout + failed.stderr
    assert "e, b, RED: 3 of 3 cases slower" in failed.stdout + failed.stderr
    text = (tree / "reports/compare.html").read_text()
    assert "1 confirmed:" in text
    assert "&lt;c&gt;" in text
    assert not any(word in text for word in ("<c>", "http://", "https://", str(tree)))
    assert tables.read("compare", tree / "reports/tables/compare.csv")["verdict"].tolist() == ["slower"] * 3
    assert "scopemark: 1 regression is confirmed; of 3 cases compared 3 slower" in failed.stdout + failed.stderr
    assert "unclear: reports/compare.html\n" in failed.stdout + failed.stderr
    snakemake(tree, *common, f"compare={{{named}}}")
    assert (tree / "reports/compare.html").read_text() == text
    missing = snakemake(tree, *common, "compare={base: base}", check=False)
    assert "compare.new is missing" in missing.stdout + missing.stderr


def test_the_same_tables_make_the_same_page(tmp_path):
    frame = compared(tmp_path, {"a": {}, "b": {"us": 10}}, {"a": {"us": 300}, "c": {}})
    files = {name: str(tmp_path / f"{name}.csv") for name in ("cases", "groups", "code", "facts")}
    tables.write("compare", frame, files["cases"])
    tables.write("compare_groups", compare_groups(frame), files["groups"])
    tables.write("compare_code", compare_code(frame), files["code"])
    tables.write("compare_facts", tables.make("compare_facts", []), files["facts"])
    machines = {end: str(tmp_path / end / "machine.json") for end in ("base", "new")}
    settings = {"runs": {"base": "x", "new": "y"}, "same_within": 0.02, "offset_seconds": 1e-7}
    text = page(files, machines, settings)
    assert text == page(files, machines, settings)
    assert "1 cases in the base run only" in text
    assert "a slowdown below 10&nbsp;% cannot be told in 0 of\n1 cases; in half of them one of 6.4&nbsp;% or" in text
    assert "The descriptions of the machine and the toolchain are the same" in text
