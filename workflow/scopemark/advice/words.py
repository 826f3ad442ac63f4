"""The words of advice: the sentence of an outcome, and the conditions under which it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims.verdict import BAND
from scopemark.parameter_words import value_text
from scopemark.quantities import Pair, differing, plain

CANNOT_TELL = f"Too noisy, or too small, to tell within {100 * (BAND[1] - 1):.0f} %"
VARIES = "Not the same in every case"


def say(question: Mapping[str, Any], outcome: str, fields: Mapping[str, Any], pairs: Sequence[Pair]) -> str:
    """The sentence of an outcome, with the conditions it was measured under in brackets before its full stop."""
    if outcome in ("open", "varies"):
        text = f"{CANNOT_TELL if outcome == 'open' else VARIES}: {fields['open']}"
    else:
        text = question["answers"][outcome].format_map(fields)
    conditions = "; ".join(_conditions(question, pairs))
    return text.removesuffix(".") + (f" ({conditions})." if conditions else ".")


def _conditions(question: Mapping[str, Any], pairs: Sequence[Pair]) -> list[str]:
    """How a family was launched and the values of the axes that a question names; a range is left out."""
    shapes = {(plain(pair.a["launch_blocks"]), plain(pair.a["launch_threads"])) for pair in pairs}
    launches = {shape for shape in shapes if None not in shape}  # a step of a sequence has none of its own
    unit = "block" if pairs[0].a["target_kind"] == "gpu" else "team"
    said = [f"{_counted(blocks, unit)} of {_counted(threads, 'thread')}" for blocks, threads in sorted(launches)]
    for axis in question.get("conditions", []):
        if axis in pairs[0].same and axis not in differing(pairs):
            said.append(value_text(axis, pairs[0].same[axis]))
    return said


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
