"""The last words of a run on the terminal: where its page is, and what became of the cases."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable

HERE = "here"  # as in `scopemark.collect`, which brings pandas: the Snakefile is parsed without it


def case_counts(summaries: Iterable[str]) -> str:
    """How many of this machine's cases have which status, the most first: "102 cases here: 100 ok, 2 unstable"."""
    counts: Counter[str] = Counter()
    for path in summaries:
        with open(path, newline="") as file:
            counts.update(row["status"] for row in csv.DictReader(file) if row["run"] == HERE)
    said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items(), key=lambda item: -item[1]))
    return f"{counts.total()} cases here: {said}" if counts else "no case was measured here"
