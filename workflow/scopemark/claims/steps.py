"""Judging claims about one step of a sequence: the page faults it takes, and the seconds a call costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from scopemark.claims.family import cautious, widened
from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, counts, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, UNRESOLVED, family_verdict
from scopemark.experiment import Experiment
from scopemark.parameter_words import value_text
from scopemark.quantities import USABLE, differing_axes, plain, select, why_no_pairs
from scopemark.report.format import interval
from scopemark.statistics import Interval

Row = Mapping[str, Any]


def faults_verdict(relation: str, least: float, most: float) -> str:
    """What the samples of a case say.

    some_faults: there were page faults in every one of them; no_faults: in none. can_fault: it can happen, so that one
    sample shows it and no number of others refutes it.
    """
    if relation == "can_fault":
        return HOLDS if most > 0 else UNRESOLVED
    some = HOLDS if least > 0 else CONTRADICTED if most == 0 else UNRESOLVED
    return some if relation == "some_faults" else {HOLDS: CONTRADICTED, CONTRADICTED: HOLDS}.get(some, UNRESOLVED)


def seconds_verdict(least_seconds: float, low: float, high: float) -> str:
    """Whether the whole interval lies on one side of what is claimed."""
    return HOLDS if low >= least_seconds else CONTRADICTED if high < least_seconds else UNRESOLVED


def judge_faults(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about the major page faults of a step: those that had to wait for data to be moved."""
    family = select(rows, claim["quantity"].get("where", {}))
    counted = [row for row in family if row["status"] in USABLE and plain(row.get("major_faults_most")) is not None]
    if not counted:
        told = any(row["status"] in USABLE for row in family)
        return not_testable("page faults were not counted" if told else why_no_pairs(family, {}, {}))
    values = [[float(row[f"major_faults_{end}"]) for end in ("median", "least", "most")] for row in counted]
    verdicts = [faults_verdict(claim["relation"], least, most) for _, least, most in values]

    def said(row: Row, value: Sequence[float]) -> str:
        median, least, most = value
        return f"{median:,g} [{least:,g}, {most:,g}] in {int(row['samples']):,} samples"

    # Against a claim of none speaks what has most of them, against one of some what has least.
    order = max if claim["relation"] == "no_faults" else min
    if not any(most for *_, most in values):
        heading = f"not one major page fault of the CPU in {sum(int(row['samples']) for row in counted):,} samples"
        return _finding(claim, experiment, counted, values, verdicts, heading, None, order)
    heading = "major page faults of the CPU, median [least, most]"
    return _finding(claim, experiment, counted, values, verdicts, heading, said, order)


def judge_seconds(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about the time of a call."""
    family = select(rows, claim["quantity"].get("where", {}))
    timed = [row for row in family if row["status"] in USABLE and plain(row.get("low_seconds")) is not None]
    if not timed:
        return not_testable(why_no_pairs(family, {}, {}))
    values, deciding = ([astuple(one) for one in _seconds(rows)] for rows in (timed, cautious(timed)))
    least = claim["quantity"]["least_seconds"]
    verdicts = [seconds_verdict(least, low, high) for _, low, high in deciding]

    def said(row: Row, value: Sequence[float]) -> str:
        return interval(*value, "s")

    heading = f"time until the call returns, to be {interval(least, math.nan, math.nan, 's')} or more"
    return _finding(claim, experiment, timed, values, verdicts, heading, said, min)


def _seconds(rows: Sequence[Row]) -> list[Interval]:
    """The times of rows, with intervals that hold together."""
    found = [Interval(*(float(row[f"{end}_seconds"]) for end in ("median", "low", "high"))) for row in rows]
    return [widened(one, len(found)) for one in found]


def _of_all(rows: Sequence[Row], values: Sequence[Sequence[float]], said: Callable[..., str]) -> str:
    """What is said of cases that share their value: all their samples, between the least and the most of them."""
    bounds = min(least for _, least, _ in values), max(most for *_, most in values)
    return said({"samples": sum(int(row["samples"]) for row in rows)}, (values[0][0], *bounds))


def _label(row: Row, axes: Sequence[str]) -> str:
    """What tells a case from the others of its family, in brackets."""
    return f" ({', '.join(value_text(axis, row[axis]) for axis in axes)})" if axes else ""


def _finding(
    claim: Mapping[str, Any],
    experiment: Experiment,
    rows: Sequence[Row],
    values: Sequence[Sequence[float]],
    verdicts: Sequence[str],
    heading: str,
    said: Callable[[Row, Sequence[float]], str] | None,
    order: Callable[..., int],
) -> Finding:
    """The finding on rows with a value, its bounds and a verdict each; `order` picks the row that decides.

    Behind the heading stands what is `said` of that row, and of those with the least and the most.
    """
    verdict = family_verdict(verdicts)
    if claim["relation"] == "can_fault" and HOLDS in verdicts:  # what can happen has happened
        verdict = HOLDS
    axes = [axis.name for axis in experiment.benchmark(claim["quantity"]["benchmark"]).all_axes]
    differ = differing_axes(rows, axes)
    candidates = [index for index, one in enumerate(verdicts) if one == verdict]
    shown_rows = dict.fromkeys(
        [
            order(candidates, key=lambda index: values[index][0]),
            *(pick(range(len(rows)), key=lambda index: values[index][0]) for pick in (min, max)),
        ]
    )
    found = [f"{said(rows[index], values[index])}{_label(rows[index], differ)}" for index in shown_rows if said]
    if len(found) == 1 and len(rows) > 1:  # all have the same value
        found = [_of_all(rows, values, said)]
    spread = counts(verdicts).replace("comparisons", "cases") if len(rows) > 1 else ""
    parts = [": ".join(filter(None, [heading, ", ".join(found)])), spread]
    comparisons = [
        {
            "toolchain": row["toolchain"],
            "verdict": one,
            "value": value,
            "low": low,
            "high": high,
            "a": assignments({axis: row[axis] for axis in differ}) or row["benchmark"],
            "conditions": assignments({axis: row[axis] for axis in axes if axis not in differ}),
            "case_a": row["case"],
        }
        for row, one, (value, low, high) in zip(rows, verdicts, values, strict=True)
    ]
    return Finding(verdict, sentence(parts), None, comparisons)
