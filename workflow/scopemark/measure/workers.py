"""The worker processes of a session: one at work, and those that wait for their turn."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import IO, Any

from scopemark.errors import UserError
from scopemark.measure.child import Child, WorkerLost

START_ATTEMPTS = 3
SPARES = 8  # workers that start side by side, at most: each holds all that it imports


class Workers:
    """Workers one after another. `opening` is what each is opened with, beside its backends; `session` numbers them."""

    def __init__(self, opening: Mapping[str, Any], session: int, log: IO[str]):
        self.session = session
        self._opening, self._log = opening, log
        self._backends: Sequence[str] = ()
        self._child: Child | None = None
        self._spares: list[Child] = []

    def make_ready(self, backends: Sequence[str], number: int) -> None:
        """Open the next workers with these backends; `number` of them will be needed.

        If none waits, as many start side by side as may, until they do nothing but wait.
        """
        self._backends = backends
        if self._child or self._spares:
            return
        self._spares = [Child(self._opening["kind"], self._log) for _ in range(min(number, SPARES))]
        for child in self._spares:
            with contextlib.suppress(WorkerLost):  # it is not alive when its turn comes
                child.wait()

    def get(self) -> Child:
        """The worker, started if there is none. UserError if none will start, which is no case's fault."""
        attempts = 0
        if self._child is None:
            self._spares = [child for child in self._spares if child.alive]  # what died while it waited is no attempt
        while self._child is None:
            try:
                child = self._spares.pop() if self._spares else Child(self._opening["kind"], self._log)
                child.open({**self._opening, "backends": self._backends})
                self._child = child
            except WorkerLost as lost:
                attempts += 1
                if attempts == START_ATTEMPTS:
                    raise UserError(f"{self._opening['binary']}: no worker starts that can load it: {lost}") from None
        return self._child

    def begin_session(self) -> None:
        """Let the worker begin another session; where it has ended, that has begun another."""
        if self._child:
            self.session += 1

    def drop(self) -> None:
        """End the worker at once; the next is another session."""
        if self._child:
            self._child.kill()
            self._child = None
            self.session += 1

    def close(self) -> None:
        """Let the worker end by itself; the next is another session."""
        if self._child:
            self._child.close()
            self._child = None
            self.session += 1

    def end(self) -> None:
        """Let the worker end, and those that wait."""
        self.close()
        for child in self._spares:
            child.close()
        self._spares = []
