"""Which stored runs can be compared, what is refused, and the page."""

import pytest

from compare_runs import EXACT, MACHINE, compared, store
from helpers import copy_repository, snakemake
from scopemark import tables
from scopemark.compare.page import page
from scopemark.compare.runs import (
    compare_code,
    compare_groups,
    compare_runs,
)
from scopemark.compare.settings import comparison
from scopemark.errors import UserError
from scopemark.stored_run import changed_facts, check_same_machine, find_run


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
