"""What judging a claim gives: a verdict with the quantity that decides it, and the tables made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.claims.text import sentence
from scopemark.claims.verdict import HOLDS, NOT_TESTABLE
from scopemark.statistics import Interval


@dataclass(frozen=True)
class Finding:
    """A verdict, the ratio that decides it where one is claimed, and one row of `claim_pairs` per comparison."""

    verdict: str
    detail: str
    ratio: Interval | None = None
    comparisons: Sequence[dict[str, Any]] = field(default_factory=list)

    @property
    def pairs(self) -> int:
        return len(self.comparisons)

    @property
    def holding(self) -> int:
        return sum(comparison["verdict"] == HOLDS for comparison in self.comparisons)


def not_testable(reason: str) -> Finding:
    return Finding(NOT_TESTABLE, sentence([reason]))


def claim_tables(findings: Iterable[tuple[str, str, str, Finding]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables `claims` and `claim_pairs`, from (run, target, claim, finding)."""
    rows, comparisons = [], []
    for run, target, claim, finding in findings:
        place = {"run": run, "target": target, "claim": claim}
        row = place | {name: getattr(finding, name) for name in ("verdict", "pairs", "holding", "detail")}
        rows.append(row | (asdict(finding.ratio) if finding.ratio else {}))
        comparisons += [place | comparison for comparison in finding.comparisons]
    return tables.make("claims", rows), tables.make("claim_pairs", comparisons)
