"""When a case has been sampled enough, and what to call the outcome.

The samples of a case come from several worker processes, one after another, each of which takes an equal share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from scopemark.axes import cold_shots, fixed_samples
from scopemark.measure.journal import Record
from scopemark.statistics import interval_over_processes, median_interval

BATCH_SECONDS = 0.05
"""Wall time of one batch: long enough to hide the exchange with the worker, short enough to interleave many cases."""


def next_batch(
    record: Record, session: int, limits: Mapping[str, float], sampling: str, prepare_seconds: float = 0.0
) -> int:
    """How many samples to take next in the worker process `session`; 0 when that has taken its share.

    A share is the limits' part for one process. Within it, sampling ends when the process knows its median so well that
    as many like it make an interval of the width that is wanted, or better than the processes agree with each other,
    which no further sample would change. A batch lasts at least as long as preparing for it.
    """
    if record.event is not None:
        return 0
    fixed = fixed_samples(sampling)
    if fixed is not None:
        wanted = record.taken < fixed
        if cold_shots(sampling):  # a session has only one first launch
            return int(wanted and record.taken_in(session)[0] == 0)
        return fixed if wanted else 0  # the book's way: its N launches belong together
    processes = int(limits["processes"])
    others = record.processes
    here, taken_here, spent_here = others.pop(session, []), *record.taken_in(session)
    if processes == 1:  # what a killed process took is part of the one share
        others, here, taken_here, spent_here = {}, record.kept, record.taken, record.spent_seconds
    left = limits["budget_seconds"] - record.spent_seconds
    most = int(
        min(max(1, limits["maximum_samples"] / processes) - taken_here, limits["maximum_samples"] - record.taken)
    )
    if len(others) >= processes or left <= 0 or most <= 0:
        return 0
    if record.taken == 0:
        return 1
    budget = min(limits["budget_seconds"] / processes - spent_here, left)
    each = record.spent_seconds / record.taken
    if taken_here and budget < each:
        return 0
    least = max(2, math.ceil(limits["minimum_samples"] / processes))  # one sample says nothing of its noise
    if len(here) >= least:
        wanted_width = limits["relative_half_width"] * math.sqrt(processes)
        if half_width(here) <= max(wanted_width, half_width([median(samples) for samples in others.values()])):
            return 0
        wanted = max(8, taken_here // 2)
    else:
        wanted = least - len(here)
    affordable = int(min(max(BATCH_SECONDS, prepare_seconds), budget) / each) or 1
    return min(wanted, affordable, most)


def half_width(values: Sequence[float]) -> float:
    """Half the width of the median's interval as a share of the median.

    Of a few values, which have no interval, half the distance between the extremes; none of a single one.
    """
    if len(values) < 2:
        return 0.0
    interval = median_interval(values)
    if interval.value == 0 or math.isfinite(interval.relative_half_width):
        return interval.relative_half_width
    return (max(values) - min(values)) / 2 / interval.value


def rounds_left(record: Record, limits: Mapping[str, float], sampling: str) -> int:
    """How many worker processes are still to sample a case that is not done."""
    if fixed_samples(sampling) is not None:
        return 1
    return max(1, int(limits["processes"]) - len(record.processes))


def done_share(record: Record, session: int, limits: Mapping[str, float], sampling: str) -> float:
    """The share of a case's sampling that is done while `session` samples: 1 at its end, less before it."""
    waits = next_batch(record, session, limits, sampling) == 0
    if waits and next_batch(record, session + 1, limits, sampling) == 0:
        return 1.0
    fixed = fixed_samples(sampling)
    if fixed is not None:
        return record.taken / fixed
    spent = record.spent_seconds / limits["budget_seconds"]
    if limits["processes"] == 1:
        return spent
    full = record.processes.keys() - (() if waits else {session})
    return max(spent, len(full) / limits["processes"])


def outcome(record: Record, limits: Mapping[str, float], sampling: str, exact: bool) -> tuple[str, str]:
    """The status of a case that is done, and the reason when it is not "ok".

    `exact`: whether the operation promises the expected result.
    """
    if record.event is not None:
        return record.event
    wrong = max(record.samples["wrong"], default=0)
    if exact and wrong:
        return "incorrect", f"{wrong} elements differ from what the operations must leave"
    processes = list(record.processes.values())
    if not processes:
        reasons = ", ".join(sorted(set(filter(None, record.samples["discarded"])))) or "none was taken"
        return "unstable", f"no sample counts: {reasons}"
    if fixed_samples(sampling) is not None:
        return "ok", ""
    width = interval_over_processes(processes).relative_half_width
    if math.isinf(width):
        count = sum(map(len, processes))
        if record.taken >= limits["maximum_samples"]:
            return "unstable", f"{count} samples that count, of {record.taken}, make no interval"
        return "skipped", f"time budget: {count} samples in {limits['budget_seconds']:g} s make no interval"
    if width > limits["unstable_half_width"]:
        bound = limits["unstable_half_width"]
        return "unstable", f"half-width of the median's interval is {width:.1%}, above {bound:.0%}"
    return "ok", ""
