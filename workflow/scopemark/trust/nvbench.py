"""The same cubins and launches, measured by NVBench and by the engine in one process, kernel by kernel.

NVBench is the optional dependency `cuda-bench`. Once it has run, every short kernel of the process takes a tenth of a
microsecond or two longer, so each kernel is measured before NVBench is loaded too: `alone_seconds`.
"""

from __future__ import annotations

import itertools
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scopemark.errors import UserError
from scopemark.grid import Case
from scopemark.measure.gpu import GpuBackend, PreparedGpu
from scopemark.statistics import Interval, median_interval, ratio_interval
from scopemark.trust.sampling import adaptive, batched


def compare(backend: GpuBackend, cases: Sequence[Case], limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """One row per kernel and mode, cold and batched. UserError if cuda-bench is not installed."""
    prepared = {case.id: backend.prepare(case.benchmark, case.parameters, case.kernel) for case in cases}
    alone = {case.id: adaptive(backend, prepared[case.id], limits) for case in cases}
    tool = NVBench(backend, {case.id: prepared[case.id] for case in cases})
    rows = []
    for case in cases:
        before = adaptive(backend, prepared[case.id], limits)
        theirs = tool.run(case.id)
        after = adaptive(backend, prepared[case.id], limits)
        ours = _joined(before.interval, after.interval)
        common = {"case": case.id, "kernel": case.kernel, "iterations": case.parameters["iterations"]}
        cold = median_interval(theirs.samples)
        rows.append(
            common
            | {"mode": "cold", "alone_seconds": alone[case.id].interval.value}
            | _columns("ours", ours, before.samples + after.samples, (before.wall_seconds + after.wall_seconds) / 2)
            | _columns("nvbench", cold, len(theirs.samples), theirs.wall_seconds)
            | {"nvbench_noise": theirs.noise}
            | _ratio(ours, cold)
        )
        per_launch = batched(backend, prepared[case.id], ours.value, limits)
        rows.append(
            common
            | {"mode": "batched"}
            | _columns("ours", per_launch.interval, per_launch.samples, per_launch.wall_seconds)
            | {"nvbench_seconds": theirs.batch_seconds, "nvbench_samples": theirs.batch_samples}
            | {"ratio": per_launch.interval.value / theirs.batch_seconds}
        )
    return rows


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


def _ratio(ours: Interval, theirs: Interval) -> dict[str, float]:
    ratio = ratio_interval(ours, theirs)
    return {"ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high}


class Result:
    """What NVBench found for one kernel; seconds throughout."""

    def __init__(self, state: Any, wall_seconds: float):
        self.samples = np.array(state.samples, dtype=float).tolist()
        self.wall_seconds = wall_seconds
        data = {tag: summary.data.get("value") for tag, summary in state.summaries.items()}
        self.noise = data.get("nv/cold/time/gpu/stdev/relative")
        self.batch_seconds = data["nv/batch/time/gpu/mean"]
        self.batch_samples = data["nv/batch/sample_size"]


class NVBench:
    """NVBench in this process, with every prepared kernel registered under its case's id."""

    def __init__(self, backend: GpuBackend, prepared: Mapping[str, PreparedGpu]):
        try:
            import cuda.bench as bench
            import cuda.bench.results as results
        except ImportError:
            raise UserError("snakemake trust compares with NVBench: install it with pip install cuda-bench") from None
        self._bench, self._results = bench, results
        for name, case in prepared.items():
            self._register(backend, name, case)
        # Its first run loads its kernels, which everything after it must feel alike.
        self.run(next(iter(prepared)))

    def _register(self, backend: GpuBackend, name: str, prepared: PreparedGpu) -> None:
        import cupy

        walk = itertools.count()

        def benchmark(state):
            stream = cupy.cuda.ExternalStream(state.get_stream().addressof())

            def launch(_):
                with stream:
                    # The same walk through memory as the engine's samples take.
                    backend.launch(prepared, backend.place(prepared, next(walk), reset=False))

            state.exec(launch)

        benchmark.__name__ = f"case_{name}"
        self._bench.register(benchmark)

    def run(self, name: str) -> Result:
        """One kernel by NVBench's defaults."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "nvbench.json"
            start = time.perf_counter()
            self._bench.run_all_benchmarks(["scopemark", "-q", "-b", f"case_{name}", "--jsonbin", str(path)])
            wall = time.perf_counter() - start
            found = self._results.BenchmarkResult.from_json(path)
            if f"case_{name}" not in found:
                raise UserError(f"NVBench gave no result for {name}: {json.dumps(list(found))}")
            return Result(found[f"case_{name}"].states[0], wall)
