"""Judging claims about a machine: what a run's rows say to each, once per run and target.

Nothing about a verdict is typed. Claims about machine code are judged in `claims_code`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark.benchmark import Benchmark
from scopemark.claims_canaries import judge_allocators, judge_canaries
from scopemark.claims_definitions import lacking
from scopemark.claims_finding import Finding, not_testable
from scopemark.claims_lost import judge_lost
from scopemark.claims_steps import judge_faults, judge_seconds
from scopemark.claims_text import TIMES, assignments, phrase, ratio_finding, ratio_text, sentence, shown
from scopemark.claims_verdict import CONTRADICTED, HOLDS, RELATIONS, family_verdict, greater, judge_ratios
from scopemark.collect import HERE, read_machine, run_names, summarised
from scopemark.experiment import Experiment
from scopemark.quantities import (
    ESTIMATES,
    crossover,
    fastest,
    matched_pairs,
    overlap_pairs,
    plain,
    select,
    why_no_pairs,
)

Row = Mapping[str, Any]
EXACT_STATUSES = ("ok", "unstable", "incorrect")
"""The statuses of cases whose results were checked."""


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
        pairs = overlap_pairs(family, benchmark, a, b)
    else:
        pairs = matched_pairs(family, benchmark, a, b, ESTIMATES[quantity.get("estimate", "operations")])
    if not pairs:
        return not_testable(why_no_pairs(family, a, b, ESTIMATES[quantity.get("estimate", "operations")]))
    judged = judge_ratios(claim["relation"], [pair.ratio for pair in pairs])
    verdicts = [RELATIONS[claim["relation"]](pair.ratio) for pair in pairs]
    beside = [_crossover(quantity, rows, benchmark), _published(claim)]
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


def _crossover(quantity: Mapping[str, Any], rows: Sequence[Row], benchmark: Benchmark) -> str:
    """From where on an axis every comparison is ahead, over the whole axis and not only where the claim is judged."""
    axis = quantity.get("crossover")
    if not axis:
        return ""
    where = {name: wanted for name, wanted in quantity.get("where", {}).items() if name != axis}
    estimate = ESTIMATES[quantity.get("estimate", "operations")]
    pairs = matched_pairs(select(rows, where), benchmark, quantity["a"], quantity["b"], estimate)
    start = crossover(pairs, axis, lambda ratio: greater(ratio) == HOLDS)
    return (
        f"ahead throughout at no {axis}"
        if start is None
        else f"ahead in every comparison from {axis} {shown(start)} on"
    )


def _context(context: Mapping[str, Any], quantity: Mapping[str, Any], rows: Sequence[Row], benchmark: Benchmark) -> str:
    """The ratios of the fastest samples in another family, as the book reports its own."""
    where = {**quantity.get("where", {}), **context["where"]}
    pairs = matched_pairs(select(rows, where), benchmark, quantity["a"], quantity["b"], fastest)
    labels = [phrase(pair, pairs, quantity["a"], quantity["b"]) for pair in pairs]
    found = [
        f"{ratio_text(pair.ratio)}{f' ({label})' if label else ''}" for pair, label in zip(pairs, labels, strict=True)
    ]
    return f"{context['label']}: {', '.join(found)}" if found else ""


def _judge_exact(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    family = select(rows, claim["quantity"].get("where", {}))
    checked = [row for row in family if row["status"] in EXACT_STATUSES and plain(row["wrong_elements"]) is not None]
    if not checked:
        return not_testable(why_no_pairs(family, {}, {}))
    wrong = [int(row["wrong_elements"]) for row in checked]
    verdicts = [CONTRADICTED if elements else HOLDS for elements in wrong]
    worst = max(range(len(wrong)), key=wrong.__getitem__)
    detail = f"all {len(checked):,} cases left exactly what they must"
    if len(checked) == 1:
        detail = "its one case left exactly what it must"
    if wrong[worst]:
        lost = f"{abs(plain(checked[worst]['lost_updates']) or 0):,g}"
        detail = f"{sum(map(bool, wrong)):,} of {len(checked):,} cases left something else; worst: "
        detail += f"{wrong[worst]:,} elements wrong by {lost} in sum ({checked[worst]['kernel']})"
    missing = len(family) - len(checked)
    beside = f"{missing:,} of the family {'has' if missing == 1 else 'have'} no result" if missing else ""
    names = list(experiment.parameter_names)
    comparisons = [
        {
            "toolchain": row["toolchain"],
            "verdict": verdict,
            "value": elements,
            "a": row["benchmark"],
            "conditions": assignments({name: row[name] for name in names if plain(row.get(name)) is not None}),
            "case_a": row["case"],
            "instruction_a": plain(row.get("instruction")),
        }
        for row, verdict, elements in zip(checked, verdicts, wrong, strict=True)
    ]
    return Finding(family_verdict(verdicts), sentence([detail, beside]), None, comparisons)


_JUDGES = {
    "exact": _judge_exact,
    "ratio": _judge_ratio,
    "overlap": _judge_ratio,
    "lost": judge_lost,
    "faults": judge_faults,
    "seconds": judge_seconds,
    "canary": judge_canaries,
    "allocators": judge_allocators,
}
"""Kind of quantity to what judges it: from the claim, its experiment, the rows of its benchmark, and the machine."""
