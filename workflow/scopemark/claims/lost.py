"""Judging claims about what racing updates lose: from the samples of a case, least to most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, counts, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, UNRESOLVED, family_verdict
from scopemark.experiment import Experiment
from scopemark.parameter_words import side_text, value_text
from scopemark.quantities import USABLE, differing_axes, plain, select, why_no_pairs

Row = Mapping[str, Any]


def lost_verdict(relation: str, least: float, most: float, operations: float, samples: int) -> str:
    """What the samples of a case say: at least `least` and at most `most` of its updates were lost in one of them.

    most_lost: more than half in every sample, contradicted if in none. some_lost: it can happen, so that one sample
    shows it and no number of others refutes it. varies: two samples differ.
    """
    if relation == "some_lost":
        return HOLDS if most > 0 else UNRESOLVED
    if relation == "varies":
        return HOLDS if most > least else CONTRADICTED if samples > 1 else UNRESOLVED
    if least > operations / 2:
        return HOLDS
    return CONTRADICTED if most <= operations / 2 else UNRESOLVED


def judge_lost(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about lost updates; with a `what` it is of values that fall short, and counts no updates.

    With a `control`, as system scope beside device scope, a case tells only where the one that differs from it in that
    loses nothing: what both lose is not for the difference.
    """
    quantity, relation = claim["quantity"], claim["relation"]
    axes = [axis.name for axis in experiment.benchmark(quantity["benchmark"]).all_axes]
    family = [row for row in select(rows, quantity.get("where", {})) if _is_raced(row)]
    if not family:
        return not_testable(why_no_pairs(select(rows, quantity.get("where", {})), {}, {}))
    differ = differing_axes(family, axes)

    def said(row: Row) -> str:
        ends = {end: f"{float(row[f'lost_updates_{end}']):,.0f}" for end in ("median", "least", "most")}
        of = "" if "what" in quantity else f" of {int(row['operations']):,}"
        return f"{ends['median']} [{ends['least']}, {ends['most']}]{of} in {int(row['samples']):,} samples"

    def label(row: Row) -> str:
        return ", ".join(value_text(axis, row[axis]) for axis in differ)

    control = quantity.get("control", {})
    pairs = [(row, _partner(row, rows, axes, control) if control else None) for row in family]
    silent = [(row, other) for row, other in pairs if control and (other is None or float(other["lost_updates_most"]))]
    raced = [row for row, other in pairs if (row, other) not in silent]
    beside = [
        f"{label(row) or 'its one case'} tells nothing, as {side_text(control)} "
        + (f"loses as well: {said(other)}" if other else "was not measured")
        for row, other in silent
    ]
    if not raced:
        return not_testable("; ".join(beside))
    found = [[float(row[f"lost_updates_{name}"]) for name in ("least", "median", "most")] for row in raced]
    verdicts = [
        lost_verdict(relation, least, most, float(row["operations"]), int(row["samples"]))
        for row, (least, _, most) in zip(raced, found, strict=True)
    ]
    verdict = family_verdict(verdicts)
    if relation == "some_lost" and HOLDS in verdicts:  # what can happen has happened
        verdict = HOLDS
    values = ", ".join(": ".join(filter(None, [label(row), said(row)])) for row in raced)
    spread = counts(verdicts).replace("comparisons", "cases") if len(raced) > 1 else ""
    parts = [f"{quantity.get('what', 'lost')}, median [least, most]: {values}", spread, *beside]
    comparisons = [
        {
            "toolchain": row["toolchain"],
            "verdict": one,
            "value": median / float(row["operations"]),
            "low": least / float(row["operations"]),
            "high": most / float(row["operations"]),
            "a": assignments({axis: row[axis] for axis in differ}) or row["benchmark"],
            "conditions": assignments({axis: row[axis] for axis in axes if axis not in differ}),
            "case_a": row["case"],
            "instruction_a": plain(row.get("instruction")),
        }
        for row, one, (least, median, most) in zip(raced, verdicts, found, strict=True)
    ]
    return Finding(verdict, sentence(parts), None, comparisons)


def _is_raced(row: Row) -> bool:
    return row["status"] in USABLE and plain(row["lost_updates_most"]) is not None


def _partner(row: Row, rows: Sequence[Row], axes: Sequence[str], control: Mapping[str, Any]) -> Row | None:
    """The case that differs from a row in nothing but what a control asks for, if it has a result."""
    same = {axis: row[axis] for axis in axes if axis not in control and plain(row.get(axis)) is not None}
    found = [one for one in select(rows, {**same, **control}) if one["toolchain"] == row["toolchain"]]
    return next(filter(_is_raced, found), None)
