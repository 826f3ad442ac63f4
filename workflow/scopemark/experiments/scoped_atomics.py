"""Scoped atomics: what it costs to say who must agree.

After The CUDA Handbook, 5.10. The kernels are in `kernels/scoped_atomics.cu`.
"""

from __future__ import annotations

import functools
import math

from scopemark.axes import choice, count, integer, number, resolve_count
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiment import Experiment
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch

ELEMENT = {"int32": 4, "uint32": 4, "uint64": 8, "float32": 4, "float64": 8}
"""Element types and their size in bytes."""

FLOATING = ("float32", "float64")
LIBRARY = ("atomic_ref", "atomic", "std_atomic_ref")
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
OPERATIONS = (
    "fetch_add",
    "load",
    "store",
    "exchange",
    "compare_exchange",
    "fetch_min",
    "fetch_max",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
)
LOAD_STORE = ("load", "store")
COUNTING = ("fetch_add", "compare_exchange")
INTEGER_ONLY = ("fetch_min", "fetch_max", "fetch_and", "fetch_or", "fetch_xor")
BITS = 31  # the bit operations leave the sign bit of an int32 alone


def _counters(parameters: Parameters, launch: Launch) -> int:
    return launch.blocks * parameters["counters_per_block"]


def _stride(parameters: Parameters) -> int:
    """The distance of neighbouring counters, in elements."""
    return parameters["stride_bytes"] // ELEMENT[parameters["type"]]


def initial_value(operation: str) -> int:
    """What a counter holds before a launch, so that every operation has something to change."""
    return {"load": 5, "fetch_min": 2**31 - 1, "fetch_and": 2**BITS - 1}.get(operation, 0)


def final_value(operation: str, iterations: int, threads: int) -> int:
    """What a counter must hold after `threads` threads did `iterations` steps each, in any interleaving.

    compare_exchange is not among them: only its threads know how often they won, and they tally it.
    """
    last = iterations - 1
    touched = 2 ** min(iterations, BITS) - 1
    match operation:
        case "fetch_add":
            return iterations * threads
        case "load":
            return initial_value(operation)
        case "store" | "exchange" | "fetch_max":
            return last
        case "fetch_min":
            return 2**30 - last
        case "fetch_and":
            return initial_value(operation) & ~touched
        case "fetch_or":
            return touched
        case "fetch_xor":
            flips = [threads * len(range(bit, iterations, BITS)) for bit in range(BITS)]
            return sum(1 << bit for bit, flipped in enumerate(flips) if flipped % 2)
    raise ValueError(operation)


def _launch_counter(parameters: Parameters, machine: Machine) -> Launch:
    shared = parameters["placement"] == "shared"
    return Launch(
        resolve_count(parameters["blocks"], machine.processors),
        resolve_count(parameters["threads_per_block"], machine.processors),
        parameters["counters_per_block"] * parameters["stride_bytes"] if shared else 0,
    )


def _counter_buffers(parameters: Parameters, launch: Launch) -> dict[str, Buffer]:
    counters = _counters(parameters, launch)
    return {
        "counters": Buffer(parameters["type"], counters * _stride(parameters), initial_value(parameters["operation"])),
        "tally": Buffer(parameters["type"], counters, 0),
    }


def _counter_arguments(parameters: Parameters, launch: Launch) -> list[str | int]:
    per_block = parameters["counters_per_block"]
    initial = initial_value(parameters["operation"])
    return ["counters", "tally", initial, per_block, _stride(parameters), parameters["iterations"]]


def _counter_check(parameters: Parameters, launch: Launch) -> Check:
    operation = parameters["operation"]
    threads = launch.threads // parameters["counters_per_block"]
    cas = operation == "compare_exchange"
    expected = "tally" if cas else final_value(operation, parameters["iterations"], threads)
    return Check("counters", _counters(parameters, launch), _stride(parameters), expected)


def _updates_of_a_counter(parameters: Parameters) -> int:
    threads = parameters["threads_per_block"]
    return parameters["iterations"] * (threads if isinstance(threads, int) else 1)


