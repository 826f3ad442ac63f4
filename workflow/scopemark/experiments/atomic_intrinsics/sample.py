"""The sample's twelve kernels: add, maximum and compare-and-swap, in four ways each."""

from __future__ import annotations

from scopemark.axes import choice, count, integer
from scopemark.benchmark import Parameters, Rule
from scopemark.experiments.atomic_intrinsics.common import BLOCK_RULE, TARGET_RULES, is_gpu, launch_updates
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch


def expected_slots(operation: str, updates: int, slots: int):
    """What update i, of slot i mod `slots`, must leave: the number of updates of each slot, or the largest i."""
    import numpy

    slot = numpy.arange(slots)
    if operation == "max":
        return updates - 1 - (updates - 1 - slot) % slots
    return (updates - slot + slots - 1) // slots


def _buffers(parameters: Parameters, launch: Launch) -> dict[str, Buffer]:
    operation, updates, slots = (parameters[name] for name in ("operation", "updates", "slots"))
    return {
        "slots": Buffer("int32", slots, 0),
        "expected": Buffer(
            "int32", slots, None, lambda xp: xp.asarray(expected_slots(operation, updates, slots).astype("int32"))
        ),
    }


SAMPLE = KernelBenchmark(
    name="sample",
    axes=(
        choice("operation", ["add", "max", "cas"], "add 1; take the maximum of i; add 1 by compare-and-swap"),
        choice("api", ["atomic_ref", "plain", "intrinsic", "std_atomic_ref", "builtin"], "how it is written"),
        choice("order", ["relaxed", "acquire", "release", "acq_rel", "seq_cst"], "memory order"),
        choice("scope", ["device", "block", "system"], "the threads that must agree"),
        integer("slots", 10, 1, 2**20, "slots that the updates are spread over, in turn; known to the compiler"),
        integer("updates", 1_000_000, 1, 2**30, "updates in one launch: threads of a GPU; known to the compiler"),
        count("threads_per_block", 1000, "threads in a block; all the threads of a CPU"),
    ),
    compile_axes=("api", "operation", "order", "scope", "slots", "updates"),
    rules=(
        *TARGET_RULES,
        BLOCK_RULE,
        Rule("every slot has an update", lambda p: p["slots"] > p["updates"]),
        Rule("the slots are updated by many blocks", lambda p: p["scope"] == "block"),
        Rule(
            "plain code has no order and no scope: relaxed and device stand for none",
            lambda p: p["api"] == "plain" and (p["order"], p["scope"]) != ("relaxed", "device"),
        ),
        Rule("the intrinsics are relaxed", lambda p: p["api"] == "intrinsic" and p["order"] != "relaxed"),
        Rule(
            "cuda::std::atomic_ref is system-scoped", lambda p: p["api"] == "std_atomic_ref" and p["scope"] != "system"
        ),
        Rule(
            "a scope means nothing to a CPU: system stands for it",
            lambda p: not is_gpu(p) and p["api"] != "plain" and p["scope"] != "system",
        ),
    ),
    launch=launch_updates,
    buffers=_buffers,
    arguments=lambda p, launch: ["slots"],
    check=lambda p, launch: Check("slots", p["slots"], 1, "expected", exact=p["api"] != "plain"),
    operations=lambda p, launch: p["updates"],
    issued=lambda p, launch, aggregated: (
        p["updates"] if p["operation"] == "add" and p["api"] != "plain" and not aggregated else None
    ),
)
