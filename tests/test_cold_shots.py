"""The backend of cold shots, on memory of the host in place of a GPU's: what is called when, and what is checked."""

import ctypes
import dataclasses
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from scopemark.axes import integer
from scopemark.benchmark import Machine
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch
from scopemark.measure import cold_shots, cuda_runtime
from scopemark.measure.backend import Unsupported

SLOTS = 4
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


class Gpu:
    """A GPU whose memory is the host's. `calls` lists what it was asked to do."""

    def __init__(self):
        self.calls, self.runtime = [], None

    def memory(self, bytes):
        """What takes memory from it."""
        self.calls.append(f"allocate {bytes}")
        held = ctypes.create_string_buffer(b"\xff" * bytes, bytes)
        return SimpleNamespace(ptr=ctypes.addressof(held), size=bytes, held=held)

    def memcpy(self, to, source, bytes, direction):
        self.calls.append(f"copy {bytes}")
        ctypes.memmove(to, source, bytes)

    def memset(self, address, value, bytes):
        self.calls.append(f"set {bytes}")
        ctypes.memset(address, value, bytes)

    def fire(self, shot, stream, begin, end):
        """The kernel: to each slot what it started with, its datum, and the number."""
        assert stream == 0  # the stream of a program that names none
        self.calls.append("fire")
        arrays = [np.ctypeslib.as_array((ctypes.c_int32 * SLOTS).from_address(each)) for each in shot.words[:3]]
        arrays[0] += arrays[1] + arrays[2] + shot.words[4]
        arrays[1][:] = -1
        ctypes.c_uint64.from_address(shot.words[3]).value = 99

    def kernel(self, name, shared_bytes):
        self.calls.append(f"find {name}")
        return 1


@pytest.fixture
def gpu(monkeypatch):
    gpu = Gpu()
    device = SimpleNamespace(use=lambda: None, attributes={"L2CacheSize": 512, "MaxSharedMemoryPerBlock": 48 * 1024})
    event = SimpleNamespace(ptr=1, synchronize=lambda: gpu.calls.append("wait"))
    cuda = SimpleNamespace(
        Device=lambda *number: device,
        Event=lambda: event,
        Memory=gpu.memory,
        get_elapsed_time=lambda begin, end: 0.25,  # milliseconds
    )
    copies = {"memcpyHostToDevice": 1, "memcpyDeviceToHost": 2}
    monkeypatch.setattr(cold_shots, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(cold_shots, "runtime", SimpleNamespace(memcpy=gpu.memcpy, memset=gpu.memset, **copies))
    monkeypatch.setattr(cold_shots, "gpu_machine", lambda device: Machine("gpu", 2, shared_bytes_per_block=2**16))
    monkeypatch.setattr(cold_shots, "RuntimeLibrary", lambda cubin: gpu)
    trigger = SimpleNamespace(of_runtime=lambda support, runtime: SimpleNamespace(fire=gpu.fire))
    monkeypatch.setattr(cold_shots, "Trigger", trigger)
    monkeypatch.setattr(cold_shots, "Shot", lambda function, launch, words: SimpleNamespace(words=words))
    return gpu


def shoot(adds=3, cache="warm", n=1):
    backend = cold_shots.ColdShots(0, Path("a.cubin"), Path("support.so"))
    parameters = {"adds": adds, "cache": cache, "sampling": f"cold_shots_{n}"}
    return backend.sample(backend.prepare(BENCHMARK, parameters, "slots"), 0, n, warm_up=True)


def test_a_shot_is_timed_by_its_events_and_checked(gpu):
    batch = shoot()
    assert batch.seconds == [0.25e-3]
    # 7 + i + 3 = 10 + i, four times.
    assert (batch.wrong, batch.observed, batch.expected) == ([0], [46], [46])
    assert batch.cycles == [99]
    assert (batch.clock_hz, batch.discarded) == ([None], [""])


def test_a_wrong_result_is_told_by_its_amount(gpu):
    batch = shoot(adds=5)
    assert (batch.wrong, batch.observed, batch.expected) == ([4], [54], [46])


def test_nothing_is_launched_before_the_shot_and_nothing_is_between_it_and_the_end(gpu):
    shoot()
    # Four buffers, each on 256 bytes of its own, in one allocation.
    assert gpu.calls[:2] == ["find slots", "allocate 1024"]
    assert gpu.calls.count("fire") == 1
    fire = gpu.calls.index("fire")
    assert gpu.calls[fire - 1] == "set 8"  # the cycles, last of what is set before
    assert gpu.calls[fire + 1] == "wait"


def test_memory_holds_its_contents_before_every_shot(gpu):
    """The kernel leaves its slots and their start changed."""
    assert shoot(n=3).wrong == [0, 0, 0]


def test_the_shots_of_a_process_share_their_memory(gpu):
    backend = cold_shots.ColdShots(0, Path("a.cubin"), Path("support.so"))
    for adds in (3, 4):
        parameters = {"adds": adds, "cache": "warm", "sampling": "cold_shots_1"}
        backend.sample(backend.prepare(BENCHMARK, parameters, "slots"), 0, 1, warm_up=False)
    assert [call for call in gpu.calls if call.startswith("allocate")] == ["allocate 1024"]


def test_the_flush_overwrites_as_much_as_the_l2_holds(gpu):
    shoot(cache="cold")
    fire = gpu.calls.index("fire")
    assert gpu.calls[fire - 1] == "set 512"


def test_a_block_that_asks_for_more_memory_than_there_is_is_unsupported_before_any_is_taken(gpu):
    greedy = dataclasses.replace(BENCHMARK, launch=lambda p, machine: Launch(2, 64, 2**17))
    backend = cold_shots.ColdShots(0, Path("a.cubin"), Path("support.so"))
    with pytest.raises(Unsupported, match="needs 131072 bytes of shared memory per block; this GPU has 65536"):
        backend.prepare(greedy, {"adds": 1, "cache": "warm", "sampling": "cold_shots_1"}, "slots")
    assert gpu.calls == []


# The runtime library


def test_a_machine_without_a_runtime_library_lacks_it(monkeypatch):
    def missing(name):
        raise cuda_runtime.DynamicLibNotFoundError(name)

    monkeypatch.setattr(cuda_runtime, "load_nvidia_dynamic_lib", missing)
    with pytest.raises(Unsupported, match="no CUDA runtime library: install nvidia-cuda-runtime"):
        cuda_runtime.RuntimeLibrary(Path("a.cubin"))


def test_a_runtime_library_that_loads_no_cubin_is_too_old(monkeypatch):
    monkeypatch.setattr(cuda_runtime, "load_nvidia_dynamic_lib", lambda name: SimpleNamespace(abs_path=None))
    with pytest.raises(Unsupported, match=r"from before CUDA 12\.8"):
        cuda_runtime.RuntimeLibrary(Path("a.cubin"))
