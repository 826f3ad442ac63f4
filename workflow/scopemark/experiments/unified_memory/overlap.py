"""A kernel that keeps every SM busy, and data on their way: what one stream puts in order and two let overlap.

The kernel takes as long as the data would at NOMINAL bytes a second. A prefetch is a stream's work like any other: it
begins after what was queued before it, and what is queued behind it finds the data in place.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, UNITS_RULE, WARP, no_hint, size_axis
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, WORD, Words, expected_sum, setup_threads
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.memory import HOST
from scopemark.stage.stage import OUT

NOMINAL = 40  # gigabytes a second, which is bytes a nanosecond
THREADS = 256


class _Copy:
    """A copy engine moves the data from pinned to device memory."""

    reported = 0  # what the second part adds to what kernels report

    def __init__(self, stage: Stage, bytes: int):
        self.stage, self.bytes = stage, bytes
        self.source, self.target = stage.allocate("pinned", bytes), stage.allocate("device", bytes)
        stage.load("busy", "copy_dense", "read_dense")

    def renew(self, seed: int) -> None:
        """Put other data at the start."""
        self.seed = seed
        Words(self.stage, self.source).write("cpu", seed, threads=setup_threads(self.stage))

    def queue(self, stream: int) -> None:
        """Queue what moves the data."""
        self.stage.copy(self.target, self.source, self.bytes, "HostToDevice", stream)

    def found(self, measured: Measured) -> Measured:
        """A sample with what the GPU finds where the data must be now."""
        return Words(self.stage, self.target, seed=self.seed).inspected(measured.timed, "gpu", measured.note)

    def note(self, after_kernel: bool) -> str:
        """What the marks tell of the order."""
        return ""


class _KernelCopy(_Copy):
    """A kernel does."""

    def queue(self, stream: int) -> None:
        units = self.bytes // UNIT
        self.stage.launch("copy_dense", self.target, self.source, units, items=units, stream=stream)


class _Prefetch(_Copy):
    """Managed memory migrates."""

    def __init__(self, stage: Stage, bytes: int):
        self.stage, self.bytes = stage, bytes
        self.source = self.target = stage.allocate("managed", bytes)
        stage.load("busy", "read_dense")

    def renew(self, seed: int) -> None:
        self.stage.prefetch(self.source, HOST)
        self.stage.synchronize()
        super().renew(seed)

    def queue(self, stream: int) -> None:
        self.stage.prefetch(self.source, self.stage.device, stream=stream)


class _PrefetchOrder(_Prefetch):
    """Managed memory migrates, and a kernel behind that reads it."""

    def __init__(self, stage: Stage, bytes: int):
        from scopemark.stage import calls

        super().__init__(stage, bytes)
        self._call = calls.call
        self.marks = [self._call("cudaEventCreate") for _ in range(3)]
        (stream,) = stage.streams(1)
        for _ in range(2):  # the first also populates
            self.renew(1)
            self.queue(stream)
            stage.synchronize(stream)
        self.alone = self._between(0, 1)

    def queue(self, stream: int) -> None:
        units = self.bytes // UNIT
        self.reported = expected_sum(self.bytes // WORD, 1, self.seed)
        self._call("cudaEventRecord", self.marks[0], stream)
        super().queue(stream)
        self._call("cudaEventRecord", self.marks[1], stream)
        self.stage.launch("read_dense", self.source, units, OUT, items=units, stream=stream)
        self._call("cudaEventRecord", self.marks[2], stream)

    def _between(self, first: int, second: int) -> float:
        return self._call("cudaEventElapsedTime", self.marks[first], self.marks[second])

    def note(self, after_kernel: bool) -> str:
        prefetch, read = self._between(0, 1), self._between(1, 2)
        behind = "found the data in place" if read < self.alone / 4 else "had to wait for data"
        before = "after" if prefetch > self.alone / 2 else "before the end of"
        began = f"it began {before} the kernel before it; " if after_kernel else ""
        return f"{began}the kernel behind it {behind}"


PAIRS = {
    "kernel_copy": (_Copy, "cudaMemcpyAsync"),
    "kernel_prefetch": (_Prefetch, "cudaMemPrefetchAsync"),
    "kernel_kernelcopy": (_KernelCopy, "copy_dense"),
    "prefetch_order": (_PrefetchOrder, "cudaMemPrefetchAsync, read_dense"),
}


def _missing(p: Parameters, machine: Machine) -> str | None:
    return no_hint("managed", p["size_bytes"], machine) if "prefetch" in p["pair"] else None


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    bytes, arrangement = p["size_bytes"], p["arrangement"]
    # All the threads that fit at once, and no more: whatever else needs an SM waits, or shares.
    blocks = stage.machine.processors * (stage.machine.attributes["threads_per_multiprocessor"] // THREADS)
    warps = blocks * THREADS // WARP
    first, second = (arrangement != alone for alone in ("second_alone", "first_alone"))
    streams = stage.streams(2)
    stream_of_second = streams[1 if arrangement == "two_streams" else 0]
    moved = PAIRS[p["pair"]][0](stage, bytes)

    def step() -> None:
        if first:
            stage.launch("busy", int(bytes / NOMINAL), OUT, blocks=blocks, threads=THREADS, stream=streams[0])
        if second:
            moved.queue(stream_of_second)
        for stream in streams:
            stage.synchronize(stream)

    seed = 1
    while True:
        seed += 1
        moved.renew(seed)
        stage.clear_out()
        stage.synchronize()
        timed = stage.clocked(step)
        reported = stage.read_out()[0]
        expected = warps * first + moved.reported * second
        note = moved.note(first and arrangement == "one_stream") if second else ""
        measured = checked(timed, reported, expected, note=note)
        if second:
            found = moved.found(measured)
            # Both must be right; one sum stands in the table.
            measured = found if reported == expected else measured
        yield measured


OVERLAP = Procedure(
    name="overlap",
    axes=(
        choice("pair", list(PAIRS), "a kernel, and what moves data meanwhile"),
        choice(
            "arrangement",
            ["two_streams", "one_stream", "first_alone", "second_alone"],
            "both, in streams of their own or in one; or one of them alone: the kernel, or the data",
        ),
        size_axis(),
    ),
    rules=(CPU_RULE, UNITS_RULE),
    run=_run,
    uses=lambda p: ("busy", "copy_dense", *SWEEPS),
    times=lambda p: {
        "first_alone": "busy",
        "second_alone": PAIRS[p["pair"]][1],
    }.get(p["arrangement"], f"busy, {PAIRS[p['pair']][1]}"),
    missing=_missing,
    operations=lambda p: 1,
    bytes=lambda p: 0 if p["arrangement"] == "first_alone" else p["size_bytes"],
    held_bytes=lambda p: p["size_bytes"] * (1 if "prefetch" in p["pair"] else 2),
)
