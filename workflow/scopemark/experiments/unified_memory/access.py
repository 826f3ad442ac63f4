"""One processor goes over memory again and again: what its first pass costs, and what the later ones do.

Memory that migrates is allocated anew for every sample, so that every sample begins with the same first touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scopemark.axes import choice, count, integer, resolve_count
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.common import allocator_axis, cannot_touch, family, size_axis
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, entry, setup_threads
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_access
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

RANDOM_READS = 2**20


def scattered(n: int):
    """The SplitMix64 finalizer of 0 … n - 1, as uint64: the places that the random kernel reads, before masking."""
    import numpy

    value = numpy.arange(n, dtype=numpy.uint64) + numpy.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        value = (value ^ (value >> numpy.uint64(shift))) * numpy.uint64(factor)
    return value ^ (value >> numpy.uint64(31))


def _operations(p: Parameters) -> int:
    return RANDOM_READS if p["pattern"] == "random" else p["size_bytes"] // p["stride_bytes"]


def _uneven(p: Parameters) -> bool:
    granules = p["size_bytes"] // p["stride_bytes"]
    return p["pattern"] == "random" and granules & (granules - 1) != 0


def _bytes(p: Parameters) -> int:
    if p["pattern"] == "random" or p["stride_bytes"] > WORD:
        return 0
    return p["size_bytes"] * (2 if p["operation"] == "update" else 1)


def _times(p: Parameters) -> str:
    return "read_random" if p["pattern"] == "random" else entry(p["operation"], p["size_bytes"], p["stride_bytes"])


def _missing(p: Parameters, machine: Machine) -> str | None:
    touched = [p["processor"], *([] if p["origin"] == "nobody" else [p["origin"]])]
    reasons = (cannot_touch(p["allocator"], processor, p["size_bytes"], machine) for processor in touched)
    return next(filter(None, reasons), None)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    migrates = family(p) in ("managed", "system")
    threads = resolve_count(p["threads"], stage.machine_cpus)
    memory = None
    random_sum = _random_sum(p) if p["pattern"] == "random" else 0
    addressable, pages = no_access(p["allocator"], "cpu", stage.machine.attributes) is None, ""
    while True:
        if memory is None or migrates:
            memory = stage.allocate(p["allocator"], p["size_bytes"])
        if p["origin"] != "nobody":
            # The whole of it, whatever the stride: pages are what is placed.
            Words(stage, memory).write(p["origin"], 1, threads=setup_threads(stage))
        words = Words(stage, memory, p["stride_bytes"], threads)
        for _ in range(p["pass"]):
            if p["pattern"] == "random":
                measured = _read_random(p, stage, memory, threads, random_sum)
            else:
                timed = words.sweep(p["processor"], p["operation"])
        # Checked after the last pass only: the check may move the pages.
        if p["pattern"] == "sequential":
            measured = words.proven(timed, p["processor"], p["operation"])
        # Beside a GPU the pages are looked up once: a process with CUDA in it has a long map.
        if stage.machine.kind == "cpu" or not pages:
            pages = stage.pages(memory) if addressable else ""
        measured = replace(measured, note=pages)
        if migrates:
            memory.release()
        yield measured


def _random_sum(p: Parameters) -> int:
    """What the words at the random places must add up to."""
    import numpy

    granules, granule = p["size_bytes"] // p["stride_bytes"], p["stride_bytes"] // WORD
    places = (scattered(RANDOM_READS) & numpy.uint64(granules - 1)) * numpy.uint64(granule)
    return int(places.sum()) + RANDOM_READS  # the seed is 1


def _read_random(p: Parameters, stage: Stage, memory: Memory, threads: int, expected: int) -> Measured:
    shape = (memory, p["size_bytes"] // p["stride_bytes"], p["stride_bytes"] // WORD, RANDOM_READS, OUT)
    if p["processor"] == "gpu":
        timed = stage.on_gpu("read_random", *shape, items=RANDOM_READS)
    else:
        timed = stage.on_cpu("read_random", *shape, threads=threads)
    return checked(timed, stage.found[0], expected)


ACCESS = Procedure(
    name="access",
    axes=(
        allocator_axis(),
        size_axis(),
        choice("processor", ["gpu", "cpu"], "who goes over the memory, and is timed"),
        choice("operation", ["read", "write", "update"], "what it does with every word"),
        choice("origin", ["cpu", "gpu", "nobody"], "who has touched the memory before"),
        integer("pass", 1, 1, 8, "which pass over the memory is timed"),
        choice("pattern", ["sequential", "random"], f"in order, or {RANDOM_READS} words at random places"),
        integer("stride_bytes", WORD, WORD, 2**30, "bytes from one word that is touched to the next"),
        count("threads", 1, "threads, of a CPU"),
    ),
    rules=(
        Rule("words have 4 bytes", lambda p: p["stride_bytes"] % WORD != 0 or p["size_bytes"] % p["stride_bytes"] != 0),
        Rule("threads are those of a CPU", lambda p: p["processor"] == "gpu" and p["threads"] != 1),
        Rule("untouched memory has nothing to read", lambda p: p["origin"] == "nobody" and p["operation"] != "write"),
        Rule("random places are read", lambda p: p["pattern"] == "random" and p["operation"] != "read"),
        Rule("random places are drawn from a power of two", _uneven),
        Rule("a CPU target has no GPU", lambda p: p["target_kind"] == "cpu" and "gpu" in (p["processor"], p["origin"])),
    ),
    run=_run,
    uses=lambda p: (*SWEEPS, "read_random"),
    times=_times,
    missing=_missing,
    operations=_operations,
    bytes=_bytes,
    held_bytes=lambda p: 0 if family(p) in ("managed", "system") else p["size_bytes"],
)
