"""Two processes, and two GPUs, at the same memory: the processes are real, the GPUs are threads."""

import sys
import types

import pytest

from scopemark.experiments.unified_memory import peer
from scopemark.stage.neighbour import Neighbour
from scopemark.targets import usable_cpus
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY
from stage_of_threads import missing, right

two_cpus = pytest.mark.skipif(usable_cpus() < 2, reason="two processors need two CPUs here")


# Two processes.


@pytest.mark.parametrize("memory", ["memfd", "file"])
@pytest.mark.parametrize("attributes", [MANAGED_ONLY, HARDWARE])
def test_what_one_process_writes_the_other_reads(samples, memory, attributes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    processors = ["cpu"] if attributes is MANAGED_ONLY else ["cpu", "gpu"]
    for processor in processors:
        found = samples("sharing", attributes, memory=memory, processor=processor, size_bytes=4096)
        assert right(found)
        first = sum(range(1, 1025))
        assert [one.observed for one in found] == [first, first + 2 * 1024]  # the seeds are 1 and 3
    assert list(tmp_path.iterdir()) == []
    reason = missing("sharing", MANAGED_ONLY, memory=memory, processor="gpu")
    assert reason.startswith("pageable_memory_access is 0")


def test_the_other_process_tells_what_differs_and_what_it_cannot_do(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(bytes(4096))
    with path.open("r+b") as file:
        neighbour = Neighbour((file.fileno(),))
        try:
            assert "error" in neighbour.ask(descriptor=file.fileno(), bytes=8192)  # longer than the file
            assert neighbour.ask(descriptor=file.fileno(), bytes=4096) == {}
            assert neighbour.ask(read=0) == {"sum": 0, "wrong": 1023}  # word 0 alone is its place
            assert neighbour.ask(write=7, count=1024) == {}
            assert neighbour.ask(read=7) == {"sum": sum(range(7, 7 + 1024)), "wrong": 0}
            assert "error" in neighbour.ask(handle="00" * 64, bytes=4096, device=0)
        finally:
            neighbour.close()
    assert path.read_bytes()[:8] == bytes([7, 0, 0, 0, 8, 0, 0, 0])


def test_managed_memory_has_no_handle(samples):
    found = samples("sharing", memory="managed_ipc", processor="gpu", size_bytes=4096)
    assert right(found)
    assert {one.note for one in found} == {"cudaIpcGetMemHandle: cudaErrorInvalidValue"}

    def generous(stage):
        stage._cudaIpcGetMemHandle = lambda address: "a handle"

    (given,) = samples("sharing", memory="managed_ipc", processor="gpu", size_bytes=4096, n=1, prepare=generous)
    assert (given.wrong, given.observed, given.expected) == (1, 0, 1)
    assert "gave a handle" in given.note


def test_a_handle_that_cannot_be_opened_is_told(samples):
    def closed(stage):
        stage._cudaIpcGetMemHandle = lambda address: types.SimpleNamespace(reserved=bytes(64))

    found = samples("sharing", memory="device_ipc", processor="gpu", size_bytes=4096, prepare=closed)
    assert [one.wrong for one in found] == [1, 1]
    assert all(one.timed.discarded and one.note for one in found)


# Two GPUs.


@pytest.fixture
def cards(monkeypatch):
    """CuPy as far as the benchmark of two GPUs needs it; devices are entered and left in turn."""
    stages = []

    class Device:
        def __init__(self, ordinal):
            self.ordinal = ordinal

        def __enter__(self):
            self.before, stages[0].current = stages[0].current, self.ordinal

        def __exit__(self, *error):
            stages[0].current = self.before

    def stream(non_blocking):
        return types.SimpleNamespace(ptr=100 + stages[0].current)

    fake = types.SimpleNamespace(cuda=types.SimpleNamespace(Device=Device, Stream=stream))
    monkeypatch.setitem(sys.modules, "cupy", fake)

    def prepare(stage):
        stages[:] = [stage]

    return prepare


@two_cpus
@pytest.mark.parametrize("way", ["peer_read", "peer_write", "managed_both", "preferred_other", "system_atomics"])
@pytest.mark.parametrize("attributes", [MANAGED_ONLY | {"gpus": 2}, LIMITED | {"gpus": 2}])
def test_two_gpus_work_on_the_same_memory(samples, cards, monkeypatch, way, attributes):
    if missing("peer", attributes, way=way):
        return
    for name, value in {"GPU_BLOCKS": 1, "GPU_THREADS": 1, "ADDS": 1000}.items():  # more would queue for the CPUs
        monkeypatch.setattr(peer, name, value)
    found = samples("peer", attributes, way=way, size_bytes=4096, prepare=cards)
    assert right(found)
    stage = samples.stage
    assert stage.current == 0  # as it was found
    assert 101 in stage._pending  # the other GPU took part, in a stream of its own
    if way == "system_atomics":
        assert [one.expected for one in found] == [2000, 2000]
    advice = ["SetPreferredLocation 1", "SetAccessedBy 0"] if way == "preferred_other" else []
    assert stage.events == ["reach 1 from 0", *advice, "leave 1 from 0"] * 2  # opened for each sample alone


def test_one_gpu_is_not_two():
    for way in ("peer_read", "system_atomics"):
        assert missing("peer", MANAGED_ONLY | {"gpus": 1}, way=way) == "needs two GPUs; there is 1"
    two = LIMITED | {"gpus": 2}
    assert missing("peer", two, way="preferred_other") == "concurrent_managed_access is 0: there are no hints"
    assert missing("peer", two, way="system_atomics").startswith("concurrent_managed_access is 0")
    assert missing("peer", two, way="peer_read") is None
    assert missing("peer", two, way="managed_both") is None
