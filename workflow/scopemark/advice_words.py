"""The words of advice: values of axes, sides of a comparison, and the conditions under which it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims_text import shown
from scopemark.claims_verdict import BAND
from scopemark.quantities import Pair, differing, plain
from scopemark.report_format import fact

_WORDS = {
    "address": "{} address",
    "bins": "{} bin{s}",
    "cache": "{} cache",
    "counters_per_block": "{} counter{s} per block",
    "density": "density {}",
    "elements": "{} element{s}",
    "iterations": "{} operation{s} per thread",
    "mapping": "mapping {}",
    "host_threads": "{} host thread{s}",
    "iteration": "iteration {}",
    "order": "{} order",
    "pass": "pass {}",
    "passes": "gone over {} time{s}",
    "placement": "{} memory",
    "repeats": "{} use{s}",
    "result": "result {}",
    "rounds": "{} round{s}",
    "scope": "{} scope",
    "skew": "Zipf exponent {}",
    "slots": "{} slot{s}",
    "stride_bytes": "{} byte{s} apart",
    "threads": "{} thread{s}",
    "updates": "{} update{s}",
}
"""Axis to how a sentence's conditions say its value; the others are said as they are."""

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


def value_text(axis: str, value: Any) -> str:
    """A value of an axis in words: relaxed order, 1 slot, 1,024 slots."""
    return _WORDS.get(axis, "{}").format(amount_text(axis, value), s="" if plain(value) == 1 else "s")


def amount_text(axis: str, value: Any) -> str:
    """A value of an axis by itself: 1,024, or as a size 1 KiB."""
    return fact("bytes", plain(value)) if axis == "size_bytes" and plain(value) is not None else shown(value)


def side_text(condition: Mapping[str, Any]) -> str:
    """What one side of a comparison is, in words."""
    return ", ".join(
        " or ".join(value_text(axis, one) for one in wanted) if isinstance(wanted, list) else value_text(axis, wanted)
        for axis, wanted in condition.items()
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
