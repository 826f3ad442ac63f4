"""Judging claims about what cases leave: whether it is what it must be, and what a procedure noted on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, family_verdict
from scopemark.experiment import Experiment
from scopemark.parameter_words import value_text
from scopemark.quantities import USABLE, differing_axes, plain, select, too_slow, why_no_pairs

Row = Mapping[str, Any]
CHECKED = ("ok", "unstable", "incorrect")
"""The statuses of cases whose results were checked."""


def judge_exact(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim that nothing is wrong. The quantity's `what` says what was right then, with a {note}."""
    quantity = claim["quantity"]
    family = select(rows, quantity.get("where", {}))
    checked = [row for row in family if row["status"] in CHECKED and plain(row["wrong_elements"]) is not None]
    if not checked:
        return not_testable(why_no_pairs(family, {}, {}))
    wrong = [int(row["wrong_elements"]) for row in checked]
    worst = max(range(len(wrong)), key=wrong.__getitem__)
    names = list(experiment.parameter_names)
    if wrong[worst]:
        lost = f"{abs(plain(checked[worst]['lost_updates']) or 0):,g}"
        label = ", ".join(value_text(axis, checked[worst][axis]) for axis in differing_axes(checked, names))
        detail = f"{sum(map(bool, wrong)):,} of {len(checked):,} cases left something else; worst: "
        detail += f"{wrong[worst]:,} element{'s' if wrong[worst] > 1 else ''} wrong by {lost} in sum"
        detail += f" ({label})" if label else ""
    else:
        what = quantity.get("what", "results were exact").format(note=plain(checked[0].get("note")))
        detail = f"{what} in {f'all {len(checked):,} cases' if len(checked) > 1 else 'the one case'}"
    verdicts = [CONTRADICTED if elements else HOLDS for elements in wrong]
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
    return Finding(family_verdict(verdicts), sentence([detail, _without(family)]), None, comparisons)


def _without(family: Sequence[Row]) -> str:
    """How many cases of a family have no result, and why; of those with one status why the first has none."""
    missing = [row for row in family if row["status"] not in CHECKED]
    slow = too_slow(missing)
    missing = missing if not slow else [row for row in missing if not too_slow([row])]
    counted = Counter(row["status"] for row in missing)
    return "; ".join(filter(None, [*(_no_result(missing, *one) for one in counted.items()), slow]))


def _no_result(missing: Sequence[Row], status: str, number: int) -> str:
    reason = next(plain(row.get("reason")) for row in missing if row["status"] == status)
    return f"{number:,} more had no result ({status}{f': {reason}' if reason else ''})"


def judge_notes(
    claim: Mapping[str, Any], experiment: Experiment, rows: Sequence[Row], machine: Mapping[str, Any]
) -> Finding:
    """The finding on a claim about what was noted in every sample: a case has each of its notes once, and no other may
    stand beside the one that is claimed."""
    family = select(rows, claim["quantity"]["where"])
    noted = [row for row in family if row["status"] in USABLE and plain(row.get("note")) is not None]
    if not noted:
        measured = any(row["status"] in USABLE for row in family)
        return not_testable("nothing was noted" if measured else why_no_pairs(family, {}, {}))
    notes = [str(row["note"]) for row in noted]
    matched = [re.fullmatch(claim["quantity"]["pattern"], note) is not None for note in notes]
    verdicts = [HOLDS if one else CONTRADICTED for one in matched]
    verdict = family_verdict(verdicts)
    samples = sum(int(row["samples"]) for row in noted)
    detail = f"noted in all {samples:,} samples: {notes[0]}"
    if verdict == CONTRADICTED:
        detail = f"noted besides in some of {samples:,} samples: {notes[matched.index(False)]}"
    names = [axis.name for axis in experiment.benchmark(claim["quantity"]["benchmark"]).all_axes]
    comparisons = [
        {
            "toolchain": row["toolchain"],
            "verdict": one,
            "value": float(one == HOLDS),
            "a": note,
            "conditions": assignments({name: row[name] for name in names}),
            "case_a": row["case"],
        }
        for row, note, one in zip(noted, notes, verdicts, strict=True)
    ]
    return Finding(verdict, sentence([detail]), None, comparisons)
