"""CuPy's own histogram of the same data: the yardstick of the benchmark `histogram`.

What is timed is one call as a user writes it, between two events in a stream that nothing holds, since both functions
wait for the device before they count:

    cupy_bincount   cupy.bincount(data, minlength=bins): whether an element is negative, and the largest of them, which
                    the host waits for; an array of zeros; counting, to int64
    cupy_histogram  cupy.histogram(data, bins=bins, range=(0, bins)): the edges, made by kernels; an array of zeros;
                    counting by a search among the edges, to int64

In the time are thus all its kernels, their launch latencies, the work of Python and of CuPy between them, and memory
from CuPy's pool, which the rehearsal has filled. Not in it: compiling, and the copy of the result to the host. A launch
of our own in single shots is timed in the same way, but its bins are zeroed before the time begins.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scopemark.axes import choice, single_shots
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.atomic_intrinsics.common import is_gpu, zipf
from scopemark.experiments.atomic_intrinsics.histogram import BINS, ELEMENTS, SKEW, counts
from scopemark.procedure import Measured, Procedure, Timed, module_code

if TYPE_CHECKING:
    from scopemark.stage import Stage

CALLS = {"cupy_bincount": "cupy.bincount", "cupy_histogram": "cupy.histogram"}


class LibraryProcedure(Procedure):
    """A procedure that times a library: another version of it is other code."""

    def code(self) -> str:
        spec = importlib.util.find_spec("cupy")  # found, not imported: this is asked while the Snakefile is parsed
        version = module_code(str(Path(spec.origin).with_name("_version.py"))) if spec else ""
        return f"{super().code()} {version}"


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    import cupy

    point = (p["elements"], p["bins"], p["skew"])
    data, expected = cupy.asarray(zipf(*point)), counts(*point)
    note = f"CuPy {cupy.__version__}, counting by {_counted_by()}"

    def call():
        if p["library"] == "cupy_bincount":
            return cupy.bincount(data, minlength=p["bins"])
        return cupy.histogram(data, bins=p["bins"], range=(0, p["bins"]))[0]

    def sample() -> Measured:
        # A function of its own, so that the result is back in the pool when the next call asks for memory.
        timed, result = stage.on_gpu_unheld(call)
        return found(timed, cupy.asnumpy(result), expected, note)

    while True:
        yield sample()


def found(timed: Timed, observed, expected, note: str) -> Measured:
    """A sample with what a library counted, bin by bin."""
    import numpy

    if observed.shape != expected.shape:
        raise ValueError(f"{observed.size} bins were returned, not {expected.size}")
    wrong = int(numpy.count_nonzero(observed != expected))
    return Measured(timed, wrong, int(observed.sum()), int(expected.sum(dtype=numpy.int64)), note)


def _counted_by() -> str:
    """What CuPy's histograms are counted by: CUB, or else a kernel of CuPy's own."""
    from cupy._core import _accelerator

    return "CUB" if _accelerator.ACCELERATOR_CUB in _accelerator.get_routine_accelerators() else "a kernel of its own"


def _missing(p: Parameters, machine: Machine) -> str | None:
    return None if machine.kind == "gpu" else "CuPy needs a GPU"


HISTOGRAM_LIBRARY = LibraryProcedure(
    name="histogram_library",
    axes=(ELEMENTS, BINS, SKEW, choice("library", list(CALLS), "which function of CuPy's counts")),
    rules=(
        Rule("CuPy counts on a GPU", lambda p: not is_gpu(p)),
        Rule(
            "a call that waits for the device cannot be queued behind a hold: it is timed in single shots",
            lambda p: not single_shots(p["sampling"]),
        ),
    ),
    run=_run,
    uses=lambda p: (),
    times=lambda p: CALLS[p["library"]],
    missing=_missing,
    operations=lambda p: p["elements"],
    bytes=lambda p: 4 * p["elements"],
    held_bytes=lambda p: 4 * p["elements"],
)
