"""Cold shots: the program on a runtime of the tests, whose memory is the host's, and built with real kernels."""

import dataclasses
import shlex
import signal
import subprocess

import pytest

from helpers import ROOT
from scopemark.axes import integer
from scopemark.benchmark import Machine
from scopemark.build import compile_cold_shots, host_compiler, write_instances
from scopemark.experiment import load_experiment
from scopemark.grid import instances_of
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch
from scopemark.measure import cold_shots, worker
from scopemark.measure.cold_shots import ColdShot, Series
from scopemark.targets import find_gpus

SLOTS = 4
MACHINE = Machine("gpu", 2, attributes={"l2_bytes": 512})
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
    """The program, built with the tests' runtime and kernels."""
    build, kernels = tmp_path_factory.mktemp("cold_shots"), ROOT / "tests/cold_shots"
    write_instances([f"SCOPEMARK_NAME({name})" for name in ("slots", "nothing", "crashes")], build / "names.inc")
    defines = {"SCOPEMARK_KERNEL_FILE": kernels / "kernels.cu", "SCOPEMARK_NAMES": build / "names.inc"}
    flags = [
        "-std=c++17",
        f"-I{kernels}",
        f"-I{toolchain.cccl_include}",
        *(f'-D{name}="{path}"' for name, path in defines.items()),
    ]
    command = [*shlex.split(host_compiler()), *flags, "-x", "c++", str(ROOT / "kernels/cold_shots.cu")]
    subprocess.run([*command, "-o", str(build / "program")], check=True)
    return build / "program"


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
    with pytest.raises(RuntimeError, match="the program was ended by SIGABRT"):
        next(batches)


def test_a_kernel_that_the_program_does_not_hold_is_told_before_any_launch(program, calls):
    with pytest.raises(RuntimeError, match="this program has no kernel others"):
        Series(program, 0, [shot(), shot(kernel="others")])


def test_the_worker_answers_for_every_shot_up_to_the_one_that_fails(program, calls, monkeypatch):
    """The experiment's own kernels are not in the program: two of the tests' stand for them."""
    monkeypatch.setattr(worker, "gpu_machine", lambda device: MACHINE)
    point = {"operation": "add", "api": "plain", "order": "relaxed", "scope": "device", "slots": 4, "updates": 64}
    point |= {"threads_per_block": 64, "cache": "warm", "sampling": "cold_shots_2", "target_kind": "gpu"}
    opening = {"experiment": "atomic_intrinsics", "kind": "gpu", "device": 0, "backends": ["cold_shots"]}
    held = worker.Worker({**opening, "cold_shots": str(program)})
    request = {"benchmark": "sample", "parameters": point, "first": 0, "n": 1}
    requests = [{**request, "case": name, "kernel": name} for name in ("nothing", "crashes", "nothing")]
    for _ in range(2):  # the program is run again and again
        ((reply, fatal),) = worker.answers(held, requests[:1])
        assert (reply["expected"], fatal) == ([64], False)
    found = list(worker.answers(held, requests))
    assert [("event" in reply, fatal) for reply, fatal in found] == [(False, False), (True, True)]
    assert found[0][0]["expected"] == [64]
    assert found[1][0]["event"] == ["failed", "RuntimeError: the program was ended by SIGABRT"]
    assert found[0][0]["prepare_seconds"] > 0


@pytest.mark.skipif(bool(find_gpus()), reason="there is a GPU, on which tests/gpu runs it")
def test_it_is_built_with_an_experiments_kernels_and_says_what_a_machine_without_a_gpu_lacks(toolchain, tmp_path):
    experiment = load_experiment("atomic_intrinsics")
    grid = {"benchmark": "sample", "kind": "gpu", "operation": ["add", "max"], "cache": "warm"}
    entries = instances_of(experiment, [grid], "gpu", lambda case: case.parameters["operation"] == "add")
    assert list(entries) == ["sample__atomic_ref_add_relaxed_device_10"]
    source = (ROOT / "kernels/atomic_intrinsics.cu").resolve()
    compile_cold_shots(toolchain, "75", source, entries, tmp_path / "program", tmp_path / "report.txt")
    (kernel,) = entries
    case = experiment.benchmark("sample")
    parameters = {axis.name: axis.default for axis in case.all_axes} | {"cache": "warm", "target_kind": "gpu"}
    with pytest.raises(RuntimeError, match="cudaSetDevice: "):
        Series(tmp_path / "program", 0, [ColdShot(case, parameters, kernel, MACHINE)])
    with pytest.raises(RuntimeError, match="no kernel sample__atomic_ref_max"):
        Series(tmp_path / "program", 0, [ColdShot(case, parameters, kernel.replace("add", "max"), MACHINE)])
