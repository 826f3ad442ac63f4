"""Host threads that each work on managed memory of their own, in turns with the GPU: attached to a stream, or not.

Memory that is attached to no stream is visible to all of them, so that without concurrent access the CPU may not touch
it while any kernel runs, of whichever thread. Attached to one stream it is of that stream's kernels alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, MIB, UNITS_RULE, size_axis
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, Words
from scopemark.measure.backend import Unsupported
from scopemark.procedure import Measured, Procedure, Timed
from scopemark.stage import Stage
from scopemark.stage.allocators import no_memory
from scopemark.stage.memory import Memory

TURNS = 4  # of GPU and CPU in a sample
READY_SECONDS = 10.0  # that a thread waits for the others before it gives up


def _missing(p: Parameters, machine: Machine) -> str | None:
    if (reason := no_memory("managed", p["size_bytes"], machine)) is not None:
        return reason
    shared = p["attach"] == "global" and p["host_threads"] > 1
    if shared and not machine.attributes.get("concurrent_managed_access"):
        return (
            "concurrent_managed_access is 0: a host thread must not touch managed memory that is attached to no "
            "stream while another's kernel runs"
        )
    return None


def _memory(p: Parameters, stage: Stage, stream: int) -> Memory:
    """Managed memory that the CPU has written, attached as it is asked for before any kernel may run."""
    from scopemark.stage import calls, cuda_memory

    flags = cuda_memory.ATTACH_HOST if p["attach"] == "host_then_single" else cuda_memory.ATTACH_GLOBAL
    memory = cuda_memory.allocate("managed", p["size_bytes"], stage.device, None, flags)
    if p["attach"] != "global":
        calls.call("cudaStreamAttachMemAsync", stream, memory.address, 0, cuda_memory.ATTACH_SINGLE)
        stage.synchronize(stream)
    Words(stage, memory).write("cpu", 1)
    return memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    threads, units = p["host_threads"], p["size_bytes"] // UNIT
    if threads > stage.machine_cpus:
        raise Unsupported(f"needs {threads} CPUs; {stage.machine_cpus} may be used here")
    streams = stage.streams(threads)
    memories: list[Memory] = []
    try:
        for stream in streams:
            memories.append(_memory(p, stage, stream))
        words = [Words(stage, memory) for memory in memories]
        turns = [_turns(stage, stream, (memory, units, 1)) for stream, memory in zip(streams, memories, strict=True)]
        while True:
            timed = _together(stage.device, turns)
            for part in words:
                part.seed += 2 * TURNS
            # One after the other, when no kernel runs any more.
            found = [part.inspected(timed, "cpu") for part in words]
            yield Measured(
                timed,
                sum(part.wrong for part in found),
                sum(part.observed for part in found),
                sum(part.expected for part in found),
            )
    finally:
        for memory in memories:
            memory.release()


def _turns(stage: Stage, stream: int, arguments: tuple[Memory, int, int]) -> Callable[[], None]:
    """One host thread's work. What waits in it, and what computes, is outside Python's lock."""
    kernel = stage.ready("update_dense", *arguments, items=arguments[1], stream=stream)
    on_cpu = stage.ready_on_cpu("update_dense", *arguments)

    def turns() -> None:
        for _ in range(TURNS):
            kernel()
            stage.synchronize(stream)
            on_cpu()

    return turns


def _together(device: int, turns: list[Callable[[], None]]) -> Timed:
    """All threads' turns, from the first one's begin to the last one's end."""
    from scopemark.stage import calls

    ready = threading.Barrier(len(turns))

    def work(turns: Callable[[], None]) -> tuple[int, int]:
        calls.call("cudaSetDevice", device)  # a thread begins with the first one
        ready.wait(READY_SECONDS)
        begin = time.perf_counter_ns()
        turns()
        return begin, time.perf_counter_ns()

    with ThreadPoolExecutor(len(turns)) as pool:
        spans = list(pool.map(work, turns))
    return Timed((max(end for _, end in spans) - min(begin for begin, _ in spans)) * 1e-9)


ATTACHMENT = Procedure(
    name="attachment",
    axes=(
        choice(
            "attach",
            ["global", "single", "host_then_single"],
            "to no stream, to the thread's own, or to the host at first and then to the thread's own",
        ),
        integer("host_threads", 1, 1, 16, "host threads, each with a stream and memory of its own"),
        size_axis(4 * MIB),
    ),
    rules=(CPU_RULE, UNITS_RULE),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: "update_dense",
    missing=_missing,
    operations=lambda p: p["host_threads"] * TURNS,
    bytes=lambda p: p["host_threads"] * TURNS * 4 * p["size_bytes"],
    held_bytes=lambda p: p["host_threads"] * p["size_bytes"],
)
