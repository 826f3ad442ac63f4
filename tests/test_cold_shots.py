"""Cold shots: the program on a runtime of the tests, whose memory is the host's, and built with real kernels."""

import dataclasses
import signal

import pytest

from cold_shots_program import build_program
from helpers import ROOT, load_faults
from scopemark.axes import integer
from scopemark.benchmark import Machine
from scopemark.build import compile_cold_shots
from scopemark.experiment import load_experiment
from scopemark.grid import expand_all, instances_of
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch
from scopemark.measure import cold_shots, worker
from scopemark.measure.backend import Unsupported
from scopemark.measure.cold_shots import ColdShot, Series, series_hashes
from scopemark.targets import find_gpus

SLOTS = 4
MACHINE = Machine("gpu", 2, 65536, attributes={"l2_bytes": 512})
BENCHMARK = KernelBenchmark(
    name="slots",
    axes=(integer("adds", 3, 0, 100, "what the kernel adds"),),
    compile_axes=(),
    rules=(),
    launch=lambda p, machine: Launch(2, 64),
    buffers=lambda p, launch: {
        "slots": Buffer("int32", SLOTS, 0),
        "start": Buffer("int32", SLOTS, 7),
        "data": Buffer("int32", SLOTS, None, lambda xp: xp.arange(SLOTS, dtype="int32")),
        "expected": Buffer("int32", SLOTS, None, lambda xp: xp.arange(SLOTS, dtype="int32") + 10),
        "cycles": Buffer("uint64", 1, 0),
    },
    arguments=lambda p, launch: ["slots", "start", "data", "cycles", p["adds"]],
    check=lambda p, launch: Check("slots", SLOTS, 1, "expected"),
    operations=lambda p, launch: 1,
    cycles="cycles",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory, toolchain):
    names = ("slots", "nothing", "crashes", "leaves", "prints")
    return build_program(tmp_path_factory.mktemp("cold_shots"), toolchain, "kernels.cu", names)


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The calls of the runtime, once the program has ended."""
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return lambda: (tmp_path / "calls").read_text().splitlines()


def shot(adds=3, cache="warm", kernel="slots", benchmark=BENCHMARK):
    parameters = {"adds": adds, "cache": cache, "sampling": "cold_shots_1"}
    return ColdShot(benchmark, parameters, kernel, MACHINE)


def fire(program, *shots):
    return list(Series(program, 1, shots).fire())


def test_a_shot_is_timed_by_its_events_and_checked(program, calls):
    (batch,) = fire(program, shot())
    assert batch.seconds == [0.25e-3]
    # 7 + i + 3 = 10 + i, four times.
    assert (batch.wrong, batch.observed, batch.expected) == ([0], [46], [46])
    assert batch.cycles == [99]
    assert (batch.clock_hz, batch.discarded) == ([None], [""])


def test_what_decides_when_kernels_are_loaded_is_noted(program, calls, monkeypatch):
    monkeypatch.delenv("CUDA_MODULE_LOADING", raising=False)
    assert fire(program, shot())[0].note == [None]
    monkeypatch.setenv("CUDA_MODULE_LOADING", "EAGER")
    assert fire(program, shot())[0].note == ["CUDA_MODULE_LOADING=EAGER"]


def test_a_wrong_result_is_told_by_its_amount(program, calls):
    (batch,) = fire(program, shot(adds=5))
    assert (batch.wrong, batch.observed, batch.expected) == ([4], [54], [46])


def test_nothing_is_launched_before_a_shot_or_done_beside_it(program, calls):
    fire(program, shot())
    assert calls() == [
        "device 1",
        "allocate 776",  # three buffers on 256 bytes each, and 8 for the cycles
        *["set 16", "write 16", "write 16", "set 8"],  # zeros are set, as a program would
        *["record 0", "launch 2 64 0", "record 1", "wait 1"],
        *["read 16"] * 3,
        "read 8",
    ]


def test_the_program_has_ended_when_the_last_shot_is_there(program, calls):
    series = Series(program, 0, [shot(), shot()])
    batches = series.fire()
    next(batches)
    next(batches)
    assert series._process.returncode == 0


def test_a_program_that_does_not_end_is_ended(program, calls, tmp_path, monkeypatch):
    monkeypatch.setattr(cold_shots, "END_SECONDS", 0.2)
    lingering = tmp_path / "lingering"
    lingering.write_text(f"#!/bin/sh\n{program}\nexec sleep 600 >&-\n")
    lingering.chmod(0o755)
    series = Series(lingering, 0, [shot()])
    assert [batch.wrong for batch in series.fire()] == [[0]]
    assert series._process.wait(10) == -signal.SIGKILL


def test_every_shot_finds_its_memory_as_it_should_be(program, calls):
    """The kernel leaves its slots, their start and the cycles changed."""
    batches = fire(program, shot(), shot(), shot(adds=4))
    assert [batch.wrong for batch in batches] == [[0], [0], [4]]
    assert [call for call in calls() if call.startswith("allocate")] == ["allocate 776"]


def test_the_flush_overwrites_as_much_as_the_l2_holds(program, calls):
    fire(program, shot(cache="cold"))
    assert "allocate 512" in calls()
    assert calls()[calls().index("record 0") - 1] == "set 512"


def test_a_block_may_have_more_memory_than_it_has_unasked(program, calls):
    fire(program, shot(benchmark=dataclasses.replace(BENCHMARK, launch=lambda p, machine: Launch(2, 64, 65536))))
    assert "attribute 8 65536" in calls()
    assert "launch 2 64 65536" in calls()


def test_what_the_runtime_refuses_is_told_and_what_came_before_is_there(program, calls):
    wide = dataclasses.replace(BENCHMARK, launch=lambda p, machine: Launch(1, 2000))
    batches = Series(program, 0, [shot(), shot(benchmark=wide), shot()]).fire()
    assert next(batches).wrong == [0]
    with pytest.raises(RuntimeError, match="slots: invalid configuration argument"):
        next(batches)


def test_a_kernel_that_ends_the_program_is_told_by_the_signal(program, calls):
    batches = Series(program, 0, [shot(), shot(kernel="crashes")]).fire()
    assert next(batches).wrong == [0]
    with pytest.raises(RuntimeError, match="the program was ended by SIGABRT; its last words are in the log"):
        next(batches)


def test_a_kernel_that_leaves_the_program_is_told_by_its_status(program, calls):
    with pytest.raises(RuntimeError, match="the program ended with exit status 0"):
        fire(program, shot(kernel="leaves"))


def test_what_a_kernel_prints_is_no_answer_and_holds_nobody_up(program, calls, capfd):
    """More than a pipe holds, to both outputs."""
    (batch,) = fire(program, shot(kernel="prints"))
    assert batch.seconds == [0.25e-3]
    line = len("said by a kernel, line 1234 of many\n")
    shorter = 3 * 10 + 2 * 90 + 1 * 900  # lines 0 to 999 have fewer digits
    assert len(capfd.readouterr().err) == 2 * (4000 * line - shorter)


def test_a_kernel_that_the_program_does_not_hold_is_told_before_any_launch(program, calls):
    with pytest.raises(RuntimeError, match="this program has no kernel others"):
        Series(program, 0, [shot(), shot(kernel="others")])


# In the worker


@pytest.fixture
def fire_cases(program, calls, monkeypatch):
    """Fires kernels as one series of cases in a worker. The tests' kernels stand for those of the sample."""
    machine = dataclasses.replace(MACHINE, shared_bytes_per_block=1024)
    monkeypatch.setattr(worker, "gpu_machine", lambda device: machine)
    point = {"operation": "add", "api": "plain", "order": "relaxed", "scope": "device", "slots": 4, "updates": 64}
    point |= {"threads_per_block": 64, "cache": "warm", "sampling": "cold_shots_2", "target_kind": "gpu"}
    opening = {"experiment": "atomic_intrinsics", "kind": "gpu", "device": 0, "backends": ["cold_shots"]}
    held = worker.Worker({**opening, "cold_shots": str(program)})

    def fire(*kernels, **changes):
        request = {"benchmark": "sample", "parameters": point | changes, "first": 0, "n": 1}
        return list(worker.answers(held, [{**request, "case": name, "kernel": name} for name in kernels]))

    return fire


