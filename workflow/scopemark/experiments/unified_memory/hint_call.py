"""What the call itself costs: the host's time until a hint, or a question about one, returns.

What a prefetch does afterwards is not in the time. A call that unsets is made where the same thing was set before.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, WORDS_RULE, no_hint, size_axis
from scopemark.experiments.unified_memory.placing import apart, place
from scopemark.experiments.unified_memory.words import SWEEPS, Words, setup_threads
from scopemark.procedure import Measured, Procedure
from scopemark.stage import Stage
from scopemark.stage.memory import Memory

PREFETCHES = {"prefetch_to_gpu": "gpu", "prefetch_to_host": "cpu"}

ADVICE = {
    "set_read_mostly": ("SetReadMostly", "cpu"),  # its place is ignored
    "unset_read_mostly": ("UnsetReadMostly", "cpu"),
    "set_preferred_gpu": ("SetPreferredLocation", "gpu"),
    "set_preferred_host": ("SetPreferredLocation", "cpu"),
    "unset_preferred": ("UnsetPreferredLocation", "gpu"),
    "set_accessed_by_gpu": ("SetAccessedBy", "gpu"),
    "set_accessed_by_host": ("SetAccessedBy", "cpu"),
    "unset_accessed_by": ("UnsetAccessedBy", "gpu"),
}

CALLS = [*PREFETCHES, *ADVICE, "range_attribute"]


def _times(p: Parameters) -> str:
    if p["call"] in PREFETCHES:
        return "cudaMemPrefetchAsync"
    if p["call"] in ADVICE:
        return f"cudaMemAdvise{ADVICE[p['call']][0]}"
    return "cudaMemRangeGetAttribute"


def _make(call: str, stage: Stage, memory: Memory) -> None:
    if call in PREFETCHES:
        stage.prefetch(memory, place(stage, PREFETCHES[call]))
    elif call in ADVICE:
        advice, processor = ADVICE[call]
        stage.advise(memory, advice, place(stage, processor))
    else:
        stage.range_attribute(memory, "PreferredLocation")


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    while True:
        memory = apart(stage, "managed", p["size_bytes"])
        words = Words(stage, memory)
        words.write(p["resident"], 1, threads=setup_threads(stage))
        advice, processor = ADVICE.get(p["call"], ("", ""))
        if advice.startswith("Unset"):
            stage.advise(memory, advice.replace("Unset", "Set"), place(stage, processor))
        timed = stage.clocked(lambda memory=memory: _make(p["call"], stage, memory))
        stage.synchronize()
        measured = words.inspected(timed, p["resident"])
        memory.release()
        yield measured


HINT_CALL = Procedure(
    name="hint_call",
    axes=(
        choice("call", CALLS, "which call is timed"),
        choice("resident", ["cpu", "gpu"], "who has written the memory, and so where it lies"),
        size_axis(),
    ),
    rules=(CPU_RULE, WORDS_RULE),
    run=_run,
    uses=lambda p: SWEEPS,
    times=_times,
    missing=lambda p, machine: no_hint("managed", p["size_bytes"], machine),
    operations=lambda p: 1,
    held_bytes=lambda p: 0,
)
