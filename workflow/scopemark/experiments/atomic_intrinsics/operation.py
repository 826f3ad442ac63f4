"""Table 8-2 of The CUDA Handbook in full: every atomic intrinsic on every type that it is overloaded for.

On a GPU only: the CPU's operations are measured by scoped_atomics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scopemark.axes import choice, count, integer, resolve_count
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.atomic_intrinsics.common import BLOCK_RULE, is_gpu
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch


@dataclass(frozen=True)
class Element:
    """A type: its size, where its memory is made, its numbers, and which operations take it.

    stored: a NumPy type of that size; the type itself where a counter may start at another value than 0.
    exact_below: adding 1 stops there, since the next number is not representable and the sum is rounded back.
    architecture: the least compute capability that has its add.
    """

    bytes: int
    stored: str
    operations: frozenset[str]
    lanes: int = 1
    exact_below: int = 2**63
    architecture: int = 0


ALL = ("add", "sub", "exch", "min", "max", "inc", "dec", "cas", "and", "or", "xor")
_BITS = {"and", "or", "xor"}
_ADD = frozenset({"add"})

TYPES = {
    "int32": Element(4, "int32", frozenset({"add", "sub", "exch", "min", "max", "cas", *_BITS})),
    "uint32": Element(4, "uint32", frozenset(ALL)),
    "int64": Element(8, "int64", frozenset({"min", "max"})),
    "uint64": Element(8, "uint64", frozenset({"add", "exch", "min", "max", "cas", *_BITS})),
    "float32": Element(4, "float32", frozenset({"add", "exch"}), exact_below=2**24),
    "float64": Element(8, "float64", _ADD, exact_below=2**53, architecture=60),
    "float16": Element(2, "uint16", _ADD, exact_below=2**11, architecture=70),
    "float16x2": Element(4, "uint32", _ADD, 2, 2**11, 60),
    "bfloat16": Element(2, "uint16", _ADD, exact_below=2**8, architecture=80),
    "bfloat16x2": Element(4, "uint32", _ADD, 2, 2**8, 80),
    "float32x2": Element(8, "uint64", _ADD, 2, 2**24, 90),
    "float32x4": Element(16, "complex128", _ADD, 4, 2**24, 90),
}

BITS = 31  # the bit operations leave the sign bit of an int32 alone
WRAP_BOUND = 1000  # increment and decrement wrap around there
SUBTRACTED_FROM = 2**31 - 1
CLUSTER = 2  # blocks
PAGE_BYTES = 4096  # on an H200, half of them are near to a multiprocessor and half are far


def initial_value(operation: str) -> int:
    """What a counter holds before a launch, so that every operation has something to change."""
    return {"sub": SUBTRACTED_FROM, "min": SUBTRACTED_FROM, "and": 2**BITS - 1}.get(operation, 0)


def final_value(operation: str, type: str, iterations: int, threads: int) -> int:
    """What a counter must hold after `threads` threads did `iterations` steps each, in any interleaving."""
    total, last = iterations * threads, iterations - 1
    touched = 2 ** min(iterations, BITS) - 1
    match operation:
        case "add":
            return min(total, TYPES[type].exact_below)
        case "sub":
            return SUBTRACTED_FROM - total
        case "exch" | "max":
            return last
        case "min":
            return 2**30 - last
        case "inc":
            return total % (WRAP_BOUND + 1)
        case "dec":
            return -total % (WRAP_BOUND + 1)
        case "cas":
            return iterations
        case "and":
            return initial_value(operation) & ~touched
        case "or":
            return touched
        case "xor":
            flips = [threads * len(range(bit, iterations, BITS)) for bit in range(BITS)]
            return sum(1 << bit for bit, flipped in enumerate(flips) if flipped % 2)
    raise ValueError(operation)


def minimum_architecture(parameters: Parameters) -> int:
    """The least compute capability that has the operation on the type, in that memory."""
    return max(TYPES[parameters["type"]].architecture, 90 if parameters["placement"] == "cluster" else 0)


def _launch(parameters: Parameters, machine: Machine) -> Launch:
    own = parameters["placement"] != "global"
    return Launch(
        resolve_count(parameters["blocks"], machine.processors),
        parameters["threads_per_block"],
        parameters["counters_per_block"] * TYPES[parameters["type"]].bytes if own else 0,
    )


def _distance(parameters: Parameters, launch: Launch) -> int:
    """Elements from a counter to the next one of the same thread: whole pages."""
    page = PAGE_BYTES // TYPES[parameters["type"]].bytes
    return math.ceil(launch.blocks * parameters["counters_per_block"] / page) * page


def _buffers(parameters: Parameters, launch: Launch) -> dict[str, Buffer]:
    counters, per_thread = launch.blocks * parameters["counters_per_block"], parameters["counters_per_thread"]
    element = TYPES[parameters["type"]]
    span = (per_thread - 1) * _distance(parameters, launch) + counters
    return {
        "counters": Buffer(element.stored, span, initial_value(parameters["operation"])),
        "observed": Buffer("float64", per_thread * counters * element.lanes, 0),
        "cycles": Buffer("uint64", 1, 0),
    }


def _arguments(parameters: Parameters, launch: Launch) -> list[str | int]:
    initial = initial_value(parameters["operation"])
    counts = (parameters[name] for name in ("counters_per_block", "iterations", "counters_per_thread"))
    return ["counters", "observed", "cycles", initial, *counts, _distance(parameters, launch), 0]


def _check(parameters: Parameters, launch: Launch) -> Check:
    per_block = parameters["counters_per_block"]
    expected = final_value(
        parameters["operation"], parameters["type"], parameters["iterations"], launch.threads // per_block
    )
    counters = launch.blocks * per_block * parameters["counters_per_thread"]
    return Check("observed", counters * TYPES[parameters["type"]].lanes, 1, expected)


def _operations(parameters: Parameters, launch: Launch) -> int:
    return launch.blocks * launch.threads * parameters["counters_per_thread"] * parameters["iterations"]


def _uneven(parameters: Parameters) -> bool:
    threads, counters = parameters["threads_per_block"], parameters["counters_per_block"]
    return isinstance(threads, str) or threads % counters != 0


OPERATION = KernelBenchmark(
    name="operation",
    axes=(
        choice("operation", ALL, "the intrinsic: atomicAdd, atomicSub, …"),
        choice("type", list(TYPES), "element type"),
        choice("placement", ["global", "shared", "cluster"], "memory: cluster is that of the neighbouring block"),
        choice("result", ["discarded", "used"], "used: a thread's operations are a chain"),
        integer("counters_per_block", 32, 1, 1024, "neighbouring counters that a block's threads are spread over"),
        integer(
            "counters_per_thread",
            1,
            1,
            2**16,
            "counters that each thread goes through, pages apart: an atomic's time depends on where its counter lies",
        ),
        count("blocks", "8/sm", "blocks in the grid"),
        count("threads_per_block", 256, "threads in a block"),
        integer("iterations", 64, 1, 2**20, "operations per thread on each of its counters"),
    ),
    compile_axes=("operation", "type", "placement", "result"),
    rules=(
        Rule("the intrinsics are a GPU's", lambda p: not is_gpu(p)),
        BLOCK_RULE,
        Rule(
            "counters_per_thread above 1 is for placement: global",
            lambda p: p["placement"] != "global" and p["counters_per_thread"] > 1,
        ),
        Rule("the intrinsic has no such overload", lambda p: p["operation"] not in TYPES[p["type"]].operations),
        Rule(
            "adds of float2 and float4 are for global memory",
            lambda p: p["type"] in ("float32x2", "float32x4") and p["placement"] != "global",
        ),
        Rule(
            "a compare-and-swap is of no use without its result",
            lambda p: p["operation"] == "cas" and p["result"] == "discarded",
        ),
        Rule("the counters of a block share its threads evenly", _uneven),
        Rule(
            f"a cluster has {CLUSTER} blocks, and so the number of blocks, or that per SM, is even",
            lambda p: p["placement"] == "cluster" and int(str(p["blocks"]).split("/")[0]) % CLUSTER != 0,
        ),
        Rule(
            "a counter that starts at 2^31 - 1 stays above zero",
            lambda p: (
                p["operation"] == "sub"
                and p["iterations"] * p["threads_per_block"] // p["counters_per_block"] > SUBTRACTED_FROM
            ),
        ),
    ),
    launch=_launch,
    buffers=_buffers,
    arguments=_arguments,
    check=_check,
    operations=_operations,
    issued=lambda p, launch, aggregated: _operations(p, launch),
    cycles="cycles",
    minimum_architecture=minimum_architecture,
)
