"""Axes, rules and reasons that the benchmarks of this experiment share."""

from __future__ import annotations

from scopemark.axes import Axis, choice, integer
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.words import UNIT, WORD
from scopemark.stage.allocators import ALLOCATORS, no_access, no_hints, no_memory

MIB, GIB = 2**20, 2**30
PAGE = 4096  # bytes, of the smallest pages
WARP = 32  # threads of a GPU that run in step

MOST_BYTES = 2 * GIB  # of managed memory, and far below what any GPU has


def allocator_axis() -> Axis:
    return choice("allocator", list(ALLOCATORS), "where the memory comes from")


def size_axis(default: int = 64 * MIB) -> Axis:
    return integer("size_bytes", default, WORD, MOST_BYTES, "bytes of memory")


CPU_RULE = Rule("there is no GPU in a CPU target", lambda p: p["target_kind"] == "cpu")
"""For benchmarks that mean nothing without a GPU."""

WORDS_RULE = Rule(f"words have {WORD} bytes", lambda p: p["size_bytes"] % WORD != 0)
"""For benchmarks that go over any number of whole words."""

UNITS_RULE = Rule(f"memory is gone over {UNIT} bytes at a time", lambda p: p["size_bytes"] % UNIT != 0)
"""For benchmarks that only have dense sweeps."""


def cannot_touch(allocator: str, processor: str, bytes: int, machine: Machine, atomic: bool = False) -> str | None:
    """Why a processor cannot touch memory of a kind on a machine, or None."""
    if (reason := no_memory(allocator, bytes, machine)) is not None:
        return reason
    if machine.kind == "cpu":
        return "needs a GPU" if processor == "gpu" else None
    return no_access(allocator, processor, machine.attributes, atomic)


def no_hint(allocator: str, bytes: int, machine: Machine, needed: bool = True) -> str | None:
    """Why a machine has no such memory, or, if they are `needed`, no hints for it; or None."""
    reason = no_memory(allocator, bytes, machine)
    return reason if reason is not None or not needed else no_hints(allocator, machine.attributes)


def family(parameters: Parameters) -> str:
    return ALLOCATORS[parameters["allocator"]].family
