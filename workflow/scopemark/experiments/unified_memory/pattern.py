"""A whole program in small: the CPU has two arrays, the GPU does y += a x some times, and the CPU reads y.

The time is the host's, from the arrays being populated to y having been summed on one thread; copies, hints and
prefetches that a way needs are in it, memory and its allocation are not. `size_bytes` is of both arrays together. The
CPU touches them first; before a later sample they are brought back to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, cannot_touch, size_axis
from scopemark.experiments.unified_memory.placing import bring, new_memory, place
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, WORD, Words, expected_sum, setup_threads
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_hints
from scopemark.stage.memory import Memory

FACTOR = 3
PER_SAMPLE = 7
"""How much the seeds grow from sample to sample, so that no sample's sum is another's."""

MEMORY = {
    "explicit_pageable": "malloc",
    "explicit_pinned": "pinned",
    "managed": "managed",
    "managed_prefetch": "managed",
    "managed_hints": "managed",
    "pinned": "pinned",
    "malloc": "malloc",
}
"""What the CPU's arrays are; the explicit ways have arrays of cudaMalloc's beside them."""


def axpy_sum(count: int, repeats: int, seed_y: int, seed_x: int, factor: int = FACTOR) -> int:
    """The sum of y after `repeats` times y += factor x, where word i of each was its seed plus i.

    Word i is then seed_y + repeats factor seed_x, plus i times 1 + repeats factor.

    >>> axpy_sum(2, 1, seed_y=10, seed_x=100)  # 10 + 3 · 100, and 11 + 3 · 101
    624
    """
    return expected_sum(count, 1 + repeats * factor, seed_y + repeats * factor * seed_x)


def _words(p: Parameters) -> int:
    """Words of one array."""
    return p["size_bytes"] // 2 // WORD


def _overflows(p: Parameters) -> bool:
    """With room for the seeds to grow."""
    return _words(p) * (1 + p["repeats"] * FACTOR) >= 2**31


def _explicit(p: Parameters) -> bool:
    return p["way"].startswith("explicit")


def _missing(p: Parameters, machine: Machine) -> str | None:
    if _explicit(p):
        return None
    if (reason := cannot_touch(MEMORY[p["way"]], "gpu", p["size_bytes"] // 2, machine)) is not None:
        return reason
    return no_hints("managed", machine.attributes) if p["way"] in ("managed_prefetch", "managed_hints") else None


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    x, y = (Words(stage, new_memory(stage, MEMORY[p["way"]], p["size_bytes"] // 2)) for _ in range(2))
    on_gpu = [stage.allocate("device", p["size_bytes"] // 2) for _ in range(2)] if _explicit(p) else None
    step = _step(p, stage, x, y, on_gpu)
    sample = 0
    while True:
        for seed, words in enumerate((x, y), 1):
            if sample:
                bring(stage, words.memory, "cpu")
            words.write("cpu", seed + PER_SAMPLE * sample, threads=setup_threads(stage))
        timed = stage.clocked(step)
        yield checked(timed, stage.found[0], axpy_sum(_words(p), p["repeats"], y.seed, x.seed))
        if p["way"] == "managed_hints":
            _advise(stage, x.memory, y.memory, "Unset")
        sample += 1


def _advise(stage: Stage, x: Memory, y: Memory, do: str) -> None:
    """What is known of the arrays: x is only read, and y is the GPU's."""
    stage.advise(x, f"{do}ReadMostly", place(stage, "gpu"))
    stage.advise(y, f"{do}PreferredLocation", place(stage, "gpu"))


def _step(p: Parameters, stage: Stage, x: Words, y: Words, on_gpu: list[Memory] | None) -> Callable[[], None]:
    bytes, units = p["size_bytes"] // 2, p["size_bytes"] // 2 // UNIT
    gpu_x, gpu_y = on_gpu or (x.memory, y.memory)
    axpy = stage.ready("axpy", gpu_y, gpu_x, units, FACTOR, items=units)
    look = y.ready("cpu", "read")

    def go() -> None:
        if _explicit(p):
            stage.copy(gpu_x, x.memory, bytes, "HostToDevice")
            stage.copy(gpu_y, y.memory, bytes, "HostToDevice")
        elif p["way"] == "managed_prefetch":
            stage.prefetch(x.memory, place(stage, "gpu"))
            stage.prefetch(y.memory, place(stage, "gpu"))
        elif p["way"] == "managed_hints":
            _advise(stage, x.memory, y.memory, "Set")
        for _ in range(p["repeats"]):
            axpy()
        if _explicit(p):
            stage.copy(y.memory, gpu_y, bytes, "DeviceToHost")
        elif p["way"] == "managed_prefetch":
            stage.prefetch(y.memory, place(stage, "cpu"))
        stage.synchronize()
        look()

    return go


PATTERN = Procedure(
    name="pattern",
    axes=(
        choice("way", list(MEMORY), "how the arrays get to the GPU, and y back"),
        size_axis(),
        integer("repeats", 1, 1, 4096, "kernels between populated and read"),
    ),
    rules=(
        CPU_RULE,
        Rule(f"an array is gone over {UNIT} bytes at a time", lambda p: p["size_bytes"] % (2 * UNIT) != 0),
        Rule("the words of y must not overflow", _overflows),
    ),
    run=_run,
    uses=lambda p: (*SWEEPS, "axpy"),
    times=lambda p: "axpy",
    missing=_missing,
    operations=lambda p: _words(p) * p["repeats"],
    held_bytes=lambda p: p["size_bytes"] * (2 if _explicit(p) else 1),
)
