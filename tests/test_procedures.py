"""Sequences in the engine: how each way of ending costs its case alone, and what identifies their code."""

import inspect
from pathlib import Path

import pytest

from scopemark.experiment import load_experiment
from scopemark.procedure import experiment_sources, module_code


@pytest.fixture(autouse=True)
def _empty_journal(faults):
    faults.journal.unlink(missing_ok=True)


def test_a_sequence_is_sampled_timed_and_checked(faults):
    cases = faults.measure({"benchmark": "sequence", "sleep_us": [0, 5000]}, "sequence").set_index("sleep_us")
    assert list(cases["status"]) == ["ok", "ok"]
    assert list(cases["expected"]) == list(cases["observed"]) == [6, 6]
    assert list(cases["kernel"]) == ["sleep", "sleep"]
    assert list(cases["note"]) == ["three words", "three words"]
    samples = faults.samples("sequence").groupby("case")
    assert samples["seconds"].min()[cases.loc[5000, "case"]] >= 0.005
    assert samples["minor_faults"].count()[cases.loc[0, "case"]] == 6  # every sample tells its faults


@pytest.mark.parametrize(
    ("accident", "limits", "status", "reason"),
    [
        ("kill", {}, "failed", "SIGKILL"),
        ("raise", {}, "failed", "RuntimeError: by accident"),
        ("hang", {"timeout_seconds": 2.0}, "timeout", "within 2 s"),
        ("wrong", {}, "incorrect", "1 elements differ"),
        ("lack", {}, "unsupported", "not enough memory: by accident"),
    ],
)
def test_an_accident_costs_its_case_alone(faults, accident, limits, status, reason):
    grid = {"benchmark": "sequence", "accident": ["none", accident, "leak"]}
    cases = faults.measure(grid, accident, limits).set_index("accident")
    assert cases["status"].to_dict() == {"none": "ok", accident: status, "leak": "ok"}
    assert reason in cases.loc[accident, "reason"]


def test_what_a_machine_lacks_is_said_before_anything_is_started(faults):
    cases = faults.measure({"benchmark": "sequence", "least_processors": 10**6}, "lacking")
    assert list(cases["status"]) == ["unsupported"]
    assert list(cases["reason"]) == ["needs 1000000 processors"]
    assert faults.lines() == []


def test_launches_and_sequences_share_an_experiment(faults):
    faults.measure({"benchmark": "fault", "step": "exact"}, "launch")
    faults.measure({"benchmark": "sequence"}, "walk")
    assert faults.samples("launch")["major_faults"].isna().all()
    assert len({line["case"] for line in faults.lines()}) == 2


def test_other_code_is_measured_anew(faults):
    """The module that holds the sequence identifies its samples, as the machine code does a kernel's."""
    grid = {"benchmark": "sequence"}
    faults.measure(grid, "code")
    before = len(faults.lines())
    module = faults.tree / "workflow/scopemark/experiments/faults.py"
    text = module.read_text()
    try:
        module.write_text(text.replace("(1, 2, 3)", "(1, 2, 3)  # a comment"))
        faults.measure(grid, "code")
        assert len(faults.lines()) == before
        module.write_text(text.replace("(1, 2, 3)", "(2, 1, 3)"))
        faults.measure(grid, "code")
    finally:
        module.write_text(text)
    assert len(faults.lines()) > before
    assert len({line["identity"] for line in faults.lines()}) == 2


def test_code_reaches_as_far_as_the_experiment_does():
    access = load_experiment("unified_memory").benchmark("access")
    names = {path.name for path in experiment_sources(Path(inspect.getsourcefile(access.run)))}
    assert names == {"access.py", "common.py", "words.py"}


def test_module_code_is_blind_to_comments_docstrings_and_layout(tmp_path):
    def code(text):
        path = tmp_path / f"m{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return module_code(str(path))

    plain = code("def f(x):\n    return x + 1\n")
    assert (
        code(
            '"""Of a module."""\n\n\ndef f(x):\n    """Of a function."""\n    # why\n    return (x +\n            1)\n'
        )
        == plain
    )
    assert code("def f(x):\n    return x + 2\n") != plain


def test_kernels_and_sequences_share_a_worker(faults):
    """One process for each share, in which both kinds are measured."""
    grids = [{"benchmark": "fault", "iterations": [1, 2]}, {"benchmark": "sequence", "sleep_us": [0, 100]}]
    limits = {"processes": 2, "minimum_samples": 6, "maximum_samples": 6}
    cases = faults.measure(grids, "both", limits)
    assert cases.groupby("benchmark")["status"].agg(list).to_dict() == {"fault": ["ok"] * 2, "sequence": ["ok"] * 2}
    assert faults.samples("both").groupby("session")["case"].nunique().tolist() == [4, 4]
