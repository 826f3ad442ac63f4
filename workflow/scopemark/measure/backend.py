"""What the GPU and the CPU have in common as places to run a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from scopemark.experiment import Benchmark, Check, Launch, Machine, Parameters


class Unsupported(Exception):
    """This machine lacks what a case needs; the message says what."""


@dataclass
class Prepared:
    """A case with its memory: ready to be launched again and again."""

    kernel: Any
    launch: Launch
    arrays: dict[str, Any]
    fills: list[tuple[Any, int]]  # arrays to reset before every launch, and to what
    arguments: list[Any]
    check: Check
    expected: Any  # array: one element, or one for each
    cold: bool
    bytes: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Batch:
    """Samples of one case. The lists run parallel; `check` is that of the worst sample."""

    seconds: list[float]
    clock_hz: list[float | None]
    discarded: list[str]
    check: dict[str, float]


class Backend(Protocol):
    """A place to run kernels."""

    machine: Machine

    def prepare(self, benchmark: Benchmark, parameters: Parameters, kernel: str) -> Prepared:
        """Allocate, fill and launch once, untimed. Unsupported if this machine cannot."""

    def sample(self, prepared: Prepared, n: int, warm_up: bool) -> Batch:
        """n timed launches, each checked; before them one untimed if `warm_up`."""


def worst(checks: list[tuple[int, float, float]]) -> dict[str, float]:
    """The check of a batch: that of its sample with the most wrong elements, each (wrong, observed, expected)."""
    wrong, observed, expected = max(checks)
    return {"wrong": wrong, "observed": observed, "expected": expected}
