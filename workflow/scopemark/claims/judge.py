"""Judging claims about a machine: what a run's rows say to each, once per run and target.

Nothing about a verdict is typed. Claims about machine code are judged in `claims.code`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark.benchmark import Benchmark
from scopemark.claims.canaries import judge_allocators, judge_canaries
from scopemark.claims.definitions import lacking
from scopemark.claims.exact import judge_exact, judge_notes
from scopemark.claims.family import cautious, together, with_unstable
from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.lost import judge_lost
from scopemark.claims.steps import judge_faults, judge_seconds
from scopemark.claims.text import TIMES, assignments, phrase, ratio_finding, ratio_text, sentence
from scopemark.claims.verdict import HOLDS, greater, judge_ratios
from scopemark.collect import HERE, read_machine, run_names, summarised
from scopemark.experiment import Experiment
from scopemark.parameter_words import value_text
from scopemark.quantities import (
    ESTIMATES,
    Pair,
    crossover,
    fastest,
    matched_pairs,
    overlap_pairs,
    plain,
    select,
    too_slow,
    why_no_pairs,
)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a claim is judged: a target of a run, with the description of its machine."""

    run: str
    target: str
    machine: Mapping[str, Any]


def places(machine_paths: Iterable[str], summaries: Sequence[pd.DataFrame]) -> list[Place]:
    """The targets of this run, then those of recorded runs that have a row in a summary; each in the files' order."""
    paths = list(map(str, machine_paths))
    names = run_names(paths)
    found = []
    for path in paths:
        machine = read_machine(path)
        recorded = Path(path).name == "machine.json"
        found.append(Place(names[str(Path(path).parent)] if recorded else HERE, machine["target"], machine))
    return [place for place in found if summarised((place.run, place.target), summaries)]


def rows_at(summary: pd.DataFrame, place: Place) -> list[dict[str, Any]]:
    """The rows of a summary that were measured at a place."""
    return summary[(summary["run"] == place.run) & (summary["target"] == place.target)].to_dict("records")


def judge(claim: Mapping[str, Any], experiment: Experiment, place: Place, rows: Sequence[Row]) -> Finding:
    """The finding on a claim about a machine, from the summary's rows at a place."""
    if (reason := lacking(claim["needs"], place.machine)) is not None:
        return not_testable(reason)
    if name := claim["quantity"].get("benchmark"):
        rows = [row for row in rows if row["benchmark"] == name]
    if "unmeasured" in claim and not select(rows, claim["quantity"].get("where", {})):
        return not_testable(claim["unmeasured"])
    return _JUDGES[claim["quantity"]["kind"]](claim, experiment, rows, place.machine)


def _judge_ratio(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    quantity = claim["quantity"]
    a, b, where = quantity["a"], quantity["b"], quantity.get("where", {})
    benchmark = experiment.benchmark(quantity["benchmark"])
    family = select(rows, where)
    if quantity["kind"] == "overlap":
        quantity = {**quantity, "estimate": "seconds"}
    estimate = ESTIMATES[quantity.get("estimate", "operations")]

    def compared(rows: Sequence[Row]) -> list[Pair]:
        if quantity["kind"] == "overlap":
            return together(overlap_pairs(rows, benchmark, a, b))
        return together(matched_pairs(rows, benchmark, a, b, estimate))

    pairs = compared(family)
    if not pairs:
        return not_testable(why_no_pairs(family, a, b, estimate))
    deciding = [pair.ratio for pair in compared(cautious(family))]
    judged = judge_ratios(claim["relation"], [pair.ratio for pair in pairs], deciding)
    verdicts = judged.verdicts
    beside = [
        with_unstable(pairs),
        too_slow([*select(family, a), *select(family, b)]),
        _crossover(quantity, rows, benchmark, judged.verdict),
        _published(claim),
    ]
    beside += [_context(context, quantity, rows, benchmark) for context in claim.get("context", [])]
    return Finding(
        judged.verdict,
        sentence([ratio_finding(quantity, pairs, verdicts, judged), *beside]),
        pairs[judged.deciding].ratio,
        [
            {
                "toolchain": pair.a["toolchain"],
                "verdict": verdict,
                "value": pair.ratio.value,
                "low": pair.ratio.low,
                "high": pair.ratio.high,
                "a": assignments({axis: pair.a[axis] for axis in {**a, **b}}),
                "b": assignments({axis: pair.b[axis] for axis in {**a, **b}}),
                "conditions": assignments(pair.same),
                "case_a": pair.a["case"],
                "case_b": pair.b["case"],
                "instruction_a": plain(pair.a.get("instruction")),
                "instruction_b": plain(pair.b.get("instruction")),
            }
            for pair, verdict in zip(pairs, verdicts, strict=True)
        ],
    )


def _published(claim: Mapping[str, Any]) -> str:
    published = claim.get("published")
    return f"published: {published['value']:,g}{TIMES} on a {published['machine']}" if published else ""


def _crossover(quantity: Mapping[str, Any], rows: Sequence[Row], benchmark: Benchmark, verdict: str) -> str:
    """From where on an axis every comparison is ahead, over the whole axis and not only where the claim is judged.

    Over the whole axis there are more comparisons, with wider intervals: where none is ahead by them of a claim that
    holds by its own, nothing is said.
    """
    axis = quantity.get("crossover")
    if not axis:
        return ""
    where = {name: wanted for name, wanted in quantity.get("where", {}).items() if name != axis}
    estimate = ESTIMATES[quantity.get("estimate", "operations")]
    family = cautious(select(rows, where))
    pairs = together(matched_pairs(family, benchmark, quantity["a"], quantity["b"], estimate))
    start = crossover(pairs, axis, lambda ratio: greater(ratio) == HOLDS)
    if start is None:
        largest = max(pair.same[axis] for pair in pairs)
        return "" if verdict == HOLDS else f"even with {value_text(axis, largest)} not clearly ahead throughout"
    return f"ahead in every comparison from {value_text(axis, start)} on"


def _context(context: Mapping[str, Any], quantity: Mapping[str, Any], rows: Sequence[Row], benchmark: Benchmark) -> str:
    """The ratios of the fastest samples in another family, as the book reports its own."""
    where = {**quantity.get("where", {}), **context["where"]}
    pairs = matched_pairs(select(rows, where), benchmark, quantity["a"], quantity["b"], fastest)
    labels = [phrase(pair, pairs, quantity["a"], quantity["b"]) for pair in pairs]
    found = [
        f"{ratio_text(pair.ratio)}{f' ({label})' if label else ''}" for pair, label in zip(pairs, labels, strict=True)
    ]
    return f"{context['label']}: {', '.join(found)}" if found else ""


_JUDGES = {
    "exact": judge_exact,
    "notes": judge_notes,
    "ratio": _judge_ratio,
    "overlap": _judge_ratio,
    "lost": judge_lost,
    "faults": judge_faults,
    "seconds": judge_seconds,
    "canary": judge_canaries,
    "allocators": judge_allocators,
}
"""Kind of quantity to what judges it: from the claim, its experiment, the rows of its benchmark, and the machine."""
