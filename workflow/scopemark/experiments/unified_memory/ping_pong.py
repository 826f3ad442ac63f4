"""The two processors update the same words in turns, and every iteration is looked at on its own.

A driver that sees pages go back and forth may change its mind midway: the mean of many iterations is nobody's time.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, WORDS_RULE, cannot_touch, no_hint, size_axis
from scopemark.experiments.unified_memory.hints import give, needs_hints, take_back, together, turn
from scopemark.experiments.unified_memory.placing import apart
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, entry, setup_threads
from scopemark.procedure import Measured, Procedure
from scopemark.stage import Stage
from scopemark.stage.allocators import ALLOCATORS

MIGRATING = [a.name for a in ALLOCATORS.values() if a.family in ("managed", "system") and not a.most_bytes]
"""Memory whose pages may move, and that is new whenever it is allocated; managed memory is the first."""

HINTS_HERE = ("none", "preferred_host", "preferred_host_accessed_by_gpu", "preferred_gpu", "prefetch")


def _missing(p: Parameters, machine: Machine) -> str | None:
    return cannot_touch(p["allocator"], "gpu", p["size_bytes"], machine) or no_hint(
        p["allocator"], p["size_bytes"], machine, needs_hints(p)
    )


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    while True:
        memory = apart(stage, p["allocator"], p["size_bytes"])
        words = Words(stage, memory)
        words.write("cpu", 1, threads=setup_threads(stage))
        give(stage, memory, p["hint"])
        for _ in range(p["iteration"]):
            timed = together(turn(words, p["hint"], processor, "update") for processor in ("cpu", "gpu"))
        measured = words.inspected(timed, "cpu")
        take_back(stage, memory, p["hint"])
        memory.release()
        yield measured


PING_PONG = Procedure(
    name="ping_pong",
    axes=(
        choice("allocator", MIGRATING, "where the memory comes from"),
        size_axis(),
        choice("hint", HINTS_HERE, "what is advised before the first iteration, or prefetched before every turn"),
        integer("iteration", 1, 1, 64, "which one is timed: in each the CPU updates all words, then a kernel does"),
    ),
    rules=(CPU_RULE, WORDS_RULE),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: entry("update", p["size_bytes"]),
    missing=_missing,
    operations=lambda p: 2 * p["size_bytes"] // WORD,
    bytes=lambda p: 4 * p["size_bytes"],
    held_bytes=lambda p: 0,
)
