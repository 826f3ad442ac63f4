"""A histogram: bins of the block's own, folded at the end, against global bins."""

from __future__ import annotations

from scopemark.axes import choice, count, integer, number, resolve_count
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.atomic_intrinsics.common import TARGET_RULES, zipf
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch

ELEMENTS = integer("elements", 2**22, 1, 2**30, "elements counted, one bin number of 4 bytes each")
BINS = integer("bins", 256, 1, 2**24, "bins")
SKEW = number("skew", 0.0, 0.0, 4.0, "Zipf's exponent over the bins; 0 fills them evenly")


def _launch(parameters: Parameters, machine: Machine) -> Launch:
    return Launch(
        resolve_count(parameters["blocks"], machine.processors),
        resolve_count(parameters["threads_per_block"], machine.processors),
        4 * parameters["bins"] if parameters["form"] == "private_bins" else 0,
    )


def counts(elements: int, bins: int, skew: float):
    """How many elements fall in each bin, as uint32."""
    import numpy

    return numpy.bincount(zipf(elements, bins, skew), minlength=bins).astype(numpy.uint32)


def _buffers(parameters: Parameters, launch: Launch) -> dict[str, Buffer]:
    point = tuple(parameters[name] for name in ("elements", "bins", "skew"))
    return {
        "data": Buffer("uint32", parameters["elements"], None, lambda xp: xp.asarray(zipf(*point))),
        "counts": Buffer("uint32", parameters["bins"], 0),
        "expected": Buffer("uint32", parameters["bins"], None, lambda xp: xp.asarray(counts(*point))),
    }


HISTOGRAM = KernelBenchmark(
    name="histogram",
    axes=(
        ELEMENTS,
        BINS,
        SKEW,
        choice("api", ["atomic_ref", "intrinsic", "builtin"], "how the adds are written"),
        choice("form", ["private_bins", "global_bins"], "where an element is counted first"),
        count("blocks", "4/sm", "blocks in the grid; teams of threads on a CPU"),
        count("threads_per_block", 512, "threads in a block"),
    ),
    compile_axes=("api", "form"),
    rules=TARGET_RULES,
    launch=_launch,
    buffers=_buffers,
    arguments=lambda p, launch: ["data", p["elements"], p["bins"], "counts"],
    check=lambda p, launch: Check("counts", p["bins"], 1, "expected"),
    operations=lambda p, launch: p["elements"],
    bytes=lambda p, launch: 4 * p["elements"],
)
