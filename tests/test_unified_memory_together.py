"""Both processors, and several host threads, at the same memory: sequences that run here on threads."""

import ctypes
import itertools
import re

import pytest

from scopemark.benchmark import Machine
from scopemark.experiments.unified_memory import attachment, counter, signals
from scopemark.experiments.unified_memory.counter import together, took
from scopemark.stage.memory import Memory
from scopemark.targets import usable_cpus
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY, SOFTWARE
from stage_of_threads import EXPERIMENT, missing, right

two_cpus = pytest.mark.skipif(usable_cpus() < 2, reason="two processors need two CPUs here")


# One word, two parties.


@pytest.fixture
def small(monkeypatch):
    """A GPU of one thread beside a CPU of one: more would queue for the CPUs there are."""
    for name, value in {"GPU_BLOCKS": 1, "GPU_THREADS": 1, "CPU_THREADS": 1, "CPU_SHARE": 2}.items():
        monkeypatch.setattr(counter, name, value)


@two_cpus
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("parties", "total"), [("both", 3000), ("gpu", 1000), ("cpu", 2000)])
@pytest.mark.parametrize("scope", ["device", "system"])
def test_the_adds_of_all_threads_arrive(samples, parties, total, scope):
    found = samples("counter", parties=parties, scope=scope, adds=1000)
    assert right(found)
    assert [one.expected for one in found] == [total, total]
    assert not any(one.timed.discarded for one in found)
    assert all(bool(re.fullmatch(r"both added for (0|25|50|75|100) % of the time", one.note)) for one in found) == (
        parties == "both"
    )


def test_device_memory_is_counted_in_by_the_gpu_alone(samples, monkeypatch):
    monkeypatch.setattr(counter, "GPU_BLOCKS", 1)
    monkeypatch.setattr(counter, "GPU_THREADS", 1)
    assert right(samples("counter", allocator="device", parties="gpu", adds=10))
    assert "cannot address cudaMalloc" in missing("counter", MANAGED_ONLY, allocator="device", parties="both")


def test_a_party_that_does_not_come_discards_the_sample():
    words = (ctypes.c_uint32 * 4)(1, 1, 100_001, 400_001)
    started = Memory("pinned", ctypes.addressof(words), 16)
    assert took(started, 2).seconds == pytest.approx(400_001e-9)
    assert took(started, 2).discarded == ""
    assert together(started) == "both added for 25 % of the time"
    words[2] = 0
    assert took(started, 2).discarded == "the two did not meet"
    assert took(started, 1).discarded == ""


@pytest.mark.parametrize("attributes", [MANAGED_ONLY, HARDWARE | {"host_native_atomic_supported": 1}])
def test_what_an_add_promises(attributes):
    native = "host_native_atomic_supported" in attributes
    machine = Machine("gpu", 132, 0, 90, attributes)
    promised = {
        case: EXPERIMENT.benchmark("counter").exact(dict(zip(("allocator", "scope", "parties"), case)), machine)  # noqa: B905
        for case in itertools.product(["managed", "pinned"], ["device", "system"], ["both", "gpu", "cpu"])
    }
    assert all(value for case, value in promised.items() if case[2] != "both")
    assert {case[:2]: value for case, value in promised.items() if case[2] == "both"} == {
        ("managed", "device"): False,
        ("managed", "system"): True,
        ("pinned", "device"): False,
        ("pinned", "system"): native,
    }


# One word asks, another answers.


@two_cpus
@pytest.mark.parametrize("asker", ["cpu", "gpu"])
@pytest.mark.parametrize("allocator", ["managed", "pinned"])
def test_every_question_is_answered(samples, asker, allocator):
    found = samples("signal", asker=asker, allocator=allocator, rounds=20)
    assert right(found)
    assert [one.observed for one in found] == [20, 20]


@two_cpus
@pytest.mark.parametrize("asker", ["cpu", "gpu"])
def test_an_answer_that_does_not_come_is_wrong_and_hangs_nothing(samples, monkeypatch, asker):
    monkeypatch.setattr(signals, "LIMIT_NS", 20_000_000)

    def deaf(stage):
        stage.launch = lambda *arguments, **shape: None

    (found,) = samples("signal", asker=asker, rounds=20, n=1, prepare=deaf)
    assert (found.wrong, found.observed, found.expected) == (1, 0, 20)


def test_a_file_is_no_place_for_signals_without_native_atomics():
    for name, changes in (("signal", {}), ("counter", {"parties": "both"})):
        reason = missing(name, SOFTWARE, allocator="memfd", **changes)
        assert reason.startswith("host_native_atomic_supported is 0")
        assert missing(name, SOFTWARE | {"host_native_atomic_supported": 1}, allocator="memfd", **changes) is None
        assert missing(name, SOFTWARE, allocator="malloc", **changes) is None


# Host threads.

ATTACHED = {"global": None, "single": True, "host_then_single": True}


@two_cpus
@pytest.mark.parametrize("attach", ATTACHED)
@pytest.mark.parametrize("host_threads", [1, 2])
def test_host_threads_take_turns_with_the_gpu(samples, attach, host_threads):
    found = samples("attachment", attach=attach, host_threads=host_threads, size_bytes=4096)
    assert right(found)
    # Words of 1 plus their place, to which each sample adds 1 twice a turn.
    first = sum(range(1, 1025))
    assert [one.observed for one in found] == [
        host_threads * (first + 1024 * 2 * attachment.TURNS * sample) for sample in (1, 2)
    ]
    assert sorted(samples.stage.attached.values()) == (samples.stage.streams(host_threads) if ATTACHED[attach] else [])


@two_cpus
def test_attached_memory_is_the_cpus_while_other_streams_run(samples):
    """The first thread's kernels take 10 ms and the second's 25: a touch always meets the other's."""

    def slow(stage):
        stage.slow = {2: 0.010, 3: 0.025}

    case = {"host_threads": 2, "size_bytes": 4096, "n": 1, "prepare": slow}
    for attach in ("single", "host_then_single"):
        assert right(samples("attachment", LIMITED, attach=attach, **case))
    reason = missing("attachment", LIMITED, attach="global", host_threads=2)
    assert reason.startswith("concurrent_managed_access is 0: a host thread must not touch")
    assert missing("attachment", LIMITED, attach="global", host_threads=1) is None
    with pytest.raises(AssertionError, match="a segmentation fault"):
        samples("attachment", LIMITED, attach="global", refused=True, **case)
