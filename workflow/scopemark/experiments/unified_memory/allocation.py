"""What it costs to get memory, and to give it back."""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Parameters
from scopemark.experiments.unified_memory.common import allocator_axis, size_axis
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import ALLOCATORS, no_memory


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    while True:
        got = []
        allocate = stage.clocked(lambda got=got: got.append(stage.allocate(p["allocator"], p["size_bytes"])))
        (memory,) = got
        bytes = memory.bytes
        free = stage.clocked(memory.release)
        yield checked(allocate if p["call"] == "allocate" else free, bytes, p["size_bytes"])


ALLOCATION = Procedure(
    name="allocation",
    axes=(
        allocator_axis(),
        size_axis(),
        choice("call", ["allocate", "free"], "which call is timed; nobody touches the memory in between"),
    ),
    rules=(),
    run=_run,
    uses=lambda p: (),
    times=lambda p: f"{p['call']} {ALLOCATORS[p['allocator']].call}",
    missing=lambda p, machine: no_memory(p["allocator"], p["size_bytes"], machine),
    operations=lambda p: 1,
    held_bytes=lambda p: 0,
)
