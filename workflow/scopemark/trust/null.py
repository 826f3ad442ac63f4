"""Null tests: an empty kernel, kernels of a known duration, and the same kernel measured as if it were two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import cupy
import numpy as np

from scopemark.grid import Case
from scopemark.measure.gpu import GpuBackend
from scopemark.statistics import median_interval, ratio_interval
from scopemark.trust.sampling import adaptive

SPIN_NS = (2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
SPIN_SAMPLES = 60
PAIRS_PER_KERNEL = 25


def known_durations(backend: GpuBackend) -> list[dict[str, Any]]:
    """An empty kernel, and kernels that spin for a time that they clock themselves: measured against clocked.

    A kernel's start and end and the events' own cost come on top of what it clocks; that offset is the same for all.
    """
    empty = backend.support.get_function("scopemark_empty")
    spin = backend.support.get_function("scopemark_spin")
    clocked = cupy.zeros(2, dtype=cupy.uint64)
    rows = []
    for lane in backend.lanes:
        with lane:
            empty((1,), (1,), ())
            spin((1,), (1,), (np.uint64(1000), clocked))
            lane.synchronize()

    def measured(queue: Callable[[], None]) -> Iterator[float]:
        for sample in range(SPIN_SAMPLES):
            with backend.lanes[sample % len(backend.lanes)] as lane:
                yield lane.timed(queue)[0]

    rows.append(_row("empty", 0, list(measured(lambda: empty((1,), (1,), ()))), [0.0]))
    for duration in SPIN_NS:
        times, clocks = [], []
        for seconds in measured(lambda duration=duration: spin((1,), (1,), (np.uint64(duration), clocked))):
            times.append(seconds)
            clocks.append(int(clocked[0].get()) * 1e-9)
        rows.append(_row("spin", duration, times, clocks))
    return rows


def _row(kernel: str, duration_ns: int, measured: Sequence[float], known: Sequence[float]) -> dict[str, Any]:
    interval = median_interval(measured)
    clocked = float(np.median(known))
    return {
        "kernel": kernel,
        "asked_seconds": duration_ns * 1e-9,
        "clocked_seconds": clocked,
        "measured_seconds": interval.value,
        "measured_low": interval.low,
        "measured_high": interval.high,
        "offset_seconds": interval.value - clocked,
    }


def equal_pairs(backend: GpuBackend, cases: Sequence[Case], limits: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Each kernel measured as two cases, again and again: how often are they called different?

    The two differ in nothing, so a 95 % interval of their ratio misses 1 in 5 % of the pairs.
    """
    for case in cases:
        for pair in range(PAIRS_PER_KERNEL):
            twins = [backend.prepare(case.benchmark, case.parameters, case.kernel) for _ in range(2)]
            one, other = (adaptive(backend, twin, limits).interval for twin in twins)
            ratio = ratio_interval(one, other)
            yield {
                "case": case.id,
                "kernel": case.kernel,
                "iterations": case.parameters["iterations"],
                "pair": pair,
                "ratio": ratio.value,
                "ratio_low": ratio.low,
                "ratio_high": ratio.high,
                "called_different": not ratio.low <= 1 <= ratio.high,
            }
