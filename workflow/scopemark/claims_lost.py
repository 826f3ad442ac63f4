"""Judging claims about what racing updates lose: from the samples of a case, least to most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims_finding import Finding, not_testable
from scopemark.claims_text import assignments, counts, number, sentence, shown
from scopemark.claims_verdict import CONTRADICTED, HOLDS, UNRESOLVED, family_verdict
from scopemark.experiment import Experiment
from scopemark.quantities import USABLE, plain, select, why_no_pairs

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
    """The finding on a claim about lost updates; of a maximum, that is by how much the slots' values fall short."""
    quantity, relation = claim["quantity"], claim["relation"]
    family = select(rows, quantity.get("where", {}))
    raced = [row for row in family if row["status"] in USABLE and plain(row["lost_updates_most"]) is not None]
    if not raced:
        return not_testable(why_no_pairs(family, {}, {}))
    found = [[float(row[f"lost_updates_{name}"]) for name in ("least", "median", "most")] for row in raced]
    verdicts = [
        lost_verdict(relation, least, most, float(row["operations"]), int(row["samples"]))
        for row, (least, _, most) in zip(raced, found, strict=True)
    ]
    verdict = family_verdict(verdicts)
    if relation == "some_lost" and HOLDS in verdicts:  # what can happen has happened
        verdict = HOLDS
    axes = [axis.name for axis in experiment.benchmark(quantity["benchmark"]).all_axes]
    differ = [axis for axis in axes if len({plain(row.get(axis)) for row in raced}) > 1]
    parts = [f"{counts(verdicts)}" if len(raced) > 1 else ""]
    for row, (least, median, most) in zip(raced, found, strict=True):
        label = ", ".join(shown(row[axis]) for axis in differ)
        range_text = f"{number(median)} [{number(least)}, {number(most)}]"
        if relation != "some_lost":  # which counts no updates
            range_text += f" of {int(row['operations']):,}"
        parts.append(f"{f'{label}: ' if label else ''}{range_text} in {int(row['samples']):,} samples")
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
    what = "the values fall short, in sum, by" if relation == "some_lost" else "lost"
    return Finding(verdict, sentence([f"{what}, median [least, most]", *parts]), None, comparisons)
