"""Three ways for a kernel's result to come back: a copy, the kernel's own writes to the host, or the CPU's reads.

Timed is what a program waits for, by the host's clock: from the launch to the CPU having summed the result on one
thread. With independent work queued, a kernel of another stream that keeps all of the GPU busy for WORK_NS comes right
behind, and the time ends when that is done too: it shows what the transfer leaves of the GPU meanwhile.

The copy is from cudaMalloc's memory to pinned memory. The kernel writes directly to managed memory that prefers the
host, and the CPU reads managed memory that prefers the GPU, and lies there before every launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, WARP, WORDS_RULE, no_hint, size_axis
from scopemark.experiments.unified_memory.placing import apart, bring, keep_with
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, entry
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

WORK_NS = 1_000_000
WORK_BLOCKS_PER_MULTIPROCESSOR, WORK_THREADS = 8, 256


def _missing(p: Parameters, machine: Machine) -> str | None:
    return None if p["way"] == "explicit_copy" else no_hint("managed", p["size_bytes"], machine)


def _memories(p: Parameters, stage: Stage) -> tuple[Memory, Memory]:
    """What the kernel writes, and what the CPU reads."""
    if p["way"] == "explicit_copy":
        return stage.allocate("device", p["size_bytes"]), stage.allocate("pinned", p["size_bytes"])
    memory = apart(stage, "managed", p["size_bytes"])
    keep_with(stage, memory, "cpu" if p["way"] == "device_write" else "gpu")
    return memory, memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    written, read = (Words(stage, memory) for memory in _memories(p, stage))
    (other,) = stage.streams(1)
    blocks = WORK_BLOCKS_PER_MULTIPROCESSOR * stage.machine.processors
    work = stage.ready("busy", WORK_NS, OUT, blocks=blocks, threads=WORK_THREADS, stream=other)
    warps = blocks * WORK_THREADS // WARP if p["independent"] == "queued" else 0
    look = read.ready("cpu", "read")

    def step() -> None:
        write()
        if warps:
            work()
        if p["way"] == "explicit_copy":
            stage.copy(read.memory, written.memory, p["size_bytes"], "DeviceToHost")
        stage.synchronize()
        look()
        if warps:
            stage.synchronize(other)

    while True:
        bring(stage, written.memory, "cpu" if p["way"] == "device_write" else "gpu")
        write = written.ready("gpu", "write")
        stage.clear_out()
        stage.synchronize()
        timed = stage.clocked(step)
        measured = checked(timed, stage.found[0], written.expected)
        worked = stage.read_out()[0] == warps
        yield replace(measured, wrong=measured.wrong + (not worked))


RESULT = Procedure(
    name="result",
    axes=(
        choice("way", ["explicit_copy", "device_write", "host_read"], "how the result gets to the CPU"),
        size_axis(),
        choice("independent", ["none", "queued"], "work in another stream that does not need the result"),
    ),
    rules=(CPU_RULE, WORDS_RULE),
    run=_run,
    uses=lambda p: (*SWEEPS, "busy"),
    times=lambda p: entry("write", p["size_bytes"]),
    missing=_missing,
    operations=lambda p: p["size_bytes"] // WORD,
    bytes=lambda p: p["size_bytes"],
    held_bytes=lambda p: 2 * p["size_bytes"],
)
