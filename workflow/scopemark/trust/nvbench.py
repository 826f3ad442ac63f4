"""The same cubins and launches, measured by NVBench and by the engine in one process, kernel by kernel.

NVBench is the optional dependency `cuda-bench`. Its streams change what the launches of the whole process cost, by up
to two tenths of a microsecond, so each kernel is measured before it is loaded too: `alone_seconds`.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scopemark.errors import UserError
from scopemark.grid import Case
from scopemark.measure.gpu import GpuBackend, PreparedGpu
from scopemark.statistics import Interval, median_interval, ratio_interval
from scopemark.trust.sampling import adaptive, batched


def compare(backend: GpuBackend, cases: Sequence[Case], limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """Two rows per kernel, cold and batched. UserError if cuda-bench is not installed.

    NVBench runs all of its benchmarks in one call, so ours happen within its: before and after each of its kernels.
    """
    bench, results = _nvbench()
    prepared = {case.id: backend.prepare(case.benchmark, case.parameters, case.kernel) for case in cases}
    alone = {case.id: adaptive(backend, prepared[case.id], limits) for case in cases}
    turns = {case.id: Turn(backend, prepared[case.id], limits) for case in cases}
    for case in cases:
        turns[case.id].register(bench, case.id)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "nvbench.json"
        bench.run_all_benchmarks(["scopemark", "-q", "--jsonbin", str(path)])
        found = results.BenchmarkResult.from_json(path)
        states = {name: found[name].states[0] for name in found}
    rows = []
    for case in cases:
        turn, state = turns[case.id], states[f"case_{case.id}"]
        common = {"case": case.id, "kernel": case.kernel, "iterations": case.parameters["iterations"]}
        rows += [
            common | {"mode": "cold", "alone_seconds": alone[case.id].interval.value} | turn.cold(state),
            common | {"mode": "batched"} | turn.batched(state),
        ]
    return rows


def _nvbench() -> tuple[Any, Any]:
    try:
        import cuda.bench as bench
        import cuda.bench.results as results
    except ImportError:
        raise UserError("snakemake trust compares with NVBench: install it with pip install cuda-bench") from None
    return bench, results


class Turn:
    """One kernel's turn: ours, NVBench's by its defaults, ours again."""

    def __init__(self, backend: GpuBackend, prepared: PreparedGpu, limits: Mapping[str, float]):
        self._backend, self._prepared, self._limits = backend, prepared, limits

    def register(self, bench: Any, name: str) -> None:
        """Make the kernel a benchmark of NVBench's."""
        import cupy

        walk = itertools.count()

        def benchmark(state):
            stream = cupy.cuda.Stream.from_external(state.get_stream())

            def launch(_):
                with stream:
                    # The same walk through memory as the engine's samples take.
                    places = self._backend.place(self._prepared, self._backend.lanes[0], next(walk), reset=False)
                    self._backend.launch(self._prepared, places)

            self._before = adaptive(self._backend, self._prepared, self._limits)
            start = time.perf_counter()
            state.exec(launch)
            self._nvbench_wall = time.perf_counter() - start
            self._after = adaptive(self._backend, self._prepared, self._limits)
            self._batched = batched(self._backend, self._prepared, self._after.interval.value, self._limits)

        benchmark.__name__ = f"case_{name}"
        bench.register(benchmark)

    def cold(self, state: Any) -> dict[str, Any]:
        """The columns of the cold row; NVBench's from its samples, by the engine's estimator."""
        ours = _joined(self._before.interval, self._after.interval)
        samples = self._before.samples + self._after.samples
        theirs = median_interval([float(value) for value in state.samples])
        ratio = ratio_interval(ours, theirs)
        return (
            _columns("ours", ours, samples, (self._before.wall_seconds + self._after.wall_seconds) / 2)
            | _columns("nvbench", theirs, len(state.samples), self._nvbench_wall)
            | {"nvbench_noise": _summary(state, "nv/cold/time/gpu/stdev/relative")}
            | {"ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high}
        )

    def batched(self, state: Any) -> dict[str, Any]:
        """The columns of the batched row; NVBench gives a mean without an interval."""
        ours, theirs = self._batched, _summary(state, "nv/batch/time/gpu/mean")
        return (
            _columns("ours", ours.interval, ours.samples, ours.wall_seconds)
            | {"nvbench_seconds": theirs, "nvbench_samples": _summary(state, "nv/batch/sample_size")}
            | {"ratio": ours.interval.value / theirs}
        )


def _summary(state: Any, tag: str) -> float:
    return state.summaries[tag].data["value"]


def _joined(before: Interval, after: Interval) -> Interval:
    """Two estimates of one quantity, made before and after the other tool's: their mean and the wider bounds."""
    return Interval((before.value + after.value) / 2, min(before.low, after.low), max(before.high, after.high))


def _columns(who: str, interval: Interval, samples: int, wall_seconds: float) -> dict[str, Any]:
    return {
        f"{who}_seconds": interval.value,
        f"{who}_low": interval.low,
        f"{who}_high": interval.high,
        f"{who}_samples": samples,
        f"{who}_wall_seconds": wall_seconds,
    }
