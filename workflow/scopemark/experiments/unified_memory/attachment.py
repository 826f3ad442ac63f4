"""Host threads that each work on managed memory of their own, in turns with the GPU: attached to a stream, or not.

Memory that is attached to no stream is visible to all of them, so that without concurrent access the CPU may not touch
it while any kernel runs, of whichever thread. Attached to one stream it is of that stream's kernels alone.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, MIB, size_axis
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

    if p["attach"] == "host_then_single":
        memory = cuda_memory.allocate("managed", p["size_bytes"], stage.device, None, cuda_memory.ATTACH_HOST)
    else:
        memory = cuda_memory.allocate("managed", p["size_bytes"], stage.device, None)
    if p["attach"] != "global":
        calls.call("cudaStreamAttachMemAsync", stream, memory.address, 0, cuda_memory.ATTACH_SINGLE)
        stage.synchronize(stream)
    Words(stage, memory).write("cpu", 1)
    return memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    threads = p["host_threads"]
    cpus = sorted(os.sched_getaffinity(0))
    if threads > len(cpus):
        raise Unsupported(f"needs {threads} CPUs; {len(cpus)} may be used here")
    streams = stage.streams(threads)
    stage.load("update_dense")
    memories: list[Memory] = []
    try:
        for stream in streams:
            memories.append(_memory(p, stage, stream))
        words = [Words(stage, memory) for memory in memories]
        while True:
            timed = _turns(stage, memories, streams, cpus)
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


def _turns(stage: Stage, memories: list[Memory], streams: list[int], cpus: list[int]) -> Timed:
    """All threads' turns, from the first one's begin to the last one's end. The calls that wait release the GIL."""
    from scopemark.stage import calls

    ready = threading.Barrier(len(memories))

    def work(memory: Memory, stream: int, cpu: int) -> tuple[int, int]:
        os.sched_setaffinity(0, {cpu})  # of this thread: its CPU work must not share a CPU with another's
        calls.call("cudaSetDevice", stage.device)
        units = memory.bytes // UNIT
        ready.wait(READY_SECONDS)
        begin = time.perf_counter_ns()
        for _ in range(TURNS):
            stage.launch("update_dense", memory, units, 1, items=units, stream=stream)
            stage.synchronize(stream)
            stage.on_cpu("update_dense", memory, units, 1)
        return begin, time.perf_counter_ns()

    with ThreadPoolExecutor(len(memories)) as pool:
        spans = list(pool.map(work, memories, streams, cpus))
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
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: "update_dense",
    missing=_missing,
    operations=lambda p: p["host_threads"] * TURNS,
    bytes=lambda p: p["host_threads"] * TURNS * 4 * p["size_bytes"],
    held_bytes=lambda p: p["host_threads"] * p["size_bytes"],
)
