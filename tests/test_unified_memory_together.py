"""Both processors, several threads, processes and GPUs at the same memory: sequences that run here on threads."""

import ctypes
import itertools
import re
import types

import pytest

from scopemark.benchmark import Machine
from scopemark.build import compile_host, write_instances
from scopemark.experiment import load_experiment
from scopemark.experiments.unified_memory import attachment, counter, overlap, signals
from scopemark.experiments.unified_memory.counter import together, took
from scopemark.layout import KERNELS
from scopemark.stage.memory import Memory
from scopemark.stage.neighbour import Neighbour
from scopemark.targets import usable_cpus
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY, SOFTWARE
from stage_of_threads import PREFETCH_SECONDS, Threads

EXPERIMENT = load_experiment("unified_memory")
two_cpus = pytest.mark.skipif(usable_cpus() < 2, reason="two processors need two CPUs here")


@pytest.fixture(scope="module")
def library(tmp_path_factory, toolchain):
    build = tmp_path_factory.mktemp("build")
    write_instances([], build / "none.inc")
    source = (KERNELS / "unified_memory.cu").resolve()
    compile_host(toolchain, source, build / "none.inc", build / "host.so", build / "report.txt")
    return build / "host.so"


def parameters(name, **changes):
    benchmark = EXPERIMENT.benchmark(name)
    chosen = {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"} | changes
    assert not [rule.reason for rule in benchmark.rules if rule.excludes(chosen)]
    return benchmark, chosen


def missing(name, attributes, **changes):
    benchmark, chosen = parameters(name, **changes)
    return benchmark.missing(chosen, Machine("gpu", 132, 0, 90, attributes))


@pytest.fixture
def samples(library, monkeypatch):
    """Takes samples of a case on threads; gives back what it allocated, which must be all."""

    def take(name, attributes=MANAGED_ONLY, n=2, prepare=lambda stage: None, refused=False, **changes):
        benchmark, chosen = parameters(name, **changes)
        assert (benchmark.missing(chosen, Machine("gpu", 2, 0, 90, attributes)) is not None) == refused
        stage = Threads(library, attributes, monkeypatch)
        prepare(stage)
        owned = []
        with stage.owner(owned, benchmark.uses(chosen)):
            steps = benchmark.run(chosen, stage)
            found = list(itertools.islice(steps, n))
            steps.close()
        for memory in owned:
            memory.release()
        assert stage.live == 0
        take.stage = stage
        return found

    return take


def right(found):
    return all(one.wrong == 0 and one.observed == one.expected and one.timed.seconds > 0 for one in found)


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


# A kernel, and data on their way.

SIZE = 2**20


@pytest.mark.parametrize("pair", overlap.PAIRS)
@pytest.mark.parametrize("arrangement", ["first_alone", "second_alone", "one_stream", "two_streams"])
def test_the_data_arrive_whatever_the_order(samples, pair, arrangement):
    found = samples("overlap", pair=pair, arrangement=arrangement, size_bytes=SIZE)
    assert right(found)
    if arrangement == "first_alone":
        assert [one.observed for one in found] == [2 * 512 // 32] * 2  # warps of two SMs
    else:
        # Words of a seed plus their place, with another seed in every sample.
        words = SIZE // 4
        assert [one.observed for one in found] == [words * seed + words * (words - 1) // 2 for seed in (2, 3)]


def test_data_that_were_not_moved_are_found_out(samples):
    def lazy(stage):
        stage.copy = lambda *arguments: None

    found = samples("overlap", pair="kernel_copy", arrangement="two_streams", size_bytes=SIZE, prepare=lazy)
    assert [one.wrong for one in found] == [SIZE // 4] * 2


def test_one_stream_puts_in_order_what_two_overlap(samples, monkeypatch):
    monkeypatch.setattr(overlap, "NOMINAL", SIZE / 60e6)  # the kernel takes 60 ms, the prefetch 40
    took = {}
    for arrangement in ("first_alone", "second_alone", "one_stream", "two_streams"):
        found = samples("overlap", pair="prefetch_order", arrangement=arrangement, size_bytes=SIZE, n=3)
        took[arrangement] = min(one.timed.seconds for one in found)
        if arrangement == "one_stream":
            assert all(one.note.startswith("it began after the kernel before it; ") for one in found)
            assert any(one.note.endswith("the kernel behind it found the data in place") for one in found)
    assert took["first_alone"] >= 0.060
    assert took["second_alone"] >= PREFETCH_SECONDS
    assert took["one_stream"] >= 0.060 + PREFETCH_SECONDS
    assert 0.060 <= took["two_streams"] < 0.060 + PREFETCH_SECONDS


def test_a_kernel_that_waits_for_data_is_told_from_one_that_does_not(samples):
    def late(stage):
        original = stage.prefetch

        def prefetch(memory, where, bytes=0, stream=0):
            original(memory, where, bytes, stream)
            if stream and stage.sampled:  # all but the first: a prefetch that does nothing, and a kernel that faults
                stage._pending[stream].pop().cancel()
                stage.queue(stream, lambda: None)
                stage.slow[stream] = PREFETCH_SECONDS
            stage.sampled = stage.sampled or bool(stream)

        stage.sampled, stage.prefetch = False, prefetch

    (found,) = samples("overlap", pair="prefetch_order", arrangement="second_alone", size_bytes=SIZE, n=1, prepare=late)
    assert found.note == "the kernel behind it had to wait for data"


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
    monkeypatch.setitem(__import__("sys").modules, "cupy", fake)

    def prepare(stage):
        stages[:] = [stage]

    return prepare


@two_cpus
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", ["peer_read", "peer_write", "managed_both", "preferred_other", "system_atomics"])
def test_two_gpus_work_on_the_same_memory(samples, cards, monkeypatch, way):
    from scopemark.experiments.unified_memory import peer

    for name, value in {"GPU_BLOCKS": 1, "GPU_THREADS": 1, "ADDS": 1000}.items():
        monkeypatch.setattr(peer, name, value)
    found = samples("peer", MANAGED_ONLY | {"gpus": 2}, way=way, size_bytes=4096, prepare=cards)
    assert right(found)
    stage = samples.stage
    assert stage.current == 0  # as it was found
    assert 101 in stage._pending  # the other GPU took part, in a stream of its own
    if way == "system_atomics":
        assert [one.expected for one in found] == [2000, 2000]
    peers = ["reach 1 from 0", "leave 1 from 0"] if way.startswith("peer") else []
    advice = ["SetPreferredLocation 1", "SetAccessedBy 0"] * 2 if way == "preferred_other" else []
    assert stage.events == peers + advice


def test_one_gpu_is_not_two():
    for way in ("peer_read", "system_atomics"):
        assert missing("peer", MANAGED_ONLY | {"gpus": 1}, way=way) == "needs two GPUs; there is 1"
    two = LIMITED | {"gpus": 2}
    assert missing("peer", two, way="preferred_other") == "concurrent_managed_access is 0: there are no hints"
    assert missing("peer", two, way="system_atomics").startswith("concurrent_managed_access is 0")
    assert missing("peer", two, way="peer_read") is None
    assert missing("peer", two, way="managed_both") is None
