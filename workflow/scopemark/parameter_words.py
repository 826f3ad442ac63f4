"""The words of sentences for parameters: an axis's value in claims and in advice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scopemark.quantities import plain
from scopemark.report.format import fact

_FORMS = {
    "address": "{} address",
    "allocator": "{} memory",
    "asker": "the {} asks",
    "bins": "{} bin{s}",
    "blocks": "{} blocks",
    "cache": "{} cache",
    "copy_kind": "{} kind",
    "counters_per_block": "{} counter{s} per block",
    "counters_per_thread": "{} counter{s} per thread",
    "density": "density {}",
    "elements": "{} element{s}",
    "host_threads": "{} host thread{s}",
    "iteration": "iteration {}",
    "iterations": "{} operation{s} per thread",
    "mapping": "mapping {}",
    "order": "{} order",
    "origin": "touched by the {} before",
    "pass": "pass {}",
    "passes": "gone over {} time{s}",
    "placement": "{} memory",
    "repeats": "{} use{s}",
    "resident": "data with the {}",
    "residence": "memory of the {}",
    "result": "result {}",
    "rounds": "{} round{s}",
    "scope": "{} scope",
    "skew": "Zipf exponent {}",
    "slots": "{} slot{s}",
    "stride_bytes": "{} byte{s} apart",
    "threads": "{} thread{s}",
    "updates": "{} update{s}",
}
"""Axis to how a sentence says its value. Of the others a number stands behind the axis's name, and a word by itself."""

_SPOKEN = (
    *("allocator", "asker", "attach", "call", "copy_kind", "direction", "hint", "origin", "path", "processor"),
    *("residence", "resident", "setting", "step", "way", "workload"),
)
"""Axes whose values are words, and no names of code."""


def shown(value: Any) -> str:
    """A value by itself: whole numbers with separators of thousands, all else as it is."""
    value = plain(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def amount_text(axis: str, value: Any) -> str:
    """A value of an axis without the axis: 1,024, or as a size 1 KiB, or in words: host to GPU."""
    if axis == "size_bytes" and plain(value) is not None:
        return fact("bytes", plain(value))
    return _spoken(axis, str(value)) if axis in _SPOKEN else shown(value)


def _spoken(axis: str, value: str) -> str:
    words = re.sub(r"\b[cg]pu\b", lambda match: match[0].upper(), value.replace("_", " "))
    return re.sub(r"^to ", "to the ", words) if axis == "direction" else words


def value_text(axis: str, value: Any) -> str:
    """A value of an axis in words.

    >>> value_text("order", "relaxed"), value_text("slots", 1), value_text("direction", "to_gpu")
    ('relaxed order', '1 slot', 'to the GPU')
    >>> value_text("size_bytes", 65536), value_text("batch", 2)
    ('64 KiB', 'batch 2')
    """
    number = isinstance(plain(value), (int, float))
    other = f"{axis.replace('_', ' ')} {{}}" if number and axis != "size_bytes" else "{}"
    return _FORMS.get(axis, other).format(amount_text(axis, value), s="" if plain(value) == 1 else "s")


def side_text(condition: Mapping[str, Any], words: Mapping[str, str] | None = None) -> str:
    """What one side of a comparison is, in words; `words` has those of values that are called otherwise."""

    def said(axis: str, value: Any) -> str:
        return (words or {}).get(str(value)) or value_text(axis, value)

    return ", ".join(
        " or ".join(said(axis, one) for one in wanted) if isinstance(wanted, list) else said(axis, wanted)
        for axis, wanted in condition.items()
    )
