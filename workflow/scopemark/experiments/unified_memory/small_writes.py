"""The CPU writes one word and a kernel reads it, again and again: where should that word lie?

A sample is `rounds` rounds by the host's clock, each with a launch and a wait of its own. Managed memory is new in
every sample, and touched by the processor it is to lie with: a driver that sees pages go back and forth starts to treat
them in another way, and must not remember the sample before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, WARP, no_hint
from scopemark.experiments.unified_memory.placing import BLOCK, keep_with
from scopemark.experiments.unified_memory.words import SWEEPS, Words, expected_sum
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT


def _missing(p: Parameters, machine: Machine) -> str | None:
    return None if p["residence"] == "pinned" else no_hint("managed", BLOCK, machine)


def _memory(p: Parameters, stage: Stage) -> Memory:
    """A block that the word alone is in, and that lies where it is to."""
    if p["residence"] == "pinned":
        return stage.allocate("pinned", BLOCK)
    memory = stage.allocate("managed", BLOCK)
    keep_with(stage, memory, p["residence"])
    Words(stage, memory).write(p["residence"], seed=0)
    return memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    first, memory = 1, None
    while True:
        memory = memory or _memory(p, stage)
        stage.clear_out()
        stage.synchronize()
        timed = stage.clocked(_rounds(stage, memory, first, p["rounds"]))
        yield checked(timed, stage.read_out()[0], expected_sum(p["rounds"], 1, first))
        first += p["rounds"]
        if p["residence"] != "pinned":
            memory.release()
            memory = None


def _rounds(stage: Stage, memory: Memory, first: int, rounds: int) -> Callable[[], None]:
    """The rounds: the values from `first` on, which the kernel adds up."""
    words = memory.words()
    kernel = stage.ready("read_words", memory, 1, 1, OUT, blocks=1, threads=WARP)

    def step() -> None:
        for value in range(first, first + rounds):
            words[0] = value
            kernel()
            stage.synchronize()

    return step


SMALL_WRITES = Procedure(
    name="small_writes",
    axes=(
        choice("residence", ["cpu", "gpu", "pinned"], "whose memory the word prefers; pinned is the CPU's for good"),
        integer("rounds", 64, 1, 4096, "writes of the CPU, each of which a kernel reads"),
    ),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: "read_words",
    missing=_missing,
    operations=lambda p: p["rounds"],
    held_bytes=lambda p: BLOCK,
)
