"""When a case has been sampled enough, and what to call the outcome."""

from __future__ import annotations

from collections.abc import Mapping

from scopemark.axes import fixed_samples
from scopemark.measure.journal import Record
from scopemark.statistics import median_interval

BATCH_SECONDS = 0.05
"""Wall time of one batch: long enough to hide the exchange with the worker, short enough to interleave many cases."""


def next_batch(record: Record, limits: Mapping[str, float], sampling: str, prepare_seconds: float = 0.0) -> int:
    """How many samples to take next; 0 when the case is done. A batch lasts at least as long as preparing for it."""
    if record.event is not None:
        return 0
    fixed = fixed_samples(sampling)
    if fixed is not None:  # the book's way: its N launches belong together
        return fixed if record.taken < fixed else 0
    taken, kept = record.taken, record.kept
    if taken == 0:
        return 1
    if taken >= limits["maximum_samples"] or record.spent_seconds >= limits["budget_seconds"]:
        return 0
    if len(kept) >= limits["minimum_samples"]:
        if median_interval(kept).relative_half_width <= limits["relative_half_width"]:
            return 0
        wanted = max(8, taken // 2)
    else:
        wanted = int(limits["minimum_samples"]) - len(kept)
    affordable = int(max(BATCH_SECONDS, prepare_seconds) / (record.spent_seconds / taken)) or 1
    return min(wanted, affordable, int(limits["maximum_samples"]) - taken)


def outcome(record: Record, limits: Mapping[str, float], sampling: str, exact: bool) -> tuple[str, str]:
    """The status of a case that is done, and the reason when it is not "ok".

    `exact`: whether the operation promises the expected result.
    """
    if record.event is not None:
        return record.event
    wrong = max(record.samples["wrong"], default=0)
    if exact and wrong:
        return "incorrect", f"{wrong} elements differ from what the operations must leave"
    kept = record.kept
    if not kept:
        reasons = ", ".join(sorted(set(filter(None, record.samples["discarded"])))) or "none was taken"
        return "unstable", f"no sample counts: {reasons}"
    fixed = fixed_samples(sampling)
    if fixed is not None:
        return "ok", ""
    if len(kept) < limits["minimum_samples"]:
        return "skipped", (
            f"time budget: {len(kept)} of at least {limits['minimum_samples']} samples in "
            f"{limits['budget_seconds']:g} s"
        )
    width = median_interval(kept).relative_half_width
    if width > limits["unstable_half_width"]:
        bound = limits["unstable_half_width"]
        return "unstable", f"half-width of the median's interval is {width:.1%}, above {bound:.0%}"
    return "ok", ""
