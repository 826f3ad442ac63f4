"""The parent's side of the worker: start it, ask it, and survive it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

START_SECONDS = 120  # Python, CuPy and a CUDA context on a busy machine
END_SECONDS = 10  # from the end of what a worker says to its own


def ending(code: int) -> str:
    """How a process ended, by its exit code, which of a signal is negative."""
    if code < 0:
        named = {each.value: each.name for each in signal.Signals}
        return f"was ended by {named.get(-code, f'signal {-code}')}"
    return f"ended with exit status {code}"


class WorkerLost(Exception):
    """The worker ended or was ended. `status` is "failed" or "timeout"; the message says what happened."""

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status = status


class Child:
    """One worker process for targets of a kind; what it prints goes to `log`.

    It imports what it needs at once and then waits to be opened, so that several can start side by side. Until then it
    touches no GPU.
    """

    def __init__(self, kind: str, log: IO[str]):
        # A program, not a fork: nothing of the parent may leak into the process whose context is measured.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scopemark.measure.worker", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        self._buffer = b""
        self._waiting = False

    def wait(self) -> None:
        """Until it has imported what it needs. WorkerLost if it does not come to that."""
        if not self._waiting:
            self._line(START_SECONDS)
            self._waiting = True

    def open(self, opening: Mapping[str, Any]) -> None:
        """Make the backend that `opening` asks for. WorkerLost if it cannot."""
        self.wait()
        self.send(dict(opening))
        self.receive(START_SECONDS)

    def send(self, request: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Ask for something. A list has a reply for each of its items. If the worker is gone, `receive` says so."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()

    def receive(self, timeout_seconds: float) -> dict[str, Any]:
        """The next reply. WorkerLost if the worker dies or does not answer in time."""
        return json.loads(self._line(timeout_seconds))

    def _line(self, timeout_seconds: float) -> bytes:
        deadline = time.monotonic() + timeout_seconds
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                self.kill()
                raise WorkerLost("timeout", f"no result within {timeout_seconds:g} s; the worker was killed")
            data = os.read(pipe, 1 << 16)
            if not data:
                raise WorkerLost("failed", self._death())
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _death(self) -> str:
        try:
            code = self._process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return "the worker fell silent and did not end; it was killed"
        return f"the worker {ending(code)}" + ("" if code < 0 else "; its last words are in the log")

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End the worker and whoever shares its pipe at once; a process that hangs in the driver is left to it."""
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=END_SECONDS)
        deadline, pipe = time.monotonic() + END_SECONDS, self._process.stdout.fileno()
        while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0] and os.read(pipe, 1 << 16):
            pass

    def close(self) -> None:
        """Let the worker end by itself, or end it."""
        if self.alive:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill()
