"""The experiment on CPU threads."""

import pytest

from intrinsics_cases import cases
from scopemark.measure.cpu import CpuBackend
from scopemark.targets import usable_cpus

TWO = {"cache": "warm", "threads_per_block": 2}
REFS = {"api": ["builtin", "std_atomic_ref", "atomic_ref"], "order": "seq_cst", "scope": "system"}
EXACT = [
    *cases("sample", "cpu", operation=["add", "max", "cas"], **REFS, **TWO),
    *cases(
        "contention",
        "cpu",
        operation=["add", "max"],
        form=["native", "loop_strong", "loop_weak", "loop_no_exit"],
        api=["builtin", "atomic_ref"],
        slots=16,
        updates=131_072,
        **TWO,
    ),
    *cases(
        "histogram",
        "cpu",
        form=["private_bins", "global_bins"],
        elements=2**20,
        bins=16,
        skew=1.0,
        api=["builtin", "atomic_ref"],
        blocks=1,
        **TWO,
    ),
]


@pytest.mark.skipif(usable_cpus() < 2, reason="two threads need two CPUs")
def test_atomics_lose_nothing(atomic_intrinsics):
    backend = CpuBackend(atomic_intrinsics.binary)
    assert len(EXACT) == 9 + 13 + 4
    for case in EXACT:
        assert case.benchmark.check(case.parameters, case.benchmark.launch(case.parameters, backend.machine)).exact
        batch = backend.sample(backend.prepare(case.benchmark, case.parameters, case.kernel), 0, 3, False)
        assert batch.wrong == [0, 0, 0], case.kernel


@pytest.fixture(scope="module")
def plain(atomic_intrinsics):
    """The plain kernels, by the engine."""
    grid = {"benchmark": "sample", "kind": "cpu", "operation": ["add", "max", "cas"], "api": "plain", **TWO}
    grid["updates"] = 10_000_000  # long enough for both threads to be at it at once on a busy machine
    return atomic_intrinsics.measure(grid, "plain").set_index("operation")


@pytest.mark.skipif(usable_cpus() < 2, reason="two threads need two CPUs")
def test_plain_updates_lose_and_that_is_no_error(plain):
    assert set(plain["status"]) == {"ok"}
    assert plain.loc["add", "expected"] == 10_000_000
    assert plain.loc["add", "lost_updates"] > 0
    assert plain.loc["add", "wrong_elements"] > 0


@pytest.mark.skipif(usable_cpus() > 1, reason="there are two CPUs")
def test_one_cpu_cannot_race_and_says_so(plain):
    assert set(plain["status"]) == {"unsupported"}
    assert plain["reason"].str.contains("needs 2 CPUs").all()
