"""A GPU acted out by CPU threads, for sequences to be run on without one.

What is queued runs when its stream is waited for, and not before, so that a sequence that does not wait is found out. A
managed page lies with a processor and faults to the other, unless advice lets the GPU reach the host's. The kernels are
those of the host build. `steps` has what each clocked step did; what is `inert` does nothing, for checks to notice.
"""

import ctypes
from collections import defaultdict
from dataclasses import replace

from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.experiments.unified_memory import copy
from scopemark.experiments.unified_memory.placing import BLOCK
from scopemark.grid import expand
from scopemark.measure.backend import Unsupported
from scopemark.measure.rehearsal import StageBackend
from scopemark.stage import Stage, host_memory
from scopemark.stage.allocators import ALLOCATORS, no_access, no_hints
from scopemark.stage.memory import HOST, Memory
from scopemark.stage.stage import OUT, OUT_WORDS
from scopemark.targets import usable_cpus

EXPERIMENT = load_experiment("unified_memory")
WARP = 32

LIMITED = {"managed_memory": 1, "host_register_supported": 1}
MANAGED_ONLY = LIMITED | {"concurrent_managed_access": 1}
HMM = MANAGED_ONLY | {"pageable_memory_access": 1}
ATS = HMM | {"pageable_memory_access_uses_host_page_tables": 1, "direct_managed_mem_access_from_host": 1}


