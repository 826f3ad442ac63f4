"""Answers in sentences: a question, the sentences that answer it, and the cases that their numbers come from.

A sentence asks for the cases it needs. Where the machine was not asked for them it is left out; where they were tried
and gave no number, that is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopemark.figures.data import DRAWN
from scopemark.figures.memory import over, seconds, sized, word
from scopemark.quantities import plain
from scopemark.report import format as report_format
from scopemark.statistics import Interval

Case = Mapping[str, Any]


class Unknown(Exception):
    """A sentence cannot be said. The message tells what became of its cases; it is empty where there are none."""


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
            raise Unknown(_outcome(found[0]) if found else "")
        return sorted(usable, key=lambda row: (row.get("size_bytes") or 0, row.get("pass") or 0))

    def one(self, benchmark: str, **axes: object) -> Case:
        """The one of the largest size, and of the last pass."""
        return self.measured(benchmark, **axes)[-1]


def _outcome(case: Case) -> str:
    """What became of a case that has no number."""
    reason = case.get("reason")
    return f"{case['status']}{f': {reason}' if reason else ''}"


@dataclass(frozen=True)
class Sentence:
    """about: what it is about, in a few words. say: the sentence, from the cases. Unknown where it cannot be said."""

    about: str
    say: Callable[[Cases], str]


@dataclass(frozen=True)
class Question:
    """What users ask, and the sentences that answer it on a GPU and on a CPU target."""

    text: str
    gpu: tuple[Sentence, ...] = ()
    cpu: tuple[Sentence, ...] = ()

    def answer(self, cases: Cases) -> str:
        """The sentences that can be said, and of what was tried in vain why. A GPU's may be that nothing was measured;
        a CPU's is empty then, since most that is asked has no meaning there."""
        said, failed = [], []
        for sentence in self.gpu if cases.machine["kind"] == "gpu" else self.cpu:
            try:
                said.append(sentence.say(cases))
            except Unknown as unknown:
                failed += [f"{sentence.about} ({unknown})"] if str(unknown) else []
        if failed:
            said.append(f"No number for {'; '.join(failed)}.")
        if not any(said) and cases.machine["kind"] == "gpu":
            return "Not measured in this run."
        return " ".join(filter(None, said))


def rate(case: Case) -> str:
    """The bytes of a case's memory per second, in words."""
    return report_format.interval(case["size_bytes"] / seconds(case).value, math.nan, math.nan, "B/s")


def duration(value: float) -> str:
    """A time in words."""
    return report_format.interval(value, math.nan, math.nan, "s")


def took(case: Case) -> str:
    """A case's time in words."""
    return duration(seconds(case).value)


def each(case: Case) -> str:
    """A case's time per operation in words."""
    return duration(seconds(case).value / case["operations"])


def per_second(case: Case, what: str) -> str:
    """A case's operations per second in words: 135 million adds a second."""
    value = case["operations"] / seconds(case).value
    factor, name = next(((f, n) for f, n in ((1e9, " billion"), (1e6, " million")) if value >= f), (1.0, ""))
    return f"{report_format.digits(value / factor)}{name} {what} a second"


def ratio(numerator: Case, denominator: Case) -> Interval:
    """Of the times of two cases, with its interval."""
    return over(numerator, denominator)


def times(found: Interval) -> str:
    """A ratio in words, with its interval where it has one."""
    return report_format.interval(found.value, found.low, found.high)


def size(case: Case) -> str:
    """A case's size in words."""
    return sized(case["size_bytes"])


def way(value: str) -> str:
    """A way, a hint or a workload as the figures call it, in quotes: some have commas."""
    return f"“{word(value)}”"


def listed(words: Sequence[str]) -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def alternatives(words: Sequence[str]) -> str:
    """a, b or c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
