"""What several tests share."""

from __future__ import annotations

import copy

import pytest
import yaml

from helpers import ROOT, Engine, add_faults, copy_repository, load_faults
from scopemark import tables
from scopemark.build import compile_host, write_instances
from scopemark.experiment import load_experiment
from scopemark.grid import instances
from scopemark.targets import find_gpus
from scopemark.toolchain import find_toolchains
from session_bench import Bench
from stage_of_arrays import MANAGED_ONLY
from stage_of_threads import Threads, taken


def pytest_collection_modifyitems(items):
    """Skip what needs a GPU where there is none."""
    if find_gpus():
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="no GPU here"))


@pytest.fixture(autouse=True)
def _own_locks(tmp_path, monkeypatch):
    """The tests neither wait for a measurement on this machine nor hold one up."""
    monkeypatch.setenv("SCOPEMARK_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A session whose workers do what a test says."""
    return Bench(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def toolchain():
    """The toolchain of the pinned packages."""
    return find_toolchains("auto", "tests")[0]


@pytest.fixture
def configuration():
    """config.yaml as YAML gives it, free to change."""
    return copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text()))


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    """A copy of the repository with the tests' experiment."""
    tree = copy_repository(tmp_path_factory.mktemp("engine") / "tree")
    add_faults(tree)
    return tree


def _host_engine(tree, toolchain, experiment, *grids):
    lines = instances(experiment, grids, "cpu")
    build = tree / "build"
    write_instances(lines, build / f"{experiment.name}.inc")
    library = build / f"{experiment.name}.so"
    source = tree / "kernels" / f"{experiment.name}.cu"
    compile_host(toolchain, source, build / f"{experiment.name}.inc", library, build / f"{experiment.name}.txt")
    names = [line.split("(")[1].split(",")[0] for line in lines]
    rows = [
        {"toolchain": "test", "architecture": "host", "experiment": experiment.name, "kernel": name, "code_hash": "1"}
        for name in names
    ]
    kernels = build / f"{experiment.name}.host.csv"
    tables.write("host_kernels", tables.make("host_kernels", rows), kernels)
    return Engine(tree, experiment.name, library, kernels)


@pytest.fixture(scope="session")
def faults(tree, toolchain):
    """The engine with the tests' experiment on CPU threads."""
    steps = ["exact", "wrong", "race", "crash", "hang", "spin"]
    return _host_engine(tree, toolchain, load_faults(), {"benchmark": "fault", "step": steps})


@pytest.fixture(scope="session")
def scoped_atomics(tree, toolchain):
    """The engine with a few kernels of scoped_atomics on CPU threads."""
    grid = {
        "benchmark": "counter",
        "kind": "cpu",
        "api": ["atomic_ref", "atomic", "std_atomic_ref", "builtin"],
        "scope": "system",
        "address": "opaque",
        "cache": "warm",
        "blocks": 1,
        "operation": ["fetch_add", "compare_exchange", "fetch_xor", "load", "store"],
        "result": ["discarded", "used"],
    }
    return _host_engine(tree, toolchain, load_experiment("scoped_atomics"), grid)


@pytest.fixture(scope="session")
def atomic_intrinsics(tree, toolchain):
    """The engine with the CPU's kernels of atomic_intrinsics, the plain ones also for ten times as many updates."""
    blocks = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]["atomic_intrinsics"]
    grids = [blocks["grids"][name] for name in blocks["presets"]["default"] if name.startswith("cpu_")]
    grids.append({**blocks["grids"]["cpu_plain"], "updates": 10_000_000})
    return _host_engine(tree, toolchain, load_experiment("atomic_intrinsics"), *grids)


@pytest.fixture(scope="session")
def memory_library(tmp_path_factory, toolchain):
    """The host build of unified_memory's kernels."""
    build = tmp_path_factory.mktemp("unified_memory")
    write_instances([], build / "none.inc")
    source = (ROOT / "kernels/unified_memory.cu").resolve()
    compile_host(toolchain, source, build / "none.inc", build / "host.so", build / "report.txt")
    return build / "host.so"


@pytest.fixture
def samples(memory_library, monkeypatch):
    """Takes samples of a case on threads."""

    def take(name, attributes=MANAGED_ONLY, prepare=lambda stage: None, **changes):
        take.stage = Threads(memory_library, attributes, monkeypatch)
        prepare(take.stage)
        return taken(take.stage, name, **changes)

    return take
