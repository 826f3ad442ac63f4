"""What the benchmarks of this experiment share: launches, rules and data.

NumPy is imported only where data is made, since this module is read whenever the Snakefile is parsed.
"""

from __future__ import annotations

import functools
import math

from scopemark.axes import resolve_count
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.kernel_benchmark import Launch

LARGEST_BLOCK = 1024


def is_gpu(parameters: Parameters) -> bool:
    return parameters["target_kind"] == "gpu"


TARGET_RULES = (
    Rule("the CPU has builtins, not intrinsics", lambda p: not is_gpu(p) and p["api"] == "intrinsic"),
    Rule("a GPU has intrinsics, not builtins", lambda p: is_gpu(p) and p["api"] == "builtin"),
    Rule("the CPU's caches are not flushed", lambda p: not is_gpu(p) and p["cache"] == "cold"),
)

BLOCK_RULE = Rule(
    f"a GPU block has a fixed number of threads, at most {LARGEST_BLOCK}",
    lambda p: is_gpu(p) and (isinstance(p["threads_per_block"], str) or p["threads_per_block"] > LARGEST_BLOCK),
)


def launch_updates(parameters: Parameters, machine: Machine) -> Launch:
    """On a GPU a thread for every update; on a CPU one team, whose threads share the updates out."""
    threads = resolve_count(parameters["threads_per_block"], machine.processors)
    blocks = math.ceil(parameters["updates"] / threads) if machine.kind == "gpu" else 1
    return Launch(blocks, threads)


def hashed(n: int):
    """n uint32 that look random and are the same everywhere: the finalizer of MurmurHash3 over 0 … n - 1."""
    import numpy

    value = numpy.arange(n, dtype=numpy.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value ^= value >> numpy.uint32(shift)
        value *= numpy.uint32(factor)
    return value ^ (value >> numpy.uint32(16))


GUIDE_BITS = 18  # of a hash, by which its rank is looked up
CHUNK = 2**22  # ranks drawn at a time, which bounds the memory


@functools.lru_cache(maxsize=4)
def zipf(n: int, ranks: int, skew: float):
    """n ranks below `ranks`, rank r with a probability in proportion to (r + 1) ** -skew; 0 is uniform."""
    import numpy

    cumulated = numpy.cumsum(numpy.arange(1, ranks + 1, dtype=numpy.float64) ** -skew)

    def rank_of(hashes):
        drawn = (hashes + 0.5) * (cumulated[-1] / 2**32)
        found = numpy.searchsorted(cumulated, drawn, side="right").astype(numpy.uint32)
        return numpy.minimum(found, numpy.uint32(ranks - 1))

    # Most hashes that begin with the same bits have one rank; only the others are searched for, which takes long.
    shift = numpy.uint32(32 - GUIDE_BITS)
    begin = numpy.arange(2**GUIDE_BITS, dtype=numpy.uint32) << shift
    guide = rank_of(begin)
    several = guide != rank_of(begin | ((numpy.uint32(1) << shift) - numpy.uint32(1)))
    found = hashed(n)
    for first in range(0, n, CHUNK):
        part = found[first : first + CHUNK]
        place = part >> shift
        searched = numpy.flatnonzero(several[place])
        ranked = rank_of(part[searched])
        part[:] = guide[place]
        part[searched] = ranked
    return found
