"""What judging a claim gives: a verdict with the quantity that decides it, and the tables made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.claims_text import sentence
from scopemark.claims_verdict import NOT_TESTABLE


@dataclass(frozen=True)
class Finding:
    """A verdict with the quantity that decides it, and one row of `claim_pairs` per comparison."""

    verdict: str
    detail: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    holding: int = 0
    comparisons: Sequence[dict[str, Any]] = field(default_factory=list)


def not_testable(reason: str) -> Finding:
    return Finding(NOT_TESTABLE, sentence([f"not testable here: {reason}"]))


def claim_tables(findings: Iterable[tuple[str, str, str, Finding]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables `claims` and `claim_pairs`, from (run, target, claim, finding)."""
    rows, comparisons = [], []
    for run, target, claim, finding in findings:
        place = {"run": run, "target": target, "claim": claim}
        names = ("verdict", "value", "low", "high", "pairs", "holding", "detail")
        rows.append(place | {name: _number(getattr(finding, name)) for name in names})
        comparisons += [place | comparison for comparison in finding.comparisons]
    return tables.make("claims", rows), tables.make("claim_pairs", comparisons)


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
