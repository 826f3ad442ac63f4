"""One word asks, another answers: how long a signal takes from one processor to the other and back.

Both poll, in memory that both see. Neither waits longer than LIMIT_NS in all: then the rounds that are missing are what
is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, PAGE, allocator_axis, cannot_touch
from scopemark.experiments.unified_memory.counter import bytes_for_a_word
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_sharing_in_time
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

APART = 256  # bytes from the word that asks to the one that answers: not in one cache line
LIMIT_NS = 2_000_000_000


def _missing(p: Parameters, machine: Machine) -> str | None:
    name, bytes = p["allocator"], bytes_for_a_word(p)
    touching = [cannot_touch(name, processor, bytes, machine, atomic=True) for processor in ("cpu", "gpu")]
    return next(filter(None, [*touching, no_sharing_in_time(name, machine.attributes)]), None)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    on_gpu, on_cpu = ("ask", "answer") if p["asker"] == "gpu" else ("answer", "ask")
    stage.load(on_gpu)
    while True:
        memory = stage.allocate(p["allocator"], bytes_for_a_word(p))
        memory.words()[: PAGE // 4] = 0
        answer = Memory(memory.allocator, memory.address + APART, 4, on_gpu=memory.on_gpu + APART)
        # One round more than is counted: the first waits for the other to start.
        arguments = (memory, answer, p["rounds"] + 1, LIMIT_NS, OUT)
        stage.clear_out()
        stage.launch(on_gpu, *arguments, blocks=1, threads=1)
        timed = stage.on_cpu(on_cpu, *arguments)
        cpu = stage.found
        gpu = stage.read_out()
        asker = gpu if p["asker"] == "gpu" else cpu
        done = max(0, min(cpu[0], gpu[0]) - 1)
        yield checked(replace(timed, seconds=asker[1] * 1e-9), done, p["rounds"])
        memory.release()


SIGNAL = Procedure(
    name="signal",
    axes=(
        allocator_axis(),
        choice("asker", ["cpu", "gpu"], "who asks, and whose clock is read"),
        integer("rounds", 100, 1, 10**6, "questions that are answered"),
    ),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: ("ask", "answer"),
    times=lambda p: "ask",
    missing=_missing,
    operations=lambda p: p["rounds"],
    held_bytes=bytes_for_a_word,
)
