"""Axes, rules and reasons that the benchmarks of this experiment share."""

from __future__ import annotations

from scopemark.axes import Axis, choice, integer
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.stage.allocators import ALLOCATORS, no_access, no_memory

KIB, MIB, GIB = 2**10, 2**20, 2**30

MOST_BYTES = 2 * GIB  # of managed memory, and far below what any GPU has


def allocator_axis(default: str = "managed", name: str = "allocator") -> Axis:
    return choice(name, [default, *(other for other in ALLOCATORS if other != default)], "where the memory comes from")


def size_axis(default: int = 64 * MIB) -> Axis:
    return integer("size_bytes", default, 4, MOST_BYTES, "bytes of memory")


NO_GPU = "there is no GPU in a CPU target"
CPU_RULE = Rule(NO_GPU, lambda p: p["target_kind"] == "cpu")
"""For benchmarks that mean nothing without a GPU."""


def cannot_touch(allocator: str, processor: str, bytes: int, machine: Machine, atomic: bool = False) -> str | None:
    """Why a processor cannot touch memory of a kind on a machine, or None."""
    if (reason := no_memory(allocator, bytes, machine)) is not None:
        return reason
    if machine.kind == "cpu":
        return "needs a GPU" if processor == "gpu" else None
    return no_access(allocator, processor, machine.attributes, atomic)


def family(parameters: Parameters) -> str:
    return ALLOCATORS[parameters["allocator"]].family
