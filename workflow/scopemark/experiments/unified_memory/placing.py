"""Where memory lies before a step: the same before every sample, and never in the time."""

from __future__ import annotations

from dataclasses import replace

from scopemark.axes import Axis, choice
from scopemark.experiments.unified_memory.common import MIB
from scopemark.experiments.unified_memory.words import OTHER
from scopemark.stage import Stage
from scopemark.stage.allocators import no_hints
from scopemark.stage.memory import HOST, Memory

BLOCK = 2 * MIB
"""Bytes that the driver manages as one: a page fault moves at most so much."""

SPOILED = 2**31
"""Added to a seed, it makes words of which none is as it will have to be."""


def destination_axis(*states: str) -> Axis:
    return choice("destination", states, "who has touched the memory that is written, if anybody has")


def apart(stage: Stage, allocator: str, bytes: int) -> Memory:
    """Memory that shares none of the driver's blocks, so that what is advised or moved is this memory alone."""
    whole = stage.allocate(allocator, max(bytes, BLOCK))
    return replace(whole, bytes=bytes, give_back=whole.release)


def new_memory(stage: Stage, allocator: str, bytes: int) -> Memory:
    """Memory of a kind that will be moved: of managed memory, in blocks that are its own."""
    return apart(stage, allocator, bytes) if allocator == "managed" else stage.allocate(allocator, bytes)


def place(stage: Stage, processor: str) -> str | int:
    """A processor's memory, as a place."""
    return HOST if processor == "cpu" else stage.device


def keep_with(stage: Stage, memory: Memory, processor: str) -> None:
    """Have managed memory prefer a processor's side, where the other one reaches it without moving it."""
    stage.advise(memory, "SetPreferredLocation", place(stage, processor))
    stage.advise(memory, "SetAccessedBy", place(stage, OTHER[processor]))


def bring(stage: Stage, memory: Memory, processor: str) -> None:
    """Have memory lie with a processor, if it is memory that moves; done on return.

    Where there are no hints it is left where it is: the processor's next touch brings it.
    """
    if no_hints(memory.allocator, stage.machine.attributes) is None:
        stage.prefetch(memory, place(stage, processor))
        stage.synchronize()
