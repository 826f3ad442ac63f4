"""Progress that is visible while it runs, without flooding a log."""

from __future__ import annotations

import sys
import time
from typing import IO

EVERY_SECONDS = 5.0


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    """Prints, at most every few seconds, how many cases are done, how many are left and how long they may take."""

    def __init__(self, name: str, total: int, done: int, budget_seconds: float, log: IO[str]):
        self._name, self._total = name, total
        self._budget, self._log = budget_seconds, log
        self._start = self._printed = time.monotonic()
        if done:
            self._print(f"{done} of {total} cases were measured before")

    def _print(self, text: str) -> None:
        for stream in (sys.stderr, self._log):
            print(f"scopemark: {self._name}: {text}", file=stream, flush=True)

    @property
    def due(self) -> bool:
        """Whether it is time to say something."""
        return time.monotonic() - self._printed >= EVERY_SECONDS

    def update(self, done: int, spent_share: float) -> None:
        """`spent_share`: the share of the work that is done, counting cases under way."""
        self._printed = time.monotonic()
        left = self._total - done
        gone = self._printed - self._start
        to_go = min(gone / max(spent_share, 1e-3) - gone, left * self._budget)
        self._print(f"{done} of {self._total} cases, {left} left, {_clock(gone)} gone, at most {_clock(to_go)} to go")

    def finish(self, counts: dict[str, int]) -> None:
        said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        self._print(f"{self._total} cases in {_clock(time.monotonic() - self._start)}: {said}")
