"""What stands beside an answer that one would not have guessed: what the kernels of both sides compiled to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from scopemark.quantities import plain

WITH_EVERY_MEMBAR = ("ERRBAR", "CGAERRBAR")
"""Fences that follow each MEMBAR and tell nothing beside it."""

Rows = Sequence[Mapping[str, Any]]
Built = Mapping[tuple[str, str, str], tuple[tuple[Any, Any], str]]
"""Toolchain, architecture and kernel to its atomic, as `_atomic` has it, and its fences."""


def built_fences(kernels: pd.DataFrame, mnemonics: pd.DataFrame) -> Built:
    """The fences of every kernel, in alphabetical order, with the atomic beside which they stand."""
    key = ["toolchain", "architecture", "kernel"]
    fences = mnemonics[(mnemonics["class"] == "fence") & ~mnemonics["mnemonic"].isin(WITH_EVERY_MEMBAR)]
    named = fences.groupby(key)["mnemonic"].agg(lambda names: " ".join(sorted(names))).to_dict()
    found = {tuple(row[name] for name in key): _atomic(row) for row in kernels.to_dict("records")}
    return {place: (atomic, named.get(place, "")) for place, atomic in found.items()}


def with_fences(rows: Iterable[Mapping[str, Any]], machine: Mapping[str, Any], built: Built) -> list[dict[str, Any]]:
    """Rows of a machine with their kernels' fences, where this report's build has the atomic that was measured."""
    architecture = machine.get("gpu", {}).get("architecture", "")
    known = []
    for row in rows:
        atomic, fences = built.get((row["toolchain"], architecture, row["kernel"]), (None, ""))
        known.append({**row, "fences": fences} if atomic == _atomic(row) else dict(row))
    return known


def _atomic(row: Mapping[str, Any]) -> tuple[Any, Any]:
    return plain(row.get("instruction")), plain(row.get("warp_aggregated"))


def reason(sides: Mapping[str, Rows]) -> str:
    """What tells the sides of a comparison apart in their machine code, or that nothing does; in sentences.

    Empty where the tables do not tell: where calls of a library are compared, or steps of a sequence.

    sides: what a side is, in words, to its rows.
    """
    atomics = {side: _words(_atomic_words(row) for row in rows) for side, rows in sides.items()}
    if not all(atomics.values()):
        return ""
    fences = {side: _words(row.get("fences") or "none" for row in rows) for side, rows in sides.items()}
    known = all("fences" in row for rows in sides.values() for row in rows)
    same = len(set(atomics.values())) == 1
    text = f"All compile to {next(iter(atomics.values()))}" if same else _listed(atomics)
    if known and len(set(fences.values())) > 1:
        return f"{text}. Fences: {_listed(fences)}."
    if same and known:
        return f"{text}, and to the same fences or none: what differs is not in the instructions."
    return f"{text}."


def _atomic_words(row: Mapping[str, Any]) -> str:
    instruction, folded = _atomic(row)
    return f"{instruction}{', once per warp' if folded else ''}" if instruction else ""


def _words(found: Iterable[str]) -> str:
    return " or ".join(sorted(filter(None, set(found))))


def _listed(words: Mapping[str, str]) -> str:
    return "; ".join(f"{side}: {word}" for side, word in words.items())
