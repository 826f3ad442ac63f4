"""A stage whose GPU is threads: each stream is a thread that runs the host build of the kernels, while the CPU goes on.

What runs at once really does. The rules of who may touch what are the stage's own, and without concurrent access the
CPU's touch of managed memory that a running kernel might use is an error, as it is a segmentation fault there.
"""

import ctypes
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.measure.backend import Unsupported
from scopemark.procedure import Timed
from scopemark.stage import calls, cuda_memory, host_memory
from scopemark.stage.allocators import ALLOCATORS, no_access, no_hints
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT, OUT_WORDS, Stage
from scopemark.targets import usable_cpus

EXPERIMENT = load_experiment("unified_memory")
PREFETCH_SECONDS = 0.04


def parameters(name, **changes):
    """A benchmark, and a case of it: its axes' defaults but for what is changed."""
    benchmark = EXPERIMENT.benchmark(name)
    chosen = {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"} | changes
    assert not [rule.reason for rule in benchmark.rules if rule.excludes(chosen)]
    return benchmark, chosen


def missing(name, attributes, **changes):
    """Why a GPU of these attributes cannot run a case, or None."""
    benchmark, chosen = parameters(name, **changes)
    return benchmark.missing(chosen, Machine("gpu", 132, 0, 90, attributes))


def taken(stage, name, n=2, refused=False, **changes):
    """n samples of a case, on a stage, which gets all memory back. `refused`: it must be, and is run all the same."""
    benchmark, chosen = parameters(name, **changes)
    assert (benchmark.missing(chosen, stage.machine) is not None) == refused
    owned = []
    with stage.owner(owned, benchmark.uses(chosen)):
        steps = benchmark.run(chosen, stage)
        found = list(itertools.islice(steps, n))
        steps.close()
    for memory in owned:
        memory.release()
    assert stage.live == 0
    return found


def right(found):
    """Whether samples are, and took time."""
    return all(one.wrong == 0 and one.observed == one.expected and one.timed.seconds > 0 for one in found)


class Watched(Memory):
    """Memory whose stage hears of it when the CPU looks at it."""

    stage = None

    def words(self):
        self.stage.touched(self)
        return super().words()


class Threads(Stage):
    """slow: seconds that a kernel takes at least, by its stream."""

    device, stream, machine_cpus = 0, 1, usable_cpus()

    def __init__(self, library, attributes, monkeypatch):
        super().__init__(Machine("gpu", 2, 0, 90, {"threads_per_multiprocessor": 512} | attributes), library)
        self._gpu_out = (ctypes.c_uint64 * OUT_WORDS)()
        self._queues, self._pending, self.attached, self.slow = {}, {}, {}, {}
        self.live, self.current, self.events = 0, 0, []
        self._memory = type("Memory", (Watched,), {"stage": self})
        monkeypatch.setattr(calls, "call", self.call)
        monkeypatch.setattr(cuda_memory, "call", self.call)

    # Memory.

    def _new(self, allocator, bytes):
        mapping = host_memory.allocate("mmap", max(bytes, 4096), None)
        self.live += 1

        def give_back():
            self.live -= 1
            mapping.release()

        return self._memory(allocator, mapping.address, bytes, give_back)

    def touched(self, memory):
        """The CPU touches memory: not while a kernel runs that might, where that is not promised."""
        if ALLOCATORS[memory.allocator].family != "managed" or self.machine.attributes.get("concurrent_managed_access"):
            return
        mine = self.attached.get(memory.address)
        busy = [stream for stream in self._pending if self._unfinished(stream)]
        assert not (busy if mine is None else mine in busy), "a segmentation fault"

    def _cpu_word(self, argument):
        if isinstance(argument, Memory):
            self.touched(argument)
        return super()._cpu_word(argument)

    def _gpu_word(self, argument):
        if argument is OUT:
            return ctypes.addressof(self._gpu_out)
        if isinstance(argument, Memory):
            assert no_access(argument.allocator, "gpu", self.machine.attributes) is None
            return argument.on_gpu
        return argument

    # Streams.

    def streams(self, n):
        return list(range(2, 2 + n))

    def queue(self, stream, work):
        if stream not in self._queues:
            # On the last CPU: the CPU's own threads begin with the first.
            last = {max(os.sched_getaffinity(0))}
            self._queues[stream] = ThreadPoolExecutor(1, initializer=os.sched_setaffinity, initargs=(0, last))
            self._pending[stream] = []
        self._pending[stream].append(self._queues[stream].submit(work))

    def _unfinished(self, stream):
        return any(not future.done() for future in self._pending[stream])

    def synchronize(self, stream=0):
        for future in self._pending.get(stream or self.stream, []):
            future.result()
        self._pending[stream or self.stream] = []

    def launch(self, kernel, *arguments, items=1, blocks=1, threads=1, stream=0):
        self._check_entry(kernel)
        words = (ctypes.c_uint64 * len(arguments))(*map(self._gpu_word, arguments))
        stream = stream or self.stream

        def work():
            time.sleep(self.slow.get(stream, 0))
            if kernel == "busy":
                time.sleep(arguments[0] * 1e-9)
                self._gpu_out[0] += blocks * threads // 32
                return
            entry = ctypes.cast(getattr(self.library, kernel), ctypes.c_void_p)
            self._launch(entry, words, blocks, threads, 0)

        self.queue(stream, work)

    def ready(self, kernel, *arguments, **shape):
        return lambda: self.launch(kernel, *arguments, **shape)

    def ready_on_cpu(self, kernel, *arguments):
        run = super().ready_on_cpu(kernel, *arguments)

        def checked():
            list(map(self._cpu_word, arguments))
            run()

        return checked

    def on_gpu(self, kernel, *arguments, items=1, blocks=1, threads=1):
        self.clear_out()
        begin = time.perf_counter()
        self.launch(kernel, *arguments, blocks=blocks, threads=threads)
        self.read_out()
        return Timed(time.perf_counter() - begin)

    def load(self, *kernels):
        assert set(kernels) <= set(self.allowed)

    def clear_out(self):
        self.queue(self.stream, lambda: ctypes.memset(self._gpu_out, 0, 8 * OUT_WORDS))

    def read_out(self):
        self.synchronize()
        self.found = list(self._gpu_out)
        return self.found

    # Places.

    def _hinted(self, memory):
        if (reason := no_hints(memory.allocator, self.machine.attributes)) is not None:
            raise Unsupported(reason)

    def prefetch(self, memory, where, stream=0):
        self._hinted(memory)
        self.events.append(f"prefetch {where}")
        self.queue(stream or self.stream, lambda: time.sleep(PREFETCH_SECONDS))

    def advise(self, memory, advice, where="host"):
        self._hinted(memory)
        self.events.append(f"{advice} {where}")

    def copy(self, to, source, bytes, kind="Default", stream=0):
        self.queue(stream or self.stream, lambda: ctypes.memmove(to.address, source.address, bytes))

    def fill(self, memory, byte, bytes=0, stream=0):
        self.queue(stream or self.stream, lambda: ctypes.memset(memory.address, byte, bytes or memory.bytes))

    # CUDA's own calls.

    def call(self, name, *arguments):
        return getattr(self, f"_{name}")(*arguments)

    def _cudaMallocManaged(self, bytes, flags):
        memory = self._new("managed", bytes)
        self.events.append(memory)
        if flags == cuda_memory.ATTACH_HOST:
            self.attached[memory.address] = "host"
        return memory.address

    def _cudaMalloc(self, bytes):
        return self._cudaMallocManaged(bytes, cuda_memory.ATTACH_GLOBAL)

    def _cudaFree(self, address):
        (memory,) = [event for event in self.events if isinstance(event, Memory) and event.address == address]
        self.events.remove(memory)
        memory.release()

    def _cudaStreamAttachMemAsync(self, stream, address, length, flags):
        assert (length, flags) == (0, cuda_memory.ATTACH_SINGLE)
        self.attached[address] = stream

    def _cudaSetDevice(self, device):
        self.current = device

    def _cudaEventCreate(self):
        return []

    def _cudaEventRecord(self, event, stream):
        event.clear()
        self.queue(stream, lambda: event.append(time.perf_counter()))

    def _cudaEventElapsedTime(self, begin, end):
        return (end[0] - begin[0]) * 1e3

    def _cudaIpcGetMemHandle(self, address):
        raise calls.CudaError("cudaIpcGetMemHandle", "cudaErrorInvalidValue")

    def _cudaDeviceCanAccessPeer(self, device, other):
        assert self.current == device != other
        return 1

    def _cudaDeviceEnablePeerAccess(self, other, flags):
        self.events.append(f"reach {other} from {self.current}")

    def _cudaDeviceDisablePeerAccess(self, other):
        self.events.append(f"leave {other} from {self.current}")
