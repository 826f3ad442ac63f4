"""The stage without a GPU: memory of every kind, sweeps whose sums are arithmetic, and who may touch what."""

import itertools

import pytest

from scopemark.benchmark import Machine
from scopemark.capabilities import described_machine
from scopemark.collect import read_machine
from scopemark.experiments.unified_memory.access import RANDOM_READS, scattered
from scopemark.experiments.unified_memory.words import SWEEPS, Words, expected_sum
from scopemark.layout import REFERENCE
from scopemark.measure.backend import Unsupported
from scopemark.stage import Stage
from scopemark.stage.allocators import (
    ALLOCATORS,
    HERE,
    VARIABLE_BYTES,
    no_access,
    no_hints,
    no_memory,
    no_sharing_in_time,
)
from scopemark.stage.stage import OUT
from scopemark.targets import usable_cpus

ATTRIBUTES = {
    "limited": {"managed_memory": 1},
    "managed only": {"managed_memory": 1, "concurrent_managed_access": 1},
    "HMM": {"managed_memory": 1, "concurrent_managed_access": 1, "pageable_memory_access": 1},
    "ATS": {
        "managed_memory": 1,
        "concurrent_managed_access": 1,
        "pageable_memory_access": 1,
        "pageable_memory_access_uses_host_page_tables": 1,
        "host_native_atomic_supported": 1,
    },
}


@pytest.fixture(scope="module")
def stage(memory_library):
    return Stage(Machine("cpu", usable_cpus()), memory_library)


@pytest.fixture
def owned(stage):
    memory = []
    with stage.owner(memory, (*SWEEPS, "read_random", "axpy", "copy_dense")):
        yield memory
    for one in memory:
        one.release()