def test_the_worker_has_the_program_run_again_and_again(fire_cases):
    for _ in range(2):
        (reply,) = fire_cases("nothing")
        assert (reply["expected"], reply["prepare_seconds"] > 0) == ([64], True)


def test_it_answers_for_every_shot_up_to_the_one_that_fails(fire_cases):
    first, second = fire_cases("nothing", "crashes", "nothing")
    assert first["expected"] == [64]
    reason = "RuntimeError: the program was ended by SIGABRT; its last words are in the log"
    assert second == {"event": ["failed", reason], "fatal": True}


def test_what_fails_before_the_first_launch_is_no_single_shots_fault(fire_cases):
    event = ["failed", "RuntimeError: this program has no kernel others"]
    assert fire_cases("nothing", "nothing", "others") == [{"event": event, "fatal": False}] * 3


def test_a_case_that_cannot_be_told_is_left_out_of_the_series(fire_cases, monkeypatch):
    build = worker.ColdShot

    def picky(benchmark, parameters, kernel, machine):
        if kernel == "large":
            raise MemoryError("no room")
        return build(benchmark, parameters, kernel, machine)

    monkeypatch.setattr(worker, "ColdShot", picky)
    first, second, third = fire_cases("nothing", "large", "nothing")
    assert (first["expected"], third["expected"]) == ([64], [64])
    assert second == {"event": ["unsupported", "not enough memory: no room"], "fatal": False}


