"""CuPy's histogram as a yardstick: its data, what it is asked, and how its result is checked, on NumPy's functions."""

import importlib.util
import re
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import copy_repository, snakemake
from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.experiments.atomic_intrinsics.common import hashed, zipf
from scopemark.grid import expand
from scopemark.measure.run import code_hash
from scopemark.procedure import Timed

cupy = pytest.importorskip("cupy")
EXPERIMENT = load_experiment("atomic_intrinsics")
POINT = {"elements": 1000, "bins": 7, "skew": 1.0, "sampling": "single_shots_20", "target_kind": "gpu"}


class UnheldStage:
    """A stage that calls and takes no time for it."""

    machine = Machine("gpu", 1)

    def on_gpu_unheld(self, call):
        return Timed(0.5), call()


@pytest.fixture
def numpy_as_cupy(monkeypatch):
    """NumPy's functions in CuPy's place: by its documentation they return the same."""
    for name in ("asarray", "bincount", "histogram"):
        monkeypatch.setattr(cupy, name, getattr(np, name))
    monkeypatch.setattr(cupy, "asnumpy", lambda array: array)


def first_sample(library):
    benchmark = EXPERIMENT.benchmark("histogram_library")
    return next(benchmark.run({**POINT, "library": library}, UnheldStage()))


@pytest.mark.parametrize("library", ["cupy_bincount", "cupy_histogram"])
def test_every_element_is_counted_in_its_bin(numpy_as_cupy, library):
    measured = first_sample(library)
    assert (measured.wrong, measured.observed, measured.expected) == (0, 1000, 1000)
    assert measured.timed.seconds == 0.5
    assert measured.note.startswith(f"CuPy {cupy.__version__}, counting by ")


def test_an_element_in_another_bin_is_found(numpy_as_cupy, monkeypatch):
    """Moved from bin 0 to bin 1, it leaves the sum right and two bins wrong."""
    moved = np.array([-1, 1, 0, 0, 0, 0, 0])
    monkeypatch.setattr(cupy, "bincount", lambda data, minlength: np.bincount(data, minlength=minlength) + moved)
    measured = first_sample("cupy_bincount")
    assert (measured.wrong, measured.observed, measured.expected) == (2, 1000, 1000)


def test_another_number_of_bins_is_an_error(numpy_as_cupy, monkeypatch):
    monkeypatch.setattr(cupy, "bincount", lambda data, minlength: np.zeros(8, np.int64))
    with pytest.raises(ValueError, match="8 bins were returned, not 7"):
        first_sample("cupy_bincount")


@pytest.mark.parametrize("skew", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("ranks", [1, 3, 256, 100_000])
def test_ranks_are_those_of_a_search_for_every_element(ranks, skew):
    n = 2**22 + 5  # a chunk, and a little of the next
    cumulated = np.cumsum(np.arange(1, ranks + 1, dtype=np.float64) ** -skew)
    places = np.r_[0:2000, n - 2000 : n]  # of all of them a search takes long
    drawn = (hashed(n)[places] + 0.5) * (cumulated[-1] / 2**32)
    expected = np.minimum(np.searchsorted(cumulated, drawn, side="right"), ranks - 1)
    np.testing.assert_array_equal(zipf(n, ranks, skew)[places], expected)


def test_it_is_timed_in_single_shots_on_a_gpu_alone():
    grid = {"benchmark": "histogram_library", "sampling": ["adaptive", "best_of_5", "single_shots_5"]}
    cases, excluded = expand(EXPERIMENT, grid, "gpu")
    assert [case.parameters["sampling"] for case in cases] == ["single_shots_5"]
    assert sum(excluded.values()) == 2
    assert expand(EXPERIMENT, grid, "cpu")[0] == []


def test_its_work_is_what_our_kernels_is():
    machine = Machine("gpu", 132)
    (library,), (own,) = (
        expand(EXPERIMENT, {"benchmark": name, "api": "intrinsic", "sampling": "single_shots_5"}, "gpu")[0]
        if name == "histogram"
        else expand(EXPERIMENT, {"benchmark": name, "sampling": "single_shots_5"}, "gpu")[0]
        for name in ("histogram_library", "histogram")
    )
    for name in ("operations", "bytes"):
        works = (getattr(case.benchmark.work(case.parameters, machine, False), name) for case in (library, own))
        assert len(set(works)) == 1


def test_another_version_of_cupy_is_other_code(tmp_path, monkeypatch):
    (case,), _ = expand(EXPERIMENT, {"benchmark": "histogram_library", "sampling": "single_shots_5"}, "gpu")
    found = []
    for version in ("14.2.0", "14.3.0"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "_version.py").write_text(f"__version__ = {version!r}\n")
        spec = SimpleNamespace(origin=str(tmp_path / version / "__init__.py"))
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, spec=spec: spec)
        found.append(code_hash(case, {}, "host"))
    assert found[0] != found[1]


def test_the_host_build_says_nothing_of_a_kernels_case():
    """So that what is in the journal of them stays theirs, now that a procedure needs the host build."""
    (case,), _ = expand(EXPERIMENT, {"benchmark": "histogram", "api": "intrinsic"}, "gpu")
    assert code_hash(case, {case.kernel: "of the kernel"}, "of the host build") == "of the kernel"


NVML = """
def nothing(*_): pass
nvmlInit = nvmlShutdown = nvmlDeviceGetHandleByIndex = nothing
nvmlDeviceGetCount = lambda: 1
nvmlDeviceGetCudaComputeCapability = lambda handle: (9, 0)
nvmlDeviceGetName = lambda handle: "Paper GPU"
nvmlDeviceGetUUID = lambda handle: "GPU-0"
nvmlSystemGetDriverVersion = lambda: "1"
"""


def test_only_experiments_that_need_them_wait_for_the_host_build_and_the_cold_shots(tmp_path, monkeypatch, toolchain):
    """On a machine that says it has a GPU, the plan of an experiment of kernels and of one with the library's calls."""
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub/pynvml.py").write_text(NVML)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "stub"))
    tree = copy_repository(tmp_path / "tree")
    planned = {}
    for experiment in ("scoped_atomics", "atomic_intrinsics"):
        cases = f"results/measured/paper-gpu/{toolchain.identity}/{experiment}.main.cases.csv"
        done = snakemake(tree, cases, "-n", "--cores", "2", "--config", "targets=[gpu]")
        planned[experiment] = set(re.findall(r"^rule (\w+):", done.stdout + done.stderr, re.M))
    assert "measure" in planned["scoped_atomics"]
    assert planned["atomic_intrinsics"] - planned["scoped_atomics"] == {"compile_host", "compile_cold_shots"}