def _issued_by_counter(parameters: Parameters, launch: Launch, aggregated: bool) -> int:
    """Atomics that leave the SM's instruction stream: one per warp and step where the compiler folded the lanes."""
    per_block = math.ceil(launch.threads / 32) if aggregated else launch.threads
    return launch.blocks * per_block * parameters["iterations"]


def _uneven(parameters: Parameters) -> bool:
    threads, counters = parameters["threads_per_block"], parameters["counters_per_block"]
    return counters > 1 and (isinstance(threads, str) or threads % counters != 0)


def _gpu(parameters: Parameters) -> bool:
    return parameters["target_kind"] == "gpu"


COUNTER = KernelBenchmark(
    name="counter",
    axes=(
        choice("api", [*LIBRARY, "intrinsic", "builtin"], "how the operation is written"),
        choice("scope", ["device", "block", "system"], "the threads that must agree"),
        choice("order", ORDERS, "memory order"),
        choice("operation", OPERATIONS, "what is done to the counter"),
        choice("type", ["uint32", "int32", "uint64", "float32", "float64"], "element type"),
        choice("placement", ["global", "shared"], "where the counter lives"),
        choice("address", ["uniform", "opaque"], "whether the compiler sees that a warp uses one counter"),
        choice("result", ["discarded", "used"], "whether the old value is wanted"),
        integer("stride_bytes", 4, 4, 4096, "distance of neighbouring counters"),
        integer("counters_per_block", 1, 1, 1024, "counters that a block's threads are spread over"),
        count("blocks", "32/sm", "blocks in the grid; teams of threads on a CPU"),
        count("threads_per_block", 256, "threads in a block"),
        integer("iterations", 1024, 1, 2**24, "operations per thread"),
    ),
    compile_axes=("api", "scope", "order", "operation", "type", "placement", "address", "result"),
    rules=(
        Rule("the CPU has builtins, not intrinsics", lambda p: not _gpu(p) and p["api"] == "intrinsic"),
        Rule("a GPU has intrinsics, not builtins", lambda p: _gpu(p) and p["api"] == "builtin"),
        Rule("a CPU team has no shared memory of its own", lambda p: not _gpu(p) and p["placement"] == "shared"),
        Rule("a CPU has no warp to aggregate over", lambda p: not _gpu(p) and p["address"] == "uniform"),
        Rule("the CPU's caches are not flushed", lambda p: not _gpu(p) and p["cache"] == "cold"),
        Rule(
            "cuda::std::atomic_ref is system-scoped", lambda p: p["api"] == "std_atomic_ref" and p["scope"] != "system"
        ),
        Rule(
            "the compiler's builtins have no scope: system stands for them",
            lambda p: p["api"] == "builtin" and p["scope"] != "system",
        ),
        Rule("the intrinsics are relaxed", lambda p: p["api"] == "intrinsic" and p["order"] != "relaxed"),
        Rule("there is no load or store intrinsic", lambda p: p["api"] == "intrinsic" and p["operation"] in LOAD_STORE),
        Rule(
            "the ISO interface and the builtins have no fetch_min or fetch_max",
            lambda p: p["api"] in ("std_atomic_ref", "builtin") and p["operation"] in ("fetch_min", "fetch_max"),
        ),
        Rule("a load cannot release", lambda p: p["operation"] == "load" and p["order"] in ("release", "acq_rel")),
        Rule("a store cannot acquire", lambda p: p["operation"] == "store" and p["order"] in ("acquire", "acq_rel")),
        Rule(
            "min, max and bit operations are measured on integers",
            lambda p: p["type"] in FLOATING and p["operation"] in INTEGER_ONLY,
        ),
        Rule(
            "atomicCAS has no floating-point overload",
            lambda p: p["api"] == "intrinsic" and p["type"] in FLOATING and p["operation"] == "compare_exchange",
        ),
        Rule(
            "atomicExch has no double overload",
            lambda p: p["api"] == "intrinsic" and p["type"] == "float64" and p["operation"] == "exchange",
        ),
        Rule(
            "the builtins add integers only",
            lambda p: p["api"] == "builtin" and p["type"] in FLOATING,
        ),
        Rule(
            "a load's result is its only use",
            lambda p: p["operation"] in ("load", "compare_exchange") and p["result"] == "discarded",
        ),
        Rule("a store has no result", lambda p: p["operation"] == "store" and p["result"] == "used"),
        Rule(
            "a uniform address means one counter per block",
            lambda p: p["address"] == "uniform" and p["counters_per_block"] > 1,
        ),
        Rule("the counters of a block share its threads evenly", _uneven),
        Rule("the stride is a multiple of the element", lambda p: p["stride_bytes"] % ELEMENT[p["type"]] != 0),
        Rule(
            "float32 counts exactly only up to 2^24",
            lambda p: p["type"] == "float32" and p["operation"] in COUNTING and _updates_of_a_counter(p) > 2**24,
        ),
    ),
    launch=_launch_counter,
    buffers=_counter_buffers,
    arguments=_counter_arguments,
    check=_counter_check,
    operations=lambda p, launch: launch.blocks * launch.threads * p["iterations"],
    issued=_issued_by_counter,
)

