"""What an answer is made of: how clear a ratio is, and the sentence of an outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scopemark.advice.code import Rows, reason
from scopemark.advice.words import say
from scopemark.claims.text import family_text, sentence
from scopemark.claims.verdict import BAND, inside_band
from scopemark.quantities import Pair, why_no_pairs
from scopemark.statistics import Interval

NOT_MEASURED = "Not measured here"


class Answer(NamedTuple):
    """A sentence, the ratio that decides, and where one would not have guessed it, what the tables know of why."""

    text: str
    ratio: Interval | None = None
    surprise: str = ""


def clearly(ratio: Interval) -> str:
    """better, same, worse, or open where the interval reaches across the edge of the equality band."""
    if inside_band(ratio):
        return "same"
    if ratio.low > BAND[1]:
        return "better"
    return "worse" if ratio.high < BAND[0] else "open"


def outcome_of(clear: set[str]) -> str:
    """The outcome of ratios that may go either way, from what each clearly is."""
    sides = clear & {"better", "worse"}
    return "mixed" if len(sides) == 2 else sides.pop() if sides else "same" if clear == {"same"} else "open"


def farthest(pairs: Sequence[Pair]) -> Interval:
    """The ratio farthest from 1."""
    return max((pair.ratio for pair in pairs), key=lambda ratio: abs(math.log(ratio.value)))


def ratios(pairs: Sequence[Pair]) -> str:
    """The ratios of pairs in words."""
    return family_text([pair.ratio for pair in pairs])


def answered(
    question: Mapping[str, Any],
    outcome: str,
    fields: Mapping[str, Any],
    pairs: Sequence[Pair],
    ratio: Interval,
    sides: Mapping[str, Rows],
) -> Answer:
    """The sentence of an outcome, and beside one that is clear and not expected, the machine code of the sides."""
    surprising = outcome not in (*question.get("expected", [outcome]), "open", "varies")
    return Answer(say(question, outcome, fields, pairs), ratio, reason(sides) if surprising else "")


def not_measured(family: Rows, a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Answer]:
    """That there is no answer, and why."""
    return [Answer(sentence([f"{NOT_MEASURED}: {why_no_pairs(family, a, b)}"]))]
