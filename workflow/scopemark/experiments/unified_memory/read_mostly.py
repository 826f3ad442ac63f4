"""Copies on both sides: what reading is worth where data are mostly read, and what the first write takes away.

One sequence for every case: the CPU writes, the GPU reads, the CPU reads, the GPU reads again; then the CPU writes, and
both read again. The case says which of these steps is timed; nothing after it is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopemark.axes import choice
from scopemark.benchmark import Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, WORDS_RULE, no_hint, size_axis
from scopemark.experiments.unified_memory.hints import give, needs_hints
from scopemark.experiments.unified_memory.placing import apart
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, entry, setup_threads
from scopemark.procedure import Measured, Procedure
from scopemark.stage import Stage

STEPS = {
    "gpu_read_first": ("gpu", "read"),
    "cpu_read": ("cpu", "read"),
    "gpu_read": ("gpu", "read"),
    "cpu_write": ("cpu", "write"),
    "gpu_read_after_write": ("gpu", "read"),
    "cpu_read_after_write": ("cpu", "read"),
}
"""In their order: who does what with all words."""


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    while True:
        memory = apart(stage, "managed", p["size_bytes"])
        give(stage, memory, p["hint"])
        words = Words(stage, memory)
        words.write("cpu", 1, threads=setup_threads(stage))
        wrong = 0
        for step, (processor, operation) in STEPS.items():
            timed = words.sweep(processor, operation)
            if step == p["step"]:
                break
            # A write in between is proven by the reads that follow: to look at it now would move the pages.
            wrong += operation == "read" and stage.found[0] != words.expected
        measured = words.proven(timed, processor, operation)
        memory.release()
        yield replace(measured, wrong=measured.wrong + wrong)


READ_MOSTLY = Procedure(
    name="read_mostly",
    axes=(
        choice("hint", ["none", "read_mostly"], "what is advised before the data are written for the first time"),
        choice("step", list(STEPS), "which step is timed"),
        size_axis(),
    ),
    rules=(CPU_RULE, WORDS_RULE),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: entry(STEPS[p["step"]][1], p["size_bytes"]),
    missing=lambda p, machine: no_hint("managed", p["size_bytes"], machine, needs_hints(p)),
    operations=lambda p: p["size_bytes"] // WORD,
    bytes=lambda p: p["size_bytes"],
    held_bytes=lambda p: 0,
)
