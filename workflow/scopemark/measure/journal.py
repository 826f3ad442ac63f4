"""What has been measured, on disk as soon as it exists.

One JSON object per line: a batch of samples of a case, or the event that ended it. A line belongs to a case only with
its identity: the parameters, the machine code that ran and the machine it ran on. Lines are only ever appended; a line
torn by a killed process is passed over.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SYNC_SECONDS = 1.0

SAMPLE_FIELDS = ("seconds", "clock_hz", "discarded", "wrong", "observed", "expected", "cycles")
"""What a batch holds of each sample, as parallel lists."""


OPTIONAL_FIELDS = ("major_faults", "minor_faults", "note")
"""The like, of which a line of an earlier version may lack any."""


@dataclass
class Record:
    """All that is known of one case under one identity. `samples` holds parallel lists, one entry per sample."""

    samples: dict[str, list[Any]] = field(
        default_factory=lambda: {name: [] for name in (*SAMPLE_FIELDS, *OPTIONAL_FIELDS, "session")}
    )
    spent: dict[int, float] = field(default_factory=dict)  # seconds of sampling, by session
    throttle: set[str] = field(default_factory=set)
    temperature: int | None = None
    event: tuple[str, str] | None = None  # status and reason that ended it early

    def taken_in(self, session: int) -> tuple[int, float]:
        """How many samples a session took, counted or discarded, and the seconds it spent on them."""
        return self.samples["session"].count(session), self.spent.get(session, 0.0)

    @property
    def taken(self) -> int:
        """How many samples there are, counted or discarded."""
        return len(self.samples["seconds"])

    @property
    def spent_seconds(self) -> float:
        """What sampling it has taken."""
        return sum(self.spent.values())

    @property
    def processes(self) -> dict[int, list[float]]:
        """The samples that count, in seconds, by the session that took them: each was a worker process."""
        found: dict[int, list[float]] = {}
        columns = map(self.samples.get, ("session", "seconds", "discarded"))
        for session, seconds, why in zip(*columns, strict=True):
            if not why:
                found.setdefault(session, []).append(seconds)
        return found

    @property
    def kept(self) -> list[float]:
        """The samples that count, in seconds."""
        return [s for s, why in zip(self.samples["seconds"], self.samples["discarded"], strict=True) if not why]

    @property
    def worst(self) -> int | None:
        """The index of the sample with the most wrong elements, of several the farthest off; None without samples."""
        off = [
            (wrong, abs(expected - observed))
            for wrong, expected, observed in zip(*map(self.samples.get, ("wrong", "expected", "observed")), strict=True)
        ]
        return off.index(max(off)) if off else None

    def add(self, line: Mapping[str, Any]) -> None:
        """Take in one line of the journal."""
        if "event" in line:
            self.event = tuple(line["event"])
            return
        self.event = None
        for name in SAMPLE_FIELDS:
            self.samples[name] += line[name]
        for name in OPTIONAL_FIELDS:
            self.samples[name] += line.get(name, [None] * len(line["seconds"]))
        self.samples["session"] += [line["session"]] * len(line["seconds"])
        self.spent[line["session"]] = self.spent.get(line["session"], 0.0) + line["spent_seconds"]
        self.throttle.update(line.get("throttle", ()))
        seen = [value for value in (self.temperature, line.get("temperature")) if value is not None]
        self.temperature = max(seen, default=None)


class Journal:
    """The journal of one target and experiment."""

    def __init__(self, path: Path):
        self.path = path
        self._synced = 0.0
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
                    line = json.loads(text)
                except json.JSONDecodeError:  # torn when its writer was killed
                    continue
                if "event" in line or all(name in line for name in SAMPLE_FIELDS):
                    yield line

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
            # A killed process loses nothing that it wrote; a machine that loses power, this much.
            if time.monotonic() - self._synced > SYNC_SECONDS:
                file.flush()
                os.fsync(file.fileno())
                self._synced = time.monotonic()