class Queues(Stage):
    device, stream = 3, 1
    machine_cpus = usable_cpus()

    def __init__(self, library, attributes):
        super().__init__(Machine("gpu", 4, 0, 90, attributes), library)
        self.inert, self.steps, self.faults = set(), [], 0
        self._log, self._queues = [], defaultdict(list)
        self._gpu_out = (ctypes.c_uint64 * OUT_WORDS)()
        self._places, self._advice = {}, defaultdict(set)

    def _new(self, allocator, bytes):
        memory = host_memory.allocate("mmap", bytes, self.library)
        self._places.pop(memory.address, None)  # of memory that was here before
        self._advice.pop(memory.address, None)
        return Memory(allocator, memory.address, bytes, memory.release)

    def streams(self, n):
        return list(range(2, 2 + n))

    # Processors.

    def _touch(self, processor, arguments):
        for memory in arguments:
            if not isinstance(memory, Memory) or ALLOCATORS[memory.allocator].family not in ("managed", "system"):
                continue
            advice, before = self._advice[memory.address], self._places.get(memory.address)
            stays = before != "gpu" and {("PreferredLocation", HOST), ("AccessedBy", self.device)} <= advice
            after = "cpu" if stays else processor
            if before not in (None, after):
                self._log.append(f"{processor} faults")
                self.faults += -(-memory.bytes // BLOCK) if processor == "cpu" else 0
            self._places[memory.address] = after

    def _gpu_word(self, argument):
        if argument is OUT:
            return ctypes.addressof(self._gpu_out)
        if isinstance(argument, Memory):
            if (reason := no_access(argument.allocator, "gpu", self.machine.attributes)) is not None:
                raise Unsupported(reason)
            return argument.on_gpu
        return argument

    def _run_kernel(self, kernel, arguments, warps):
        if kernel in self.inert:
            return
        self._touch("gpu", arguments)
        if kernel == "busy":  # of the GPU alone
            self._gpu_out[0] += warps
            return
        words = (ctypes.c_uint64 * len(arguments))(*map(self._gpu_word, arguments))
        self._launch(ctypes.cast(self.library[kernel], ctypes.c_void_p), words, 1, 1, 0)

    def ready(self, kernel, *arguments, items=1, blocks=0, threads=0, stream=0):
        self._check_entry(kernel)
        warps = blocks * threads // WARP
        return lambda: self._queue(stream, kernel, lambda: self._run_kernel(kernel, arguments, warps))

    def on_gpu(self, kernel, *arguments, items=1, blocks=0, threads=0):
        self.clear_out()
        self.ready(kernel, *arguments, items=items, blocks=blocks, threads=threads)()
        timed = super().clocked(self.synchronize)
        self.read_out()
        return timed

    def on_cpu(self, kernel, *arguments, threads=1):
        before = self.faults
        self._touch("cpu", arguments)
        return replace(super().on_cpu(kernel, *arguments, threads=threads), major_faults=self.faults - before)

    def ready_on_cpu(self, kernel, *arguments):
        run = super().ready_on_cpu(kernel, *arguments)
        return lambda: (self._log.append(f"cpu {kernel}"), self._touch("cpu", arguments), run())

    # Queues.

    def _queue(self, stream, name, work):
        self._log.append(name)
        self._queues[stream or self.stream].append(work)

    def synchronize(self, stream=0):
        self._log.append("wait" if stream in (0, self.stream) else "wait for the other")
        queue = self._queues[stream or self.stream]
        while queue:
            queue.pop(0)()

    def clocked(self, step):
        self._log, before = [], self.faults
        timed = super().clocked(step)
        assert not any(self._queues.values()), "the step did not wait for what it queued"
        self.steps.append(self._log)
        self._log = []
        return replace(timed, major_faults=self.faults - before)

    def clear_out(self, stream=0):
        self._queue(stream, "clear", lambda: ctypes.memset(self._gpu_out, 0, ctypes.sizeof(self._gpu_out)))

    def read_out(self):
        self.synchronize()
        self.found = list(self._gpu_out)
        return self.found

    # Memory's place.

    def _check_hints(self, memory):
        if (reason := no_hints(memory.allocator, self.machine.attributes)) is not None:
            raise Unsupported(reason)

    def prefetch(self, memory, where, bytes=0, stream=0):
        self._check_hints(memory)
        place = "cpu" if where == HOST else "gpu"

        def move():
            if "prefetch" not in self.inert:
                self._places[memory.address] = place

        self._queue(stream, f"prefetch to {place}", move)

    def advise(self, memory, advice, where=HOST):
        self._check_hints(memory)
        self._log.append(advice)
        name = (advice.replace("Unset", "").replace("Set", ""), where)
        if advice.startswith("Unset"):
            self._advice[memory.address].discard(name)
        elif "advice" not in self.inert:
            self._advice[memory.address].add(name)

    def copy(self, to, source, bytes, kind="Default", stream=0):
        def move():
            if "copy" not in self.inert:
                ctypes.memmove(to.address, source.address, bytes)

        self._queue(stream, f"copy {kind} {source.allocator} to {to.allocator}", move)

    def fill(self, memory, byte, bytes=0, stream=0):
        def write():
            if "fill" not in self.inert:
                ctypes.memset(memory.address, byte, bytes or memory.bytes)

        self._queue(stream, f"fill {memory.allocator}", write)


def points(benchmark, **grid):
    cases, _ = expand(EXPERIMENT, {"benchmark": benchmark, "kind": "gpu", **grid}, "gpu")
    return [case.parameters for case in cases]


def point(benchmark, **grid):
    (only,) = points(benchmark, **grid)
    return only


class Rehearsed:
    """A case after its rehearsal, on a stage of its own."""

    def __init__(self, library, benchmark, attributes=HMM, **grid):
        self.stage = Queues(library, attributes)
        self.backend = StageBackend(self.stage)
        parameters, found = point(benchmark, **grid), EXPERIMENT.benchmark(benchmark)
        self.case = self.backend.prepare(found, parameters, found.entry(parameters))
        self.stage.steps.clear()

    def sample(self, *inert):
        """One sample, in which what is named does nothing."""
        self.stage.inert = set(inert)
        batch = self.backend.sample(self.case, 0, 1, False)
        self.stage.inert = set()
        return batch

    @property
    def step(self):
        """What the timed step did."""
        return self.stage.steps[0]

    def noticed(self, *inert):
        """Whether a sample tells that what is named has done nothing, after others that were right."""
        good = self.sample()
        assert (good.wrong, good.observed) == ([0], good.expected)
        bad = self.sample(*inert)
        return bad.wrong[0] > 0


EVERY_COPY = points(
    "copy",
    memory=["managed", "device_pinned", "malloc"],
    copy_kind=["accurate", "default", "inaccurate"],
    path=list(copy.ACCURATE),
    destination=["populated", "unpopulated"],
    method=["memcpy", "kernel", "cpu"],
    size_bytes=4096,
)