KEY = 7
GOLDEN = 2654435769  # 2^32 over the golden ratio: multiples of it, mod 2^32, spread evenly


def matches(n: int, density: float, xp):
    """The elements that hold the key, as n booleans of the array module `xp`: deterministic and spread evenly."""
    return (xp.arange(n, dtype="uint32") * xp.uint32(GOLDEN)) < xp.uint32(min(int(density * 2**32), 2**32 - 1))


def match_data(n: int, density: float, xp):
    """n int32 of which a share of `density` equals KEY."""
    return xp.where(matches(n, density, xp), xp.int32(KEY), xp.int32(0))


@functools.cache
def expected_matches(n: int, density: float) -> int:
    """How many of n elements hold the key."""
    import numpy

    return int(matches(n, density, numpy).sum())


MATCH_COUNT = KernelBenchmark(
    name="match_count",
    axes=(
        choice("api", ["atomic_ref", "atomic", "intrinsic", "builtin"], "how the adds are written"),
        choice("form", ["two_level", "per_match", "warp_aggregated"], "where matches are added up first"),
        integer("elements", 2**22, 1, 2**30, "elements searched"),
        number("density", 0.5, 0.0, 1.0, "share of elements that match"),
        count("blocks", "8/sm", "blocks in the grid; teams of threads on a CPU"),
        count("threads_per_block", 256, "threads in a block"),
    ),
    compile_axes=("api", "form"),
    rules=(
        Rule("the CPU has builtins, not intrinsics", lambda p: not _gpu(p) and p["api"] == "intrinsic"),
        Rule("a GPU has intrinsics, not builtins", lambda p: _gpu(p) and p["api"] == "builtin"),
        Rule("a CPU has no warp to aggregate over", lambda p: not _gpu(p) and p["form"] == "warp_aggregated"),
        Rule("the CPU's caches are not flushed", lambda p: not _gpu(p) and p["cache"] == "cold"),
        Rule(
            "a vote needs whole warps",
            lambda p: p["form"] == "warp_aggregated" and p["threads_per_block"] % 32 != 0,
        ),
    ),
    launch=lambda p, machine: Launch(
        resolve_count(p["blocks"], machine.processors),
        resolve_count(p["threads_per_block"], machine.processors),
        4 if p["form"] == "two_level" else 0,
    ),
    buffers=lambda p, launch: {
        "data": Buffer("int32", p["elements"], None, lambda xp: match_data(p["elements"], p["density"], xp)),
        "total": Buffer("int32", 1, 0),
    },
    arguments=lambda p, launch: ["data", p["elements"], KEY, "total"],
    check=lambda p, launch: Check("total", 1, 1, expected_matches(p["elements"], p["density"])),
    operations=lambda p, launch: p["elements"],
    bytes=lambda p, launch: 4 * p["elements"],
)

EXPERIMENT = Experiment(
    name="scoped_atomics",
    title="Scoped atomics",
    question="Which scope, placement, memory order and API should a counter use here, and what does each cost?",
    benchmarks=(COUNTER, MATCH_COUNT),
)
