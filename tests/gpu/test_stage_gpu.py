"""The stage on a GPU: both processors at memory of every kind, places that are set and asked for, and the guard."""

import pytest

from scopemark.benchmark import Machine
from scopemark.experiments.unified_memory.words import SWEEPS, Words
from scopemark.measure.backend import Unsupported
from scopemark.stage.allocators import ALLOCATORS, no_access, no_memory

pytestmark = pytest.mark.gpu

BYTES = 2**20


@pytest.fixture(scope="module")
def stage(gpu_stage):
    return gpu_stage


@pytest.fixture
def owned(stage):
    memory = []
    with stage.owner(memory, SWEEPS):
        yield memory
    for one in memory:
        one.release()


def usable(stage):
    """The allocators whose memory both processors may touch here."""
    attributes = stage.machine.attributes
    return [
        name
        for name in ALLOCATORS
        if no_memory(name, BYTES, stage.machine) is None
        and not any(no_access(name, processor, attributes) for processor in ("cpu", "gpu"))
    ]


def test_each_processor_sees_what_the_other_writes(stage, owned):
    assert {"managed", "pinned"} <= set(usable(stage))
    for name in usable(stage):
        words = Words(stage, stage.allocate(name, BYTES))
        for writer, reader in (("cpu", "gpu"), ("gpu", "cpu")):
            words.write(writer, 11)
            measured = words.proven(words.sweep(reader, "update"), reader, "update")
            assert (measured.wrong, measured.observed) == (0, sum(range(12, 12 + BYTES // 4))), name


@pytest.mark.parametrize("stride", [4, 4096])
def test_a_kernel_finds_the_sum_that_is_arithmetic(stage, owned, stride):
    words = Words(stage, stage.allocate("device", BYTES), stride)
    words.write("gpu", 2)
    timed = words.sweep("gpu", "read")
    assert stage.found[0] == sum(2 + place for place in range(0, BYTES // 4, stride // 4))
    assert timed.clock_hz > 0


def test_pages_that_come_back_fault(stage, owned):
    if not stage.machine.attributes.get("concurrent_managed_access"):
        pytest.skip("pages do not migrate here")
    words = Words(stage, stage.allocate("managed", 2**24))
    words.write("gpu", 1)
    first, second = (words.sweep("cpu", "read") for _ in range(2))
    assert first.major_faults > 0
    assert second.major_faults == 0


def test_a_place_that_is_advised_is_the_one_that_is_told(stage, owned):
    from scopemark.stage import calls

    if not stage.machine.attributes.get("concurrent_managed_access"):
        pytest.skip("there are no hints here")
    memory = stage.allocate("managed", BYTES)
    for where, told in ((calls.HOST, -1), (stage.device, stage.device)):
        stage.advise(memory, "SetPreferredLocation", where)
        assert calls.range_attribute(memory.address, BYTES, "PreferredLocation") == told
        stage.prefetch(memory, where)
        stage.synchronize()
        assert calls.range_attribute(memory.address, BYTES, "LastPrefetchLocation") == told


def test_system_memory_never_reaches_a_kernel_that_cannot_page(stage, owned, monkeypatch):
    """As on a machine without pageable access, whatever this one has."""
    attributes = {**stage.machine.attributes, "pageable_memory_access": 0}
    machine = stage.machine
    monkeypatch.setattr(stage, "machine", Machine("gpu", machine.processors, attributes=attributes))
    words = Words(stage, stage.allocate("malloc", BYTES))
    words.write("cpu", 1)
    with pytest.raises(Unsupported, match="pageable_memory_access is 0"):
        words.sweep("gpu", "read")


def test_memory_that_is_not_there_is_no_failure(stage, owned):
    with pytest.raises(MemoryError):
        stage.allocate("device", 2**46)
