"""Progress that is visible while it runs, without flooding a log."""

from __future__ import annotations

import sys
import time
from typing import IO

EVERY_SECONDS = 5.0


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    """Prints, at most every few seconds, how many cases are done and left, and how long that takes at this pace."""

    def __init__(self, name: str, total: int, done: int, share: float, log: IO[str]):
        """`done` cases, and this share of all the work, were measured before."""
        self._name, self._total = name, total
        self._log = log
        self._share_before = share
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

    def update(self, done: int, share: float) -> None:
        """`share`: of the work, how much is done, counting cases under way and those that were measured before."""
        self._printed = time.monotonic()
        gone = self._printed - self._start
        seen = share - self._share_before
        # At the pace of this run so far, preparation included: no limit says how long preparing a case takes.
        to_go = f", about {_clock(gone * (1 - share) / seen)} to go" if seen > 0 else ""
        cases = f"{done} of {self._total} cases, {self._total - done} left"
        self._print(f"{share:.0%} done: {cases}, {_clock(gone)} gone{to_go}")

    def finish(self, counts: dict[str, int]) -> None:
        said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        self._print(f"{self._total} cases in {_clock(time.monotonic() - self._start)}: {said}")
