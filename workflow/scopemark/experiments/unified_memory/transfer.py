"""Eight ways for data to get from one processor to the other, against what the link can do.

The source's processor writes the data, which are then moved, and are looked at one by one where they arrive. The time
is the host's, from the first call to the data being there, so that a small transfer is mostly the cost of calling.
Memory is allocated once, and managed memory brought to the source's side before it is written; neither is in the time.
Data that move by faults to the CPU are read by one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, UNITS_RULE, size_axis
from scopemark.experiments.unified_memory.placing import BLOCK, apart, bring, keep_with, place
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, WORD, Words, setup_threads
from scopemark.procedure import Measured, Procedure, Timed, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_hints, no_memory
from scopemark.stage.memory import Memory

COPIED = {
    "pinned_copy": "pinned",
    "pageable_copy": "malloc",
    "registered_copy": "registered",
    "managed_copy": "managed",
    "kernel_copy": "pinned",
}
"""The ways from one memory to another: what the CPU's is. The GPU's is memory of cudaMalloc."""

IN_PLACE = ("prefetch", "faults", "direct")
"""The ways of managed memory, which is one for both."""

WAYS = (*COPIED, *IN_PLACE)


def _missing(p: Parameters, machine: Machine) -> str | None:
    host = COPIED.get(p["way"], "managed")
    if (reason := no_memory(host, p["size_bytes"], machine)) is not None:
        return reason
    if p["way"] == "faults" and not machine.attributes.get("concurrent_managed_access"):
        return "concurrent_managed_access is 0: managed memory moves at a launch, not by faults"
    return no_hints("managed", machine.attributes) if p["way"] in IN_PLACE else None


def _memories(p: Parameters, stage: Stage) -> tuple[Memory, Memory]:
    """Of the source and of the destination."""
    if p["way"] in COPIED:
        ends = stage.allocate(COPIED[p["way"]], p["size_bytes"]), stage.allocate("device", p["size_bytes"])
        return ends if p["direction"] == "to_gpu" else (ends[1], ends[0])
    memory = apart(stage, "managed", p["size_bytes"])
    if p["way"] == "direct":
        keep_with(stage, memory, "cpu")
    return memory, memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    to_gpu, way = p["direction"] == "to_gpu", p["way"]
    home, away = ("cpu", "gpu") if to_gpu else ("gpu", "cpu")
    source, target = (Words(stage, memory) for memory in _memories(p, stage))
    while True:
        if way in IN_PLACE:
            bring(stage, source.memory, "cpu" if way == "direct" else home)
        if to_gpu or way != "direct":  # a kernel that writes directly is itself the transfer
            source.write(home, source.seed + 1, threads=setup_threads(stage))
        if way == "faults" and not to_gpu:
            timed = source.sweep("cpu", "read")
            yield checked(timed, stage.found[0], source.expected)
            continue
        step = _step(p, stage, source, target)
        stage.clear_out()
        stage.synchronize()
        timed = stage.clocked(lambda step=step: (step(), stage.synchronize()))
        if to_gpu and way in ("faults", "direct"):
            measured = checked(timed, stage.read_out()[0], source.expected)
        else:
            target.seed = source.seed
            measured = _looked(way, stage, target, timed, away)
        yield _stayed(stage, source, measured) if to_gpu and way == "direct" else measured


def _step(p: Parameters, stage: Stage, source: Words, target: Words) -> Callable[[], None]:
    """What is queued to have the data moved."""
    to_gpu, units = p["direction"] == "to_gpu", p["size_bytes"] // UNIT
    if p["way"] == "prefetch":
        where = place(stage, "gpu" if to_gpu else "cpu")
        return lambda: stage.prefetch(source.memory, where)
    if p["way"] == "kernel_copy":
        return stage.ready("copy_dense", target.memory, source.memory, units, items=units)
    if p["way"] in COPIED:
        kind = "HostToDevice" if to_gpu else "DeviceToHost"
        return lambda: stage.copy(target.memory, source.memory, p["size_bytes"], kind)
    return source.ready("gpu", "read" if to_gpu else "write")


def _looked(way: str, stage: Stage, words: Words, timed: Timed, processor: str) -> Measured:
    """A sample with what the destination's processor finds, and with a note if the data only came when it looked."""
    found = []
    look = stage.clocked(lambda: found.append(words.inspected(timed, processor)))
    (measured,) = found
    if way in IN_PLACE and processor == "cpu" and _moved(look, words.memory):
        return replace(measured, note="the CPU had to fault the pages in when it looked")
    return measured


def _stayed(stage: Stage, words: Words, measured: Measured) -> Measured:
    """A sample with a note if its pages have left the CPU, which then has to fault them in."""
    look = stage.clocked(lambda: words.inspected(measured.timed, "cpu"))
    return replace(measured, note="the pages migrated") if _moved(look, words.memory) else measured


def _moved(look: Timed, memory: Memory) -> bool:
    """Whether there were faults enough to move all of memory; a process may have a few for other reasons."""
    return bool(look.major_faults) and look.major_faults * BLOCK >= memory.bytes


TRANSFER = Procedure(
    name="transfer",
    axes=(
        choice("way", WAYS, "how the data move"),
        choice("direction", ["to_gpu", "to_host"], "from the CPU that writes them to the GPU, or back"),
        size_axis(),
    ),
    rules=(CPU_RULE, UNITS_RULE),
    run=_run,
    uses=lambda p: (*SWEEPS, "copy_dense"),
    times=lambda p: {
        "prefetch": "cudaMemPrefetchAsync",
        "faults": "read_dense",
        "kernel_copy": "copy_dense",
        "direct": "read_dense" if p["direction"] == "to_gpu" else "write_dense",
    }.get(p["way"], "cudaMemcpyAsync"),
    missing=_missing,
    operations=lambda p: p["size_bytes"] // WORD,
    bytes=lambda p: p["size_bytes"],
    held_bytes=lambda p: p["size_bytes"] * (2 if p["way"] in COPIED else 1),
)
