"""The build's files on their way from a job to the backends of a worker on a GPU, where there is none."""

from pathlib import Path

import pytest

from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.measure import gpu, rehearsal, worker
from scopemark.measure.run import site_of
from scopemark.stage import gpu_stage
from scopemark.targets import Target

BUILD = {"binary": "um.cubin", "support": "support.cubin", "support_host": "support.so", "host": "um.so"}


@pytest.fixture
def opened(monkeypatch):
    """What the backends are made of, by name."""
    made = {}
    monkeypatch.setattr(gpu.GpuBackend, "__init__", lambda self, *files: made.update(kernels=files))

    class Stage:
        def __init__(self, machine, *files):
            self.machine = machine
            made.update(procedures=(machine, *files))

    monkeypatch.setattr(gpu_stage, "GpuStage", Stage)
    monkeypatch.setattr(rehearsal, "gpu_machine", lambda device: f"machine {device}")
    machine = Machine("gpu", 132)
    target = Target("a-gpu", "gpu", device=1, architecture="90")
    site = site_of(load_experiment("unified_memory"), target, {}, BUILD, machine)
    worker.Worker({**site.opening, "backends": ["kernels", "procedures"]})
    return made


def test_kernels_are_launched_from_the_cubins_and_fired_by_the_engines_own_library(opened):
    assert opened["kernels"] == (1, Path("um.cubin"), Path("support.cubin"), Path("support.so"))


def test_procedures_run_on_the_host_build_and_the_cubins(opened):
    assert opened["procedures"] == ("machine 1", 1, Path("um.so"), Path("um.cubin"), Path("support.cubin"))


def test_a_job_that_was_given_no_host_build_does_not_name_one():
    build = {name: file for name, file in BUILD.items() if name != "host"}
    site = site_of(load_experiment("scoped_atomics"), Target("a-gpu", "gpu", device=0), {}, build, Machine("gpu", 132))
    assert "host" not in site.opening
