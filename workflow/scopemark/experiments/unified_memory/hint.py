"""What a hint is worth: the same work with and without it, and all that it costs, its own calls included.

The clock is the host's and runs from data that the CPU has written to finished work. Memory is allocated anew for every
sample, so that no sample knows what was advised before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice, integer
from scopemark.benchmark import Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, PAGE, no_hint, size_axis
from scopemark.experiments.unified_memory.hints import HINTS, give, needs_hints, together, turn
from scopemark.experiments.unified_memory.placing import apart
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, setup_threads
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage

Turn = tuple[str, str, int]
"""A processor, what it does with every word, and in how many passes before the other one has its turn."""

ENTRIES = {
    "gpu_reads": "read_dense",
    "gpu_updates": "update_dense",
    "both_read": "read_dense",
    "exchange": "write_dense",
    "sparse": "read_words",
}
"""The workloads, each with the kernel that the GPU runs."""


def turns(workload: str, passes: int) -> list[Turn]:
    """Who works, in which order."""
    if workload == "both_read":
        return [("gpu", "read", 1), ("cpu", "read", 1)] * passes
    if workload == "exchange":
        return [("gpu", "write", 1), ("cpu", "read", 1)] * passes
    return [("gpu", "update" if workload == "gpu_updates" else "read", passes)]


def _stride(p: Parameters) -> int:
    return PAGE if p["workload"] == "sparse" else WORD


def _sweeps(p: Parameters) -> int:
    """How often the words are gone over, by either processor."""
    return sum(passes for *_, passes in turns(p["workload"], p["passes"]))


def _bytes(p: Parameters) -> int:
    if p["workload"] == "sparse":
        return 0
    return p["size_bytes"] * _sweeps(p) * (2 if p["workload"] == "gpu_updates" else 1)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    while True:
        memory = apart(stage, "managed", p["size_bytes"])
        Words(stage, memory).write("cpu", 1, threads=setup_threads(stage))
        words = Words(stage, memory, _stride(p))
        stage.clear_out()
        stage.synchronize()
        steps = [stage.clocked(lambda memory=memory: give(stage, memory, p["hint"]))]
        observed = expected = 0
        for processor, operation, passes in turns(p["workload"], p["passes"]):
            steps.append(turn(words, p["hint"], processor, operation, passes))
            if operation == "read":
                expected += passes * words.expected
                observed += stage.found[0] if processor == "cpu" else 0
        timed = together(steps)
        observed += stage.read_out()[0]  # what the GPU read, in all its turns
        measured = checked(timed, observed, expected) if operation == "read" else words.inspected(timed, "cpu")
        memory.release()
        yield measured


HINT = Procedure(
    name="hint",
    axes=(
        choice("hint", list(HINTS), "what is advised once, and whether data are prefetched before they are used"),
        choice(
            "workload",
            list(ENTRIES),
            "who does what with data that the CPU wrote; in both_read and exchange the processors take turns, and in "
            "sparse the GPU reads one word of every 4 KiB",
        ),
        size_axis(),
        integer("passes", 1, 1, 64, "how often a processor goes over the data"),
    ),
    rules=(
        CPU_RULE,
        Rule(f"pages have {PAGE} bytes", lambda p: p["size_bytes"] % PAGE != 0),
    ),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: ENTRIES[p["workload"]],
    missing=lambda p, machine: no_hint("managed", p["size_bytes"], machine, needs_hints(p)),
    operations=lambda p: p["size_bytes"] // _stride(p) * _sweeps(p),
    bytes=_bytes,
    held_bytes=lambda p: 0,
)