def test_a_block_that_asks_for_more_memory_than_there_is_is_unsupported():
    greedy = dataclasses.replace(BENCHMARK, launch=lambda p, machine: Launch(2, 64, 2**17))
    with pytest.raises(Unsupported, match="needs 131072 bytes of shared memory per block; this GPU has 65536"):
        shot(benchmark=greedy)


# What identifies them


def test_stored_shots_stand_for_those_after_the_same_ones(monkeypatch):
    """The case's own code, what comes before it, the program, and when it loads kernels."""
    monkeypatch.delenv("CUDA_MODULE_LOADING", raising=False)

    def hashes(order, changed=None, more=()):
        grids = [{"iterations": number, "sampling": "cold_shots_3"} for number in order] + list(more)
        cases = expand_all(load_faults(), [{"benchmark": "fault", **grid} for grid in grids], "gpu")[0]
        own = {case.id: f"{case.parameters['iterations'] == changed}" for case in cases}
        numbers = {case.id: case.parameters["iterations"] for case in cases}
        return {numbers[case]: value for case, value in series_hashes(cases, own).items()}

    base = hashes([1, 2, 3])
    assert hashes([1, 2, 3], more=[{"iterations": 9}]) == base  # what is no shot is no part of the series
    assert [hashes([1, 2, 3], changed=2)[case] == base[case] for case in (1, 2, 3)] == [True, False, False]
    assert [hashes([1, 3, 2])[case] == base[case] for case in (1, 2, 3)] == [True, False, False]
    monkeypatch.setenv("CUDA_MODULE_LOADING", "EAGER")
    assert not base.items() & hashes([1, 2, 3]).items()


@pytest.mark.skipif(bool(find_gpus()), reason="there is a GPU, on which tests/gpu runs it")
def test_it_is_built_with_an_experiments_kernels_and_says_what_a_machine_without_a_gpu_lacks(toolchain, tmp_path):
    experiment = load_experiment("atomic_intrinsics")
    grid = {"benchmark": "sample", "kind": "gpu", "operation": ["add", "max"], "cache": "warm"}
    entries = instances_of(experiment, [grid], "gpu", lambda case: case.parameters["operation"] == "add")
    assert list(entries) == ["sample__atomic_ref_add_relaxed_device_10_1000000"]
    source = (ROOT / "kernels/atomic_intrinsics.cu").resolve()
    compile_cold_shots(toolchain, "75", source, entries, tmp_path / "program", tmp_path / "report.txt")
    (kernel,) = entries
    case = experiment.benchmark("sample")
    parameters = {axis.name: axis.default for axis in case.all_axes} | {"cache": "warm", "target_kind": "gpu"}
    with pytest.raises(RuntimeError, match="cudaSetDevice: "):
        Series(tmp_path / "program", 0, [ColdShot(case, parameters, kernel, MACHINE)])
    with pytest.raises(RuntimeError, match="no kernel sample__atomic_ref_max"):
        Series(tmp_path / "program", 0, [ColdShot(case, parameters, kernel.replace("add", "max"), MACHINE)])