@pytest.mark.parametrize("allocator", HERE)
@pytest.mark.parametrize("bytes", [4, 4096, 10_000, VARIABLE_BYTES])
def test_memory_of_every_kind_holds_what_is_written(stage, owned, allocator, bytes):
    words = Words(stage, stage.allocate(allocator, bytes))
    words.write("cpu", 5)
    assert words.memory.words().tolist() == list(range(5, 5 + bytes // 4))
    assert words.sweep("cpu", "read").seconds > 0
    assert stage.found[0] == sum(range(5, 5 + bytes // 4))


@pytest.mark.parametrize("stride", [4, 8, 4096])
@pytest.mark.parametrize("operation", ["read", "write", "update"])
def test_sweeps_prove_themselves(stage, owned, stride, operation):
    words = Words(stage, stage.allocate("mmap", 2**16), stride)
    words.write("cpu", 3)
    measured = words.proven(words.sweep("cpu", operation), "cpu", operation)
    seed = {"read": 3, "write": 4, "update": 4}[operation]
    assert (measured.wrong, measured.observed) == (0, sum(seed + i for i in range(0, 2**14, stride // 4)))


@pytest.mark.parametrize("operation", ["read", "write", "update"])
def test_a_word_that_is_off_is_found(stage, owned, operation):
    words = Words(stage, stage.allocate("mmap", 2**16))
    words.write("cpu", 3)
    timed = words.sweep("cpu", operation)
    if operation == "read":  # the sum is taken while it is read
        words.memory.words()[77] += 1
        timed = words.sweep("cpu", operation)
    else:
        words.memory.words()[77] += 1
    measured = words.proven(timed, "cpu", operation)
    assert measured.wrong == 1
    assert measured.observed - measured.expected == 1


@pytest.mark.parametrize("threads", range(1, min(3, usable_cpus()) + 1))
def test_threads_share_a_sweep(stage, owned, threads):
    words = Words(stage, stage.allocate("mmap", 4 * 999), threads=threads)
    words.write("cpu", 1)
    assert words.proven(words.sweep("cpu", "update"), "cpu", "update").observed == sum(range(2, 1001))


def test_more_threads_than_cpus_are_refused(stage, owned):
    words = Words(stage, stage.allocate("mmap", 4096), threads=usable_cpus() + 1)
    with pytest.raises(Unsupported, match=f"needs {usable_cpus() + 1} CPUs"):
        words.sweep("cpu", "read")


def test_random_places_are_those_of_python(stage, owned):
    """The kernel's generator and NumPy's, written apart, draw the same places."""
    memory = stage.allocate("mmap", 2**20)
    Words(stage, memory).write("cpu", 1)
    granules = 2**20 // 64
    stage.on_cpu("read_random", memory, granules, 16, RANDOM_READS, OUT)
    places = (scattered(RANDOM_READS) % granules) * 16
    assert stage.found[0] == int(places.sum()) + RANDOM_READS
    assert len(set(places.tolist())) > 0.99 * granules  # 64 draws a granule leave hardly one out


def test_axpy_is_exact(stage, owned):
    x, y = stage.allocate("mmap", 4096), stage.allocate("mmap", 4096)
    Words(stage, x).write("cpu", 1)
    Words(stage, y).write("cpu", 10)
    for _ in range(3):
        stage.on_cpu("axpy", y, x, 256, 5)
    assert y.words().tolist() == [10 + i + 3 * 5 * (1 + i) for i in range(1024)]


def test_a_kernel_that_is_not_declared_is_refused(stage):
    with stage.owner([], ("read_dense",)), pytest.raises(RuntimeError, match="write_dense"):
        stage.on_cpu("write_dense", 0, 0, 0)


def test_memory_goes_back_once(stage):
    memory, returned = stage.allocate("malloc", 64), []
    give_back = memory.give_back
    memory.give_back = lambda: (returned.append(1), give_back())
    memory.release()
    memory.release()
    assert returned == [1]


def test_only_one_variable_is_on_the_stack(stage, owned):
    first = stage.allocate("stack", 4096)
    with pytest.raises(MemoryError):
        stage.allocate("stack", 4096)
    first.release()
    stage.allocate("stack", 4096).release()


def test_a_fixed_size_is_a_limit(stage):
    with pytest.raises(Unsupported, match=f"there are {VARIABLE_BYTES} bytes"):
        stage.allocate("static", VARIABLE_BYTES + 4)


def test_page_faults_are_counted_with_the_step_that_makes_them(stage, owned):
    """A first touch of small pages faults for each of them, or for a few at once; a second touch does not."""
    memory = stage.allocate("mmap_small", 2**24)
    words = Words(stage, memory)
    first, second = (words.write("cpu", 1) for _ in range(2))
    assert 2**24 // 4096 // 16 <= first.minor_faults <= 2**24 // 4096 + 100
    assert second.minor_faults < 100


def test_the_pages_under_memory_are_told(stage, owned):
    memory = stage.allocate("mmap_small", 2**21)
    Words(stage, memory).write("cpu", 1)
    assert stage.pages(memory) == "pages of 4 KiB, 0 KiB in huge ones"


def test_expected_sums_are_those_of_the_words():
    for count, stride, seed in itertools.product((1, 2, 7), (1, 3), (0, 5)):
        assert expected_sum(count, stride, seed) == sum(seed + stride * i for i in range(count))


# Who may touch what: the guide's table, by the attributes


@pytest.mark.parametrize("paradigm", ATTRIBUTES)
def test_system_memory_reaches_a_kernel_only_where_the_gpu_can_page(paradigm):
    attributes = ATTRIBUTES[paradigm]
    for name, allocator in ALLOCATORS.items():
        reason = no_access(name, "gpu", attributes)
        if allocator.family == "system" and paradigm in ("limited", "managed only"):
            assert "pageable_memory_access is 0" in reason
        else:
            assert reason is None


def test_atomics_on_a_file_need_native_atomics():
    for name in ("file", "memfd"):
        assert "host_native_atomic_supported is 0" in no_access(name, "gpu", ATTRIBUTES["HMM"], atomic=True)
        assert no_access(name, "gpu", ATTRIBUTES["ATS"], atomic=True) is None
    assert no_access("malloc", "gpu", ATTRIBUTES["HMM"], atomic=True) is None


def test_the_cpu_does_not_address_what_is_on_the_gpu():
    assert {name for name in ALLOCATORS if no_access(name, "cpu", {})} == {"device", "device_pool"}


def test_hints_need_concurrent_access_and_memory_that_migrates():
    assert "concurrent_managed_access is 0" in no_hints("managed", ATTRIBUTES["limited"])
    assert no_hints("managed", ATTRIBUTES["managed only"]) is None
    assert no_hints("malloc", ATTRIBUTES["managed only"]) is not None
    assert no_hints("malloc", ATTRIBUTES["HMM"]) is None
    assert no_hints("pinned", ATTRIBUTES["ATS"]) is not None


def test_both_at_once_needs_concurrent_access():
    assert "concurrent_managed_access is 0" in no_sharing_in_time("managed", ATTRIBUTES["limited"])
    assert no_sharing_in_time("managed", ATTRIBUTES["managed only"]) is None
    assert no_sharing_in_time("pinned", ATTRIBUTES["limited"]) is None


@pytest.mark.parametrize(
    ("name", "attributes", "reason"),
    [
        ("managed", {}, "managed_memory is 0"),
        ("host_pool", ATTRIBUTES["managed only"], "memory_pools_supported is 0"),
        ("registered", ATTRIBUTES["managed only"], "host_register_supported is 0"),
        ("numa_gpu", ATTRIBUTES["HMM"], "no NUMA node"),
    ],
)
def test_memory_that_a_machine_lacks_is_named_by_its_attribute(name, attributes, reason):
    assert reason in no_memory(name, 4096, Machine("gpu", 132, attributes=attributes))


def test_a_described_machine_is_the_one_that_was_asked():
    """The recorded H200, whose attributes are in the guide's row for managed memory alone."""
    machine = described_machine(read_machine(REFERENCE / "nvidia-h200" / "machine.json"))
    assert (machine.kind, machine.processors, machine.architecture) == ("gpu", 132, 90)
    assert machine.attributes["gpus"] == 1
    assert {name for name in ALLOCATORS if no_access(name, "gpu", machine.attributes)} == {
        name for name, allocator in ALLOCATORS.items() if allocator.family == "system"
    }


def test_a_cpu_has_its_own_memory_alone():
    assert {name for name in ALLOCATORS if no_memory(name, 4096, Machine("cpu", 2)) is None} == set(HERE)
