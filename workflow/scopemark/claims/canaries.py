"""Judging claims about what a kernel may touch: by the canaries that were sent, and by those that were not; and claims
about what an allocator gives, by the table of allocators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.allocator_table import Measured
from scopemark.canaries import ABSENT, FAILED, HELD, REFUSED, Canary, canaries
from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, family_verdict
from scopemark.experiment import Experiment
from scopemark.quantities import select, why_no_pairs
from scopemark.stage.allocators import ALLOCATORS

MOST_NAMED = 6
_WORDS = {HELD: "held", REFUSED: "were refused before launch and so not tried", FAILED: "failed"}


def canary_verdict(relation: str, canary: Canary) -> str:
    """What one canary says.

    held: it was sent and came back. refused: nothing was promised, and it was not sent, or was and failed.
    as_promised: whatever the attributes say, it did so.
    """
    if relation == "held":
        return HOLDS if canary.outcome == HELD else CONTRADICTED
    if relation == "refused":
        return HOLDS if canary.promise is not None and canary.outcome != HELD else CONTRADICTED
    return CONTRADICTED if canary.disagrees else HOLDS


def judge_canaries(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Mapping[str, Any]], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about canaries; a kind of memory that the machine does not have says nothing."""
    family = select(rows, claim["quantity"].get("where", {}))
    found = [canary for canary in canaries(family, machine["gpu"]) if canary.outcome != ABSENT]
    if not found:
        return not_testable(why_no_pairs(family, {}, {}))
    verdicts = [canary_verdict(claim["relation"], canary) for canary in found]
    benchmark = experiment.benchmark(claim["quantity"]["benchmark"])
    axes = [axis.name for axis in benchmark.all_axes]
    differ = [axis for axis in axes if len({str(canary.row.get(axis)) for canary in found}) > 1]
    counted = Counter(canary.outcome for canary in found)
    parts = [
        f"{'all' if len(counted) == 1 else f'{number:,} of'} {len(found):,} cases {_WORDS[outcome]}"
        + (f" ({_attributes(found)})" if outcome == REFUSED else "")
        for outcome, number in counted.items()
    ]
    against = [canary for canary, verdict in zip(found, verdicts, strict=True) if verdict == CONTRADICTED]
    if against:
        named = [_named(canary, differ) for canary in against[:MOST_NAMED]]
        more = len(against) - len(named)
        parts.append(f"against the claim: {', '.join(named)}{f' and {more:,} more' if more else ''}")
    if absent := len(family) - len(found):
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
        for canary, verdict in zip(found, verdicts, strict=True)
    ]
    return Finding(family_verdict(verdicts), sentence(parts), None, comparisons)


def _attributes(found: Sequence[Canary]) -> str:
    """Why canaries were not sent; where there are several reasons, only the attributes, without what was asked for."""
    reasons = {str(canary.promise) for canary in found if canary.outcome == REFUSED}
    return ", ".join(sorted(reasons if len(reasons) == 1 else {reason.partition(": ")[0] for reason in reasons}))


def _named(canary: Canary, axes: Sequence[str]) -> str:
    words = " ".join(str(canary.row.get(axis)) for axis in axes) or str(canary.row["case"])
    return f"{words}: {canary.outcome}" + (f" ({canary.reason})" if canary.outcome == FAILED else "")


def judge_allocators(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Mapping[str, Any]], machine: Mapping[str, Any]
) -> Finding:
    """The finding on the guide's table of allocators: every cell that it has and that was measured."""
    measured = Measured(rows, machine)
    cells = [
        (ALLOCATORS[name].call, column, cell)
        for name in measured.allocators
        for column, cell in measured.cells(name).items()
        if cell.agrees is not None
    ]
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
