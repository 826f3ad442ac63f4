"""What the GPU and the CPU have in common as places to run a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from scopemark.experiment import Benchmark, Machine, Parameters


class Unsupported(Exception):
    """This machine lacks what a case needs; the message says what."""


@dataclass
class Batch:
    """Samples of one case. The lists run parallel; `check` is that of the worst sample."""

    seconds: list[float]
    clock_hz: list[float | None]
    discarded: list[str]
    check: dict[str, float]


class Backend(Protocol):
    """A place to run kernels. What `prepare` returns is the backend's own; it has `bytes`, the memory it holds."""

    machine: Machine

    def prepare(self, benchmark: Benchmark, parameters: Parameters, kernel: str) -> Any:
        """Allocate, fill and launch once, untimed. Unsupported if this machine cannot."""

    def sample(self, prepared: Any, first: int, n: int, warm_up: bool) -> Batch:
        """Samples `first` to `first` + n - 1 of a case, each checked; before them one untimed if `warm_up`."""


def worst(checks: list[tuple[int, float, float]]) -> dict[str, float]:
    """The check of a batch: that of its sample with the most wrong elements, each (wrong, observed, expected)."""
    wrong, observed, expected = max(checks)
    return {"wrong": wrong, "observed": observed, "expected": expected}
