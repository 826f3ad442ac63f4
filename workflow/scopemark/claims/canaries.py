"""Judging claims about what a kernel may touch, by the canaries that were sent and by no others; and claims about what
an allocator gives, by the table of allocators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.allocator_table import Measured
from scopemark.canaries import FAILED, HELD, NOT_SENT, Canary, canaries
from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, family_verdict
from scopemark.experiment import Experiment
from scopemark.quantities import differing_axes, select, why_no_pairs
from scopemark.stage.allocators import ALLOCATORS

MOST_NAMED = 6


def canary_verdict(relation: str, canary: Canary) -> str:
    """What a canary that was sent says.

    held: it came back. fails: nothing was promised, and it did not come back. as_promised: whatever the attributes say,
    it did so.
    """
    if relation == "held":
        return HOLDS if canary.outcome == HELD else CONTRADICTED
    if relation == "fails":
        return HOLDS if canary.promise is not None and canary.outcome == FAILED else CONTRADICTED
    return CONTRADICTED if canary.disagrees else HOLDS


def judge_canaries(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Mapping[str, Any]], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about canaries. One that was not sent says nothing, nor does memory that is not there."""
    family = select(rows, claim["quantity"].get("where", {}))
    outcomes = canaries(family, machine["gpu"])
    tried = [canary for canary in outcomes if canary.outcome in (HELD, FAILED)]
    not_sent = [canary for canary in outcomes if canary.outcome == NOT_SENT]
    if not tried:
        return not_testable(
            _not_tried(not_sent, f"all {len(not_sent):,}") if not_sent else why_no_pairs(family, {}, {})
        )
    verdicts = [canary_verdict(claim["relation"], canary) for canary in tried]
    benchmark = experiment.benchmark(claim["quantity"]["benchmark"])
    differ = differing_axes([canary.row for canary in tried], [axis.name for axis in benchmark.all_axes])
    counted = Counter(canary.outcome for canary in tried)
    parts = [
        f"{'all' if len(counted) == 1 else f'{number:,} of'} {len(tried):,} that were tried {outcome}"
        for outcome, number in counted.items()
    ]
    against = [canary for canary, verdict in zip(tried, verdicts, strict=True) if verdict == CONTRADICTED]
    if against:
        named = [_named(canary, differ) for canary in against[:MOST_NAMED]]
        more = len(against) - len(named)
        parts.append(f"against the claim: {', '.join(named)}{f' and {more:,} more' if more else ''}")
    parts += [_not_tried(not_sent, f"{len(not_sent):,} more")] if not_sent else []
    if absent := len(family) - len(tried) - len(not_sent):
        parts.append(f"for {absent:,} more there is no such memory here, or the case was skipped")
    comparisons = [
        {
            "toolchain": canary.row["toolchain"],
            "verdict": verdict,
            "value": float(canary.outcome == HELD),
            "a": assignments({axis: canary.row.get(axis) for axis in differ}) or benchmark.name,
            "b": canary.outcome,
            "conditions": canary.promise or "promised",
            "case_a": canary.row["case"],
        }
        for canary, verdict in zip(tried, verdicts, strict=True)
    ]
    return Finding(family_verdict(verdicts), sentence(parts), None, comparisons)


def _not_tried(not_sent: Sequence[Canary], which: str) -> str:
    """That canaries were not sent, and why; where there are several reasons, only the attributes, without what was
    asked for."""
    reasons = {str(canary.promise) for canary in not_sent}
    reasons = reasons if len(reasons) == 1 else {reason.partition(": ")[0] for reason in reasons}
    return f"{which} were not tried, since nothing is promised ({', '.join(sorted(reasons))})"


def _named(canary: Canary, axes: Sequence[str]) -> str:
    words = " ".join(str(canary.row.get(axis)) for axis in axes) or str(canary.row["case"])
    return f"{words}: {canary.outcome}" + (f" ({canary.reason})" if canary.outcome == FAILED else "")


def judge_allocators(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Mapping[str, Any]], machine: Mapping[str, Any]
) -> Finding:
    """The finding on the guide's table of allocators: every cell that it has and that was measured."""
    measured = Measured(rows, machine)
    told = [
        (ALLOCATORS[name].call, column, cell)
        for name in measured.allocators
        for column, cell in measured.cells(name).items()
        if None not in (cell.found, cell.guide)
    ]
    cells = [one for one in told if one[2].agrees is not None]
    if not cells:
        return not_testable("the preset measured no cell of the table")
    verdicts = [HOLDS if cell.agrees else CONTRADICTED for *_, cell in cells]
    agreeing = verdicts.count(HOLDS)
    parts = [f"{'all' if agreeing == len(cells) else f'{agreeing:,} of'} {len(cells):,} cells are as in the guide"]
    others = [
        f"{call}, {column}: {cell.found} (guide: {cell.guide})" for call, column, cell in cells if not cell.agrees
    ]
    parts += [f"otherwise: {'; '.join(others[:MOST_NAMED])}"] if others else []
    parts += [f"and {len(others) - MOST_NAMED:,} more"] if len(others) > MOST_NAMED else []
    if not_tried := len(told) - len(cells):
        parts.append(
            f"{not_tried:,} more were not tried, since nothing promises that the memory can be reached from there"
        )
    toolchain = next(row["toolchain"] for row in rows if row["benchmark"] in ("access", "canary"))
    comparisons = [
        {
            "toolchain": toolchain,
            "verdict": verdict,
            "value": float(bool(cell.agrees)),
            "a": f"found: {cell.found}",
            "b": f"guide: {cell.guide}",
            "conditions": f"{call}, {column}",
        }
        for (call, column, cell), verdict in zip(cells, verdicts, strict=True)
    ]
    return Finding(family_verdict(verdicts), sentence(parts), None, comparisons)
