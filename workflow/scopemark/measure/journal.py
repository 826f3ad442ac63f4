"""What has been measured, on disk as soon as it exists.

One JSON object per line: a batch of samples of a case, or the event that ended it. A line belongs to a case only with
its identity: the parameters, the machine code that ran and the machine it ran on. Lines are only ever appended; a line
torn by a killed process is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Record:
    """All that is known of one case under one identity. Lists run parallel, one entry per sample."""

    seconds: list[float] = field(default_factory=list)
    clock_hz: list[float | None] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    session: list[int] = field(default_factory=list)
    spent_seconds: float = 0.0
    check: Mapping[str, float] = field(default_factory=dict)  # the worst so far
    throttle: set[str] = field(default_factory=set)
    temperature: int | None = None
    event: tuple[str, str] | None = None  # status and reason that ended it early

    @property
    def kept(self) -> list[float]:
        """The samples that count, in seconds."""
        return [seconds for seconds, why in zip(self.seconds, self.discarded, strict=True) if not why]

    def add(self, line: Mapping[str, Any]) -> None:
        """Take in one line of the journal."""
        if "event" in line:
            self.event = tuple(line["event"])
            return
        self.event = None
        n = len(line["seconds"])
        self.seconds += line["seconds"]
        self.clock_hz += line.get("clock_hz") or [None] * n
        self.discarded += line.get("discarded") or [""] * n
        self.session += [line["session"]] * n
        self.spent_seconds += line["spent_seconds"]
        if not self.check or line["check"]["wrong"] > self.check["wrong"]:
            self.check = line["check"]
        self.throttle.update(line.get("throttle", ()))
        seen = [value for value in (self.temperature, line.get("temperature")) if value is not None]
        self.temperature = max(seen, default=None)


class Journal:
    """The journal of one target and experiment."""

    def __init__(self, path: Path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def load(self, identities: Mapping[str, str]) -> tuple[dict[str, Record], int]:
        """The records of the cases, each under the identity it has now, and the number of the next session."""
        records = {case: Record() for case in identities}
        sessions = 0
        for line in self._lines():
            sessions = max(sessions, line.get("session", 0))
            case = line.get("case")
            if case in records and line.get("identity") == identities[case]:
                records[case].add(line)
        return records, sessions + 1

    def _lines(self) -> Iterable[dict[str, Any]]:
        if not self.path.exists():
            return
        with self.path.open() as file:
            for text in file:
                try:
                    yield json.loads(text)
                except json.JSONDecodeError:  # torn when its writer was killed
                    continue

    def append(self, line: Mapping[str, Any]) -> None:
        """Put a line on disk. It starts with a newline if the last writer died within a line."""
        with self.path.open("a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                torn = file.read(1) != b"\n"
            else:
                torn = False
            file.write((b"\n" if torn else b"") + json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
