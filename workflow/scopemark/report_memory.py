"""Answers in sentences: a question, the sentences that answer it, and the cases that their numbers come from.

A sentence asks for the cases it needs. Where one has no valid number it is left out, and what is missing is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopemark import report_format
from scopemark.figures import DRAWN
from scopemark.figures_memory import over, seconds, sized, word
from scopemark.quantities import plain
from scopemark.statistics import Interval

Case = Mapping[str, Any]


class Unknown(Exception):
    """A sentence cannot be said: the message tells what there is no number for."""


class Cases:
    """One machine's cases, and its description."""

    def __init__(self, rows: Iterable[Case], machine: Mapping[str, Any]):
        self.rows = [{name: plain(value) for name, value in row.items()} for row in rows]
        self.machine = machine

    def of(self, benchmark: str, **axes: object) -> list[Case]:
        """The cases of a benchmark with these values, whatever became of them."""
        return [
            row
            for row in self.rows
            if row["benchmark"] == benchmark and all(row.get(name) == value for name, value in axes.items())
        ]

    def measured(self, benchmark: str, **axes: object) -> list[Case]:
        """Those of them that have a valid number, the smallest first. Unknown if there is none."""
        found = self.of(benchmark, **axes)
        usable = [row for row in found if row["status"] in DRAWN and row["median_seconds"] is not None]
        if not usable:
            raise Unknown(_described(benchmark, axes, found))
        return sorted(usable, key=lambda row: (row.get("size_bytes") or 0, row.get("pass") or 0))

    def one(self, benchmark: str, **axes: object) -> Case:
        """The one of the largest size, and of the last pass."""
        return self.measured(benchmark, **axes)[-1]


def _described(benchmark: str, axes: Mapping[str, object], found: Sequence[Case]) -> str:
    """A case that has no number, and why, if it was tried."""
    text = " ".join([benchmark, *(f"{name}={value}" for name, value in axes.items())])
    if not found:
        return text
    reason = found[0].get("reason")
    return f"{text} ({found[0]['status']}{f': {reason}' if reason else ''})"


Sentence = Callable[[Cases], str]


@dataclass(frozen=True)
class Question:
    """What users ask, and the sentences that answer it on a GPU and on a CPU target."""

    text: str
    gpu: tuple[Sentence, ...] = ()
    cpu: tuple[Sentence, ...] = ()

    def answer(self, cases: Cases) -> str:
        """The sentences that can be said, and then what they lack; empty where nothing is asked of this kind."""
        said, lacking = [], []
        for sentence in self.gpu if cases.machine["kind"] == "gpu" else self.cpu:
            try:
                said.append(sentence(cases))
            except Unknown as unknown:
                lacking.append(str(unknown))
        if lacking:
            said.append(f"Not measured here: {'; '.join(dict.fromkeys(lacking))}.")
        return " ".join(filter(None, said))


def rate(case: Case) -> Interval:
    """The bytes of a case's memory per second."""
    time = seconds(case)
    return Interval(*(case["size_bytes"] / bound for bound in (time.value, time.high, time.low)))


def each(case: Case) -> Interval:
    """Seconds per operation."""
    time = seconds(case)
    return Interval(*(bound / case["operations"] for bound in (time.value, time.low, time.high)))


def bytes_per_second(case: Case) -> str:
    """A case's rate in words, with its interval."""
    return _with(rate(case), "B/s")


def words_per_second(case: Case) -> str:
    """The words of memory that a case reads per second, with the interval."""
    return _with(_operations_per_second(case), "words/s")


def adds_per_second(case: Case) -> str:
    """The adds of a case per second, with the interval."""
    return _with(_operations_per_second(case), "adds/s")


def _operations_per_second(case: Case) -> Interval:
    time = each(case)
    return Interval(*(1 / bound for bound in (time.value, time.high, time.low)))


def duration(found: Interval) -> str:
    """A time in words, with its interval."""
    return _with(found, "s")


def ratio(numerator: Case, denominator: Case) -> Interval:
    """Of the times of two cases, with its interval."""
    return over(numerator, denominator)


def times(found: Interval) -> str:
    """A ratio in words, with its interval."""
    return _with(found, "ratio")


def _with(found: Interval, unit: str) -> str:
    return report_format.interval(
        found.value, *(None if math.isnan(end) else end for end in (found.low, found.high)), unit
    )


def size(case: Case) -> str:
    """A case's size in words."""
    return sized(case["size_bytes"])


def way(value: str) -> str:
    """A way, a hint or a workload as the figures call it, in quotes: some have commas."""
    return f"“{word(value)}”"
