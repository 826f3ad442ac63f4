"""Axes: the named parameters of a case, and which values each accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """One parameter. `accepts` says whether a value is legal, `accepted` says it in words.

    `canonical` gives the one form of a value that can be written in several ways: a case's identity depends on it.
    `counts` is whether values may be in proportion to the machine, so that only there two of them are told apart.
    """

    name: str
    default: Any
    help: str
    accepted: str
    accepts: Callable[[Any], bool]
    canonical: Callable[[Any], Any] = lambda value: value
    counts: bool = False


def choice(name: str, words: Sequence[str], help: str) -> Axis:
    """One of a few words; the first is the default."""
    return Axis(name, words[0], help, f"one of {', '.join(words)}", lambda value: value in words)


def integer(name: str, default: int, minimum: int, maximum: int, help: str) -> Axis:
    """A whole number within bounds, both included."""
    return Axis(
        name,
        default,
        help,
        f"a whole number from {minimum} to {maximum}",
        lambda value: type(value) is int and minimum <= value <= maximum,
    )


def number(name: str, default: float, minimum: float, maximum: float, help: str) -> Axis:
    """A number within bounds, both included."""
    return Axis(
        name,
        default,
        help,
        f"a number from {minimum} to {maximum}",
        lambda value: type(value) in (int, float) and minimum <= value <= maximum,
        float,
    )


_PER_PROCESSOR = re.compile(r"([1-9][0-9]*)/(sm|cpu)")


def count(name: str, default: int | str, help: str) -> Axis:
    """A number of blocks or threads: absolute, or in proportion to the machine as "32/sm" or "1/cpu"."""

    def accepts(value: Any) -> bool:
        if isinstance(value, str):
            return _PER_PROCESSOR.fullmatch(value) is not None
        return type(value) is int and value >= 1

    return Axis(name, default, help, 'a whole number from 1, or "N/sm", or "N/cpu"', accepts, counts=True)


def resolve_count(value: int | str, processors: int) -> int:
    """The number that a `count` axis's value stands for on a machine with that many processors.

    >>> resolve_count("32/sm", 132)
    4224
    """
    if isinstance(value, int):
        return value
    return int(_PER_PROCESSOR.fullmatch(value)[1]) * processors


def foreign_count(value: Any, kind: str) -> str | None:
    """Why a count makes no sense on a kind of target: it is in proportion to processors of the other one. Or None."""
    match = _PER_PROCESSOR.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] == {"gpu": "sm", "cpu": "cpu"}[kind]:
        return None
    return "a CPU has no SM: give a number, or N/cpu" if kind == "cpu" else "a GPU counts SMs: give a number, or N/sm"


_FIXED = re.compile(r"(best_of|single_shots|cold_shots)_([1-9][0-9]?)")


def sampling(name: str, default: str, help: str, ways: Sequence[str] = ("best_of", "single_shots")) -> Axis:
    """How many samples are taken and how: "adaptive", or one of the `ways` with a fixed number, as "best_of_5"."""
    return Axis(
        name,
        default,
        help,
        f"adaptive, {', '.join(f'{way}_N' for way in ways[:-1])} or {ways[-1]}_N, with N from 1 to 99",
        lambda value: value == "adaptive" or _way(value) in ways,
    )


def fixed_samples(value: Any) -> int | None:
    """The N of a fixed number of samples, as of "best_of_N"; None for anything else."""
    match = _fixed(value)
    return int(match[2]) if match else None


def single_shots(value: Any) -> bool:
    """Whether a case is launched as a plain program does it: nothing held, launch latency and all."""
    return _way(value) == "single_shots"


def cold_shots(value: Any) -> bool:
    """Whether each sample is the only launch of the case in a process that begins with such launches."""
    return _way(value) == "cold_shots"


def _way(value: Any) -> str | None:
    match = _fixed(value)
    return match[1] if match else None


def _fixed(value: Any) -> re.Match[str] | None:
    return _FIXED.fullmatch(value) if isinstance(value, str) else None
