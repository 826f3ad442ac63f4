"""Adds and maxima in every form, over any number of slots and any way of spreading the updates over them."""

from __future__ import annotations

import functools

from scopemark.axes import choice, count, integer
from scopemark.benchmark import Parameters, Rule
from scopemark.experiments.atomic_intrinsics.common import (
    BLOCK_RULE,
    TARGET_RULES,
    hashed,
    is_gpu,
    launch_updates,
    zipf,
)
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch

RUN = 256
"""Consecutive updates of one slot in the mapping by block."""

FORMS = ("native", "compiler_aggregated", "hand_aggregated", "loop_strong", "loop_weak", "loop_no_exit", "loop_backoff")
GPU_FORMS = ("compiler_aggregated", "hand_aggregated", "loop_backoff")


@functools.lru_cache(maxsize=4)
def slot_of(mapping: str, updates: int, slots: int):
    """The slot of each update, as uint32."""
    import numpy

    index = numpy.arange(updates, dtype=numpy.uint32)
    match mapping:
        case "modulo":
            return index % numpy.uint32(slots)
        case "block":
            return index // numpy.uint32(RUN) % numpy.uint32(slots)
        case "hash":
            return hashed(updates) % numpy.uint32(slots)
        case "sorted":
            return numpy.sort(hashed(updates) % numpy.uint32(slots))
        case "skewed":
            return zipf(updates, slots, 1.0)
    raise ValueError(mapping)


def expected_slots(operation: str, mapping: str, updates: int, slots: int):
    """What the updates must leave in each slot, as int32."""
    import numpy

    found = slot_of(mapping, updates, slots)
    if operation == "add":
        return numpy.bincount(found, minlength=slots).astype(numpy.int32)
    largest = numpy.zeros(slots, dtype=numpy.int32)
    numpy.maximum.at(largest, found, numpy.arange(updates, dtype=numpy.int32))
    return largest


def _buffers(parameters: Parameters, launch: Launch) -> dict[str, Buffer]:
    point = tuple(parameters[name] for name in ("mapping", "updates", "slots"))
    operation = parameters["operation"]
    return {
        "slots": Buffer("int32", parameters["slots"], 0),
        "slot_of": Buffer("uint32", parameters["updates"], None, lambda xp: xp.asarray(slot_of(*point))),
        "expected": Buffer(
            "int32", parameters["slots"], None, lambda xp: xp.asarray(expected_slots(operation, *point))
        ),
    }


def _issued(parameters: Parameters, launch: Launch, aggregated: bool) -> int | None:
    """Atomics of one launch where the form alone decides it: not for loops, nor where lanes vote on memory."""
    if parameters["form"] == "native":
        return parameters["updates"]
    if parameters["form"] == "compiler_aggregated":
        return -(-parameters["updates"] // 32) if aggregated else parameters["updates"]
    return None


CONTENTION = KernelBenchmark(
    name="contention",
    axes=(
        choice("mapping", ["modulo", "block", "hash", "skewed", "sorted"], "how updates are spread over the slots"),
        integer("slots", 10, 1, 2**24, "slots that the updates are spread over"),
        integer("updates", 2**20, 1, 2**30, "updates in one launch: threads of a GPU"),
        count("threads_per_block", RUN, "threads in a block; all the threads of a CPU"),
        choice("operation", ["add", "max"], "add 1, or take the maximum of i"),
        choice("api", ["atomic_ref", "intrinsic", "builtin"], "how it is written; at device scope, relaxed"),
        choice("form", FORMS, "native, folded per warp, or a loop of compare-and-swap"),
    ),
    compile_axes=("api", "operation", "form"),
    rules=(
        *TARGET_RULES,
        BLOCK_RULE,
        Rule("a CPU has no warps and no nanosleep", lambda p: not is_gpu(p) and p["form"] in GPU_FORMS),
        Rule("only adds are counted by a vote", lambda p: p["operation"] == "max" and p["form"] == "hand_aggregated"),
        Rule(
            "an increment always changes something, so that its loop has no early exit to leave out",
            lambda p: p["operation"] == "add" and p["form"] == "loop_no_exit",
        ),
        Rule("atomicCAS has no weak form", lambda p: p["api"] == "intrinsic" and p["form"] == "loop_weak"),
        Rule(
            "the builtins have no maximum",
            lambda p: p["api"] == "builtin" and p["operation"] == "max" and p["form"] == "native",
        ),
        Rule(
            "the compiler folds a warp's updates of one slot",
            lambda p: p["form"] == "compiler_aggregated" and p["slots"] != 1,
        ),
        Rule(
            "a vote needs whole warps",
            lambda p: p["form"] == "hand_aggregated" and (p["updates"] % 32 or p["threads_per_block"] % 32),
        ),
    ),
    launch=launch_updates,
    buffers=_buffers,
    arguments=lambda p, launch: ["slots", "slot_of", p["updates"]],
    check=lambda p, launch: Check("slots", p["slots"], 1, "expected"),
    operations=lambda p, launch: p["updates"],
    bytes=lambda p, launch: 4 * p["updates"],
    issued=_issued,
    minimum_architecture=lambda p: 70 if p["form"] in ("hand_aggregated", "loop_backoff") else 0,
)
