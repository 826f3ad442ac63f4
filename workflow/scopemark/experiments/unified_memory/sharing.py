"""What one process writes another reads, and what it writes back: through a file, through memory without a name, and
through CUDA's handles, which managed memory has none of.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, MIB, WORDS_RULE, cannot_touch, size_axis
from scopemark.experiments.unified_memory.words import SWEEPS, Words, expected_sum
from scopemark.procedure import Measured, Procedure, Timed
from scopemark.stage import Stage
from scopemark.stage.memory import Memory
from scopemark.stage.neighbour import Neighbour

ALLOCATOR = {"memfd": "memfd", "file": "file", "managed_ipc": "managed", "device_ipc": "device"}
WORKS = 1  # what a call that must work, or must be refused, is expected to have done


def _missing(p: Parameters, machine: Machine) -> str | None:
    return cannot_touch(ALLOCATOR[p["memory"]], p["processor"], p["size_bytes"], machine)


def _descriptor(memory: str, bytes: int) -> int:
    """A file of that size that has no name, or an object of memory."""
    if memory == "memfd":
        descriptor = os.memfd_create("scopemark")
    else:
        with tempfile.TemporaryFile(dir=Path.cwd()) as file:
            descriptor = os.dup(file.fileno())
    os.posix_fallocate(descriptor, 0, bytes)
    return descriptor


def _refused(p: Parameters, stage: Stage) -> Iterator[Measured]:
    """A handle for managed memory is asked for, and must not be given."""
    from scopemark.stage import calls

    memory = stage.allocate("managed", p["size_bytes"])
    Words(stage, memory).write("cpu", 1)
    while True:
        errors: list[str] = []

        def ask(errors: list[str] = errors) -> None:
            try:
                calls.call("cudaIpcGetMemHandle", memory.address)
            except calls.CudaError as error:
                errors.append(str(error))

        timed = stage.clocked(ask)
        note = errors[0] if errors else "cudaIpcGetMemHandle gave a handle for managed memory"
        yield Measured(timed, WORKS - len(errors), len(errors), WORKS, note)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    if p["memory"] == "managed_ipc":
        yield from _refused(p, stage)
        return
    with ExitStack() as stack:
        memory, neighbour, answer = _shared(p, stage, stack)
        seed = 1
        while True:
            if "error" in answer:
                # That it cannot be opened is the result.
                yield Measured(Timed(0.0, discarded="nothing was shared"), WORKS, 0, WORKS, answer["error"])
                continue
            yield _exchange(p["processor"], Words(stage, memory), neighbour, seed)
            seed += 2


def _shared(p: Parameters, stage: Stage, stack: ExitStack) -> tuple[Memory, Neighbour, dict]:
    """Memory, the other process, and what it said when it was given the memory. `stack` ends both, it first."""
    bytes = p["size_bytes"]
    if p["memory"] == "device_ipc":
        from scopemark.stage import calls

        memory = stage.allocate("device", bytes)
        neighbour = Neighbour()
        stack.callback(neighbour.close)
        try:
            handle = calls.call("cudaIpcGetMemHandle", memory.address)
        except calls.CudaError as error:
            return memory, neighbour, {"error": str(error)}
        return memory, neighbour, neighbour.ask(handle=handle.reserved.hex(), bytes=bytes, device=stage.device)
    from scopemark.stage import host_memory

    descriptor = _descriptor(p["memory"], bytes)
    stack.callback(os.close, descriptor)
    memory = host_memory.mapped(p["memory"], descriptor, bytes)
    stack.callback(memory.release)
    neighbour = Neighbour((descriptor,))
    stack.callback(neighbour.close)
    return memory, neighbour, neighbour.ask(descriptor=descriptor, bytes=bytes)


def _exchange(processor: str, words: Words, neighbour: Neighbour, seed: int) -> Measured:
    """Written here and read there, which is timed; then written there and looked at here."""
    words.write(processor, seed)
    read: dict = {}
    timed = words.stage.clocked(lambda: read.update(neighbour.ask(read=seed)))
    neighbour.ask(write=seed + 1, count=words.count)
    words.seed = seed + 1
    back = words.inspected(timed, processor)
    expected = expected_sum(words.count, 1, seed)
    return Measured(timed, read["wrong"] + back.wrong, read["sum"], expected)


SHARING = Procedure(
    name="sharing",
    axes=(
        choice("memory", list(ALLOCATOR), "what the two processes share"),
        choice("processor", ["cpu", "gpu"], "of this process; the other process reads and writes with its CPU"),
        size_axis(MIB),
    ),
    rules=(
        CPU_RULE,
        Rule("CUDA's handles are for GPUs", lambda p: p["memory"].endswith("_ipc") and p["processor"] == "cpu"),
        WORDS_RULE,
    ),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: {"managed_ipc": "cudaIpcGetMemHandle"}.get(p["memory"], "exchange between processes"),
    missing=_missing,
    operations=lambda p: 1,
    bytes=lambda p: 0 if p["memory"] == "managed_ipc" else p["size_bytes"],
)
