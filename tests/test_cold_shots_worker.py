"""Cold shots from the session to the program and back, by a real worker and with the tests' runtime for a GPU's."""

import sys
from types import SimpleNamespace

import psutil
import pytest

from cold_shots_program import build_program
from helpers import LIMITS, ROOT
from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.grid import expand_all, instances_of
from scopemark.measure import child
from scopemark.measure.journal import Journal
from scopemark.measure.run import site_of
from scopemark.measure.session import Session
from scopemark.targets import Target

EXPERIMENT = load_experiment("atomic_intrinsics")
POINT = {"benchmark": "sample", "kind": "gpu", "cache": "warm", "updates": 1000, "sampling": "cold_shots_3"}
GRID = {**POINT, "operation": ["add", "max"], "api": ["intrinsic", "atomic_ref"]}
WORKER = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from scopemark.benchmark import Machine
from scopemark.measure import worker
worker.gpu_machine = lambda device: Machine("gpu", 2, 65536)
worker.import_backends = lambda kind: None
worker.main()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory, toolchain):
    names = instances_of(EXPERIMENT, [GRID], "gpu", lambda case: True)
    return build_program(tmp_path_factory.mktemp("sample"), toolchain, "sample.cu", names)


@pytest.fixture
def measure(program, tmp_path, monkeypatch):
    """Measures a grid; statuses by operation and API, and the records."""
    script = tmp_path / "worker"
    (tmp_path / "worker.py").write_text(WORKER)
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path}/worker.py gpu\n")
    script.chmod(0o755)
    monkeypatch.setattr(child, "sys", SimpleNamespace(executable=str(script)))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    build = {"binary": "none", "cold_shots": str(program)}
    site = site_of(EXPERIMENT, Target("a-gpu", "gpu", device=0), {}, build, Machine("gpu", 2))

    def measure(grid, **limits):
        cases = expand_all(EXPERIMENT, [grid], "gpu")[0]
        hashes = {case.id: "" for case in cases}
        with (tmp_path / "log").open("a") as log:
            session = Session("t", site, cases, hashes, Journal(tmp_path / "journal"), {**LIMITS, **limits}, log)
            outcomes = session.run()
        of = {case.id: (case.parameters["operation"], case.parameters["api"]) for case in cases}
        return {of[case]: outcome for case, outcome in outcomes.items()}, {
            of[case]: record.samples for case, record in session.records.items()
        }

    return measure


def test_every_shot_is_taken_and_checked(measure, tmp_path):
    outcomes, samples = measure({**GRID, "operation": "add"})
    assert outcomes == {("add", "intrinsic"): ("ok", ""), ("add", "atomic_ref"): ("ok", "")}
    for found in samples.values():
        assert found["session"] == [1, 2, 3]
        assert found["observed"] == found["expected"] == [1000, 1000, 1000]
    assert len((tmp_path / "journal").read_text().splitlines()) == 6
    assert measure({**GRID, "operation": "add"})[1] == samples  # a second run has nothing to do


def test_a_shot_that_hangs_costs_itself_and_leaves_no_program_behind(measure, program):
    outcomes, samples = measure(GRID, timeout_seconds=4.0)
    assert {outcomes["max", api][0] for api in ("intrinsic", "atomic_ref")} == {"timeout"}
    assert {outcomes["add", api] for api in ("intrinsic", "atomic_ref")} == {("ok", "")}
    assert min(len(samples["add", api]["seconds"]) for api in ("intrinsic", "atomic_ref")) == 3
    assert not [each for each in psutil.process_iter(["exe"]) if each.info["exe"] == str(program)]
