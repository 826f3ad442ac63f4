"""Copies of unified memory: what the named kind does, whether the destination has been touched before, and who copies.

`path` says with whom each end lies. A kind says which memory the caller takes the ends for; it is a hint where both are
unified memory, and only there may it be inaccurate. CUDA's copies and kernels are queued and waited for; the CPU's is
memmove on one thread. Time is the host's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, UNITS_RULE, cannot_touch, size_axis
from scopemark.experiments.unified_memory.placing import SPOILED, bring, destination_axis, new_memory
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, WORD, Words, setup_threads
from scopemark.procedure import Measured, Procedure
from scopemark.stage import Stage
from scopemark.stage.allocators import no_memory
from scopemark.stage.memory import Memory

PROCESSOR = {"host": "cpu", "gpu": "gpu"}
ACCURATE = {
    "host_to_gpu": "HostToDevice",
    "gpu_to_host": "DeviceToHost",
    "gpu_to_gpu": "DeviceToDevice",
    "host_to_host": "HostToHost",
}
INACCURATE = {
    "host_to_gpu": "DeviceToHost",
    "gpu_to_host": "HostToDevice",
    "gpu_to_gpu": "HostToHost",
    "host_to_host": "DeviceToDevice",
}
"""Both ends the other way round."""


def kind_of(p: Parameters) -> str:
    """CUDA's name of the kind that a case names, as HostToDevice."""
    return {"accurate": ACCURATE, "inaccurate": INACCURATE}.get(p["copy_kind"], {}).get(p["path"], "Default")


def _ends(p: Parameters) -> list[str]:
    """host or gpu: with whom the source lies, and with whom the destination."""
    return p["path"].split("_to_")


def allocator(p: Parameters, end: str) -> str:
    """Where the memory of an end comes from."""
    return {"host": "pinned", "gpu": "device"}[end] if p["memory"] == "device_pinned" else p["memory"]


def _missing(p: Parameters, machine: Machine) -> str | None:
    if p["memory"] == "device_pinned":
        return None
    by_gpu = "gpu" in _ends(p) or p["method"] == "kernel" or p["copy_kind"] == "inaccurate"
    if by_gpu:
        return cannot_touch(p["memory"], "gpu", p["size_bytes"], machine)
    return no_memory(p["memory"], p["size_bytes"], machine)


def _memory(p: Parameters, stage: Stage, end: str) -> Memory:
    return new_memory(stage, allocator(p, end), p["size_bytes"])


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    (source_end, source_side), (target_end, target_side) = ((end, PROCESSOR[end]) for end in _ends(p))
    populated, threads = p["destination"] == "populated", setup_threads(stage)
    source = Words(stage, _memory(p, stage, source_end))
    target = Words(stage, _memory(p, stage, target_end))
    while True:
        bring(stage, source.memory, source_side)
        source.write(source_side, source.seed + 1, threads)
        if populated:
            bring(stage, target.memory, target_side)
            target.write(target_side, source.seed + SPOILED, threads)
        stage.synchronize()
        timed = stage.clocked(_step(p, stage, target.memory, source.memory))
        target.seed = source.seed
        yield target.inspected(timed, target_side)
        if not populated:
            target.memory.release()
            target = Words(stage, _memory(p, stage, target_end))


def _step(p: Parameters, stage: Stage, target: Memory, source: Memory) -> Callable[[], object]:
    """What makes the copy, and waits for it."""
    bytes, units = p["size_bytes"], p["size_bytes"] // UNIT
    if p["method"] == "cpu":
        return lambda: ctypes.memmove(target.address, source.address, bytes)
    if p["method"] == "kernel":
        kernel = stage.ready("copy_dense", target, source, units, items=units)
        return lambda: (kernel(), stage.synchronize())
    kind = kind_of(p)
    return lambda: (stage.copy(target, source, bytes, kind), stage.synchronize())


COPY = Procedure(
    name="copy",
    axes=(
        choice("memory", ["managed", "device_pinned", "malloc"], "what both ends are; or each side's own"),
        choice("copy_kind", ["accurate", "default", "inaccurate"], "how the call names the ends"),
        choice("path", list(ACCURATE), "with whom the ends lie"),
        destination_axis("populated", "unpopulated"),
        choice("method", ["memcpy", "kernel", "cpu"], "cudaMemcpyAsync, a kernel that copies, or one CPU thread"),
        size_axis(),
    ),
    rules=(
        CPU_RULE,
        UNITS_RULE,
        Rule("only cudaMemcpyAsync is told a kind", lambda p: p["method"] != "memcpy" and p["copy_kind"] != "accurate"),
        Rule(
            "an inaccurate kind is an error where memory is not unified",
            lambda p: p["memory"] == "device_pinned" and p["copy_kind"] == "inaccurate",
        ),
        Rule(
            "cudaMalloc and cudaHostAlloc give populated memory",
            lambda p: p["memory"] == "device_pinned" and p["destination"] == "unpopulated",
        ),
        Rule(
            "the CPU cannot address memory of cudaMalloc",
            lambda p: p["memory"] == "device_pinned" and p["method"] == "cpu" and "gpu" in p["path"],
        ),
    ),
    run=_run,
    uses=lambda p: (*SWEEPS, "copy_dense"),
    times=lambda p: {"memcpy": "cudaMemcpyAsync", "kernel": "copy_dense", "cpu": "memmove"}[p["method"]],
    missing=_missing,
    operations=lambda p: p["size_bytes"] // WORD,
    bytes=lambda p: p["size_bytes"],
    held_bytes=lambda p: 2 * p["size_bytes"],
)
