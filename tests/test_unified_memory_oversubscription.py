"""What is never done unasked: no worker is started here for more memory than there is, with whatever limit."""

import io
import re

import pytest
import yaml

from helpers import ROOT, add_faults, copy_repository, snakemake
from scopemark.benchmark import Machine
from scopemark.config import load_settings
from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.experiments.unified_memory import oversubscription
from scopemark.experiments.unified_memory.oversubscription import GIB, free_host_bytes, no_room
from scopemark.grid import expand
from scopemark.measure import workers
from scopemark.measure.journal import Journal
from scopemark.measure.session import Session, Site
from stage_of_arrays import MANAGED_ONLY

EXPERIMENT = load_experiment("unified_memory")
BLOCK = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]["unified_memory"]


class Started(Exception):
    """A worker was started."""


def run(monkeypatch, tmp_path, limits, grid):
    """A session of the grid in which no worker can be started; what it gives and what it logs."""

    def child(opening, log):
        raise Started

    monkeypatch.setattr(workers, "Child", child)
    cases = expand(
        EXPERIMENT, {"benchmark": "oversubscription", "kind": "gpu", "sampling": "best_of_3", **grid}, "gpu"
    )[0]
    site = Site({"binary": "none", "kind": "gpu"}, {"name": "gpu"}, Machine("gpu", 132, 0, 90, MANAGED_ONLY))
    log = io.StringIO()
    limits = {"budget_seconds": 1, "processes": 1, "minimum_samples": 6, "timeout_seconds": 1, **limits}
    hashes = {case.id: "code" for case in cases}
    session = Session("oversubscription", site, cases, hashes, Journal(tmp_path / "journal"), limits, log)
    outcomes = session.run()
    return [(case.parameters["factor"], *outcomes[case.id]) for case in cases], log.getvalue()


@pytest.mark.parametrize("limits", [{}, {"oversubscription_limit": 0}, {"oversubscription_limit": 0.5}])
def test_nothing_is_oversubscribed_unasked(monkeypatch, tmp_path, limits):
    outcomes, log = run(monkeypatch, tmp_path, limits, {"factor": [0.875, 1.125, 1.25], "pass": [1, 2]})
    assert [(factor, status) for factor, status, _ in outcomes] == [
        (factor, "skipped") for factor in (0.875, 1.125, 1.25) for _ in (1, 2)
    ]
    assert all("measure.oversubscription_limit" in why for *_, why in outcomes)
    assert all("hung drivers until the machine was rebooted" in why for *_, why in outcomes)
    assert "warning" not in log
    assert not (tmp_path / "journal").exists()


def test_beyond_the_limit_is_skipped_and_within_it_a_worker_is_asked_after_a_warning(monkeypatch, tmp_path, capsys):
    outcomes, _ = run(monkeypatch, tmp_path, {"oversubscription_limit": 1.1}, {"factor": [1.125, 1.25]})
    assert {status for _, status, _ in outcomes} == {"skipped"}
    with pytest.raises(Started):
        run(monkeypatch, tmp_path, {"oversubscription_limit": 1.125}, {"factor": [1.125, 1.25]})
    assert "rebooted" in capsys.readouterr().err
    # Whatever is asked for, by a way around the schema: never beyond the bound.
    assert not oversubscription.allowed(1.3, {"oversubscription_limit": 10})


@pytest.mark.parametrize("value", [-1, 1.26, 2, "much"])
def test_the_limit_has_a_limit(configuration, value, monkeypatch):
    configuration["measure"]["oversubscription_limit"] = value
    with pytest.raises(UserError, match=r"measure.oversubscription_limit: .* accepted: a number from 0 to 1.25"):
        load_settings(configuration)
    configuration["measure"]["oversubscription_limit"] = 1.25
    assert load_settings(configuration).measure["oversubscription_limit"] == 1.25


def test_it_is_off_and_in_the_full_preset_alone():
    configuration = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert configuration["measure"]["oversubscription_limit"] == 0
    assert not any("oversubscription_limit" in preset for preset in configuration["presets"].values())
    assert [name for name, grids in BLOCK["presets"].items() if "oversubscription" in grids] == ["full"]
    assert BLOCK["presets"]["full"][-1] == "oversubscription"


def test_the_host_must_have_room_for_what_does_not_fit():
    assert no_room(150 * GIB, 140 * GIB, 18 * GIB) is None
    assert no_room(150 * GIB, 140 * GIB, 17 * GIB) == (
        "needs 18 GiB of the host's memory for what does not fit; 17 are free"
    )
    assert no_room(100 * GIB, 140 * GIB, 8 * GIB) is None
    meminfo = "MemTotal: 9 kB\nMemAvailable:   2048 kB\n"
    assert free_host_bytes(meminfo, "", "") == free_host_bytes(meminfo, "max\n", "7\n") == 2 * 2**20
    assert free_host_bytes(meminfo, "1000000\n", "400000\n") == 600_000


def test_what_may_harm_the_machine_is_measured_after_all_else(tmp_path):
    """On the tests' experiment, with a benchmark that says so of itself; only planned, not run."""
    tree = copy_repository(tmp_path / "tree")
    add_faults(tree)
    module = tree / "workflow/scopemark/experiments/faults.py"
    last = "\nobject.__setattr__(SEQUENCE, 'last', True)\n"
    module.write_text(module.read_text() + last)
    grids = {"early": {"benchmark": "fault"}, "late": {"benchmark": "sequence"}, "early_too": {"benchmark": "fault"}}
    faults = {"presets": {"tiny": list(grids)}, "grids": {name: grid | {"kind": "cpu"} for name, grid in grids.items()}}
    configuration = {"preset": "tiny", "targets": ["cpu"], "presets": {"tiny": {}}, "experiments": {"faults": faults}}
    (tree / "tiny.yaml").write_text(yaml.safe_dump(configuration))
    plan = snakemake(tree, "-n", "--forceall", "--configfile", "tiny.yaml").stdout
    inputs = {
        re.search(r"/([\w.]+)\.cases\.csv", output)[1]: set(re.findall(r"/([\w.]+)\.cases\.csv", given))
        for given, output in re.findall(r"^rule measure:\n +input: (.*)\n +output: (.*)\n", plan, re.M)
    }
    others = {name for name in inputs if name.endswith(".main")}
    assert inputs == {**{name: set() for name in others}, "faults.last": others}
    assert "faults.main" in others
