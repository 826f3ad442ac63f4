"""Does each promise hold? One kernel touches one page of memory of each kind.

A canary that dies takes its process with it and nothing else. Where the device attributes promise nothing none is sent,
unless the grid says `send: always`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, PAGE, WARP, allocator_axis
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_access, no_memory

ADDS = 64


def promise(p: Parameters, machine: Machine) -> str | None:
    """Why the attributes promise nothing for a canary, or None if they do."""
    return no_access(p["allocator"], "gpu", machine.attributes, atomic=p["access"] == "atomic")


def _missing(p: Parameters, machine: Machine) -> str | None:
    if (reason := no_memory(p["allocator"], PAGE, machine)) is not None:
        return reason
    return None if p["send"] == "always" else promise(p, machine)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    broken = promise(p, stage.machine)
    note = "touched as promised" if broken is None else f"touched against the attributes: {broken}"
    while True:
        memory = stage.allocate(p["allocator"], PAGE)
        words = Words(stage, memory)
        looker = "cpu" if words.reachable("cpu") else "gpu"
        with stage.unpromised() if broken else nullcontext():
            words.write(looker, 1)
            if p["access"] == "read":
                measured = words.read("gpu")
            elif p["access"] == "write":
                timed = words.write("gpu", 8)
                measured = words.inspected(timed, looker)
            else:
                started = stage.allocate("pinned", PAGE)
                timed = stage.on_gpu("count_system", memory, ADDS, started, 0, 1, blocks=1, threads=WARP)
                started.release()
                # The first word has the adds more; the others are as they were.
                found = words.inspected(timed, looker)
                measured = checked(timed, found.observed, words.expected + WARP * ADDS)
        memory.release()
        yield replace(measured, note=note)


CANARY = Procedure(
    name="canary",
    axes=(
        allocator_axis(),
        choice("access", ["read", "write", "atomic"], "what the kernel does to the page"),
        choice("send", ["promised", "always"], "only where the attributes promise it, or at any rate"),
    ),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: (*SWEEPS, "count_system"),
    times=lambda p: "count_system" if p["access"] == "atomic" else f"{p['access']}_dense",
    missing=_missing,
    operations=lambda p: WARP * ADDS if p["access"] == "atomic" else PAGE // WORD,
    held_bytes=lambda p: PAGE,
)
