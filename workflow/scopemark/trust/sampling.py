"""Samples for the trust report: the engine's own way, without the session around it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass

from scopemark.measure.gpu import GpuBackend, PreparedGpu
from scopemark.measure.journal import Record
from scopemark.measure.stop import next_batch
from scopemark.statistics import Interval, median_interval


@dataclass(frozen=True)
class Estimate:
    """A median with its interval, in seconds, and what it took."""

    interval: Interval
    samples: int
    wall_seconds: float


def adaptive(backend: GpuBackend, prepared: PreparedGpu, limits: Mapping[str, float]) -> Estimate:
    """Sample a prepared case by the engine's stop rule, in this process alone."""
    record, start = Record(), time.perf_counter()
    while n := next_batch(record, 1, {**limits, "processes": 1}, "adaptive"):
        before = time.perf_counter()
        batch = backend.sample(prepared, record.taken, n, warm_up=record.taken == 0)
        record.add(vars(batch) | {"session": 1, "spent_seconds": time.perf_counter() - before})
    return Estimate(median_interval(record.kept), record.taken, time.perf_counter() - start)


BATCHED_SECONDS = 0.002  # of device time per batch: launch gaps and the events' own cost vanish in it
BATCHED_LAUNCHES = 256  # at most; the queue behind a hold must not fill up


def batched(backend: GpuBackend, prepared: PreparedGpu, seconds: float, limits: Mapping[str, float]) -> Estimate:
    """Launches back to back in one held interval, per launch, of a kernel that takes about that many seconds alone."""
    launches = max(2, min(BATCHED_LAUNCHES, int(BATCHED_SECONDS / seconds)))
    values: list[float] = []
    start = time.perf_counter()
    for batch in itertools.count():
        with backend.lanes[batch % len(backend.lanes)] as lane:
            first = batch * launches
            places = [backend.place(prepared, lane, first + i, reset=False) for i in range(launches)]

            def queue(places=places):
                for place in places:
                    backend.launch(prepared, place)

            values.append(lane.timed(queue)[0] / launches)
        enough = len(values) >= limits["minimum_samples"]
        if enough and median_interval(values).relative_half_width <= limits["relative_half_width"]:
            break
        spent = time.perf_counter() - start
        if len(values) >= limits["maximum_samples"] or (enough and spent > limits["budget_seconds"]):
            break
    return Estimate(median_interval(values), len(values), time.perf_counter() - start)
