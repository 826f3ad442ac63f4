"""Measures the cases of one experiment on one target: what the job runs.

Cases take turns, so that a drift of the machine falls on all of them. When each has its share, the next worker process
begins: what a process happens to be given, as addresses and streams, is part of what varies. Every batch is in the
journal before the next begins; a case that kills the worker ends alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from scopemark.axes import fixed_samples
from scopemark.benchmark import Machine
from scopemark.errors import UserError
from scopemark.grid import Case
from scopemark.measure.child import Child, WorkerLost
from scopemark.measure.journal import OPTIONAL_FIELDS, SAMPLE_FIELDS, Journal, Record
from scopemark.measure.monitor import Monitor
from scopemark.measure.progress import Progress
from scopemark.measure.stop import done_share, next_batch, outcome, rounds_left

START_ATTEMPTS = 3
SPARES = 8  # workers that start side by side, at most: each holds all that it imports
MEMORABLE_SECONDS = 0.001  # a case that is still prepared takes less to be found


@dataclass(frozen=True)
class Site:
    """Where cases are measured: the opening request of a worker, and what identifies the machine."""

    opening: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    machine: Machine
    uuid: str = ""


def identity(case: Case, code_hash: str, fingerprint: Mapping[str, Any]) -> str:
    """What a stored sample must agree in to stand for the case now: the code that ran, and the machine."""
    text = json.dumps([case.id, code_hash, dict(fingerprint)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Session:
    """One run of the engine over cases of an experiment."""

    def __init__(
        self,
        name: str,
        site: Site,
        cases: Sequence[Case],
        code_hashes: Mapping[str, str],
        journal: Journal,
        limits: Mapping[str, float],
        log: IO[str],
    ):
        self._site, self._cases, self._journal, self._limits = site, list(cases), journal, limits
        own = {case.id: {"budget_seconds": case.budget_seconds} if case.budget_seconds else {} for case in cases}
        self._limits_of = {case: {**limits, **changed} for case, changed in own.items()}
        # Here, where every run comes through: what is not to be run never reaches a worker.
        skipped = {case.id: case.benchmark.skipped(case.parameters, limits) for case in cases}
        self._skipped = {case: reason for case, reason in skipped.items() if reason}
        for warning in sorted({case.benchmark.warning for case in cases if case.id not in self._skipped} - {""}):
            for file in (log, sys.stderr):
                print(f"warning: {warning}", file=file)
        self._identities = {case.id: identity(case, code_hashes[case.id], site.fingerprint) for case in cases}
        self.records, self._session = journal.load(self._identities)
        for record in self.records.values():
            if record.event and record.event[0] in ("failed", "timeout"):
                record.event = None  # it may have been the machine's fault: try again
        self._prepare_seconds: dict[str, float] = {}  # of a case, the last time that it had to be prepared
        self._monitor = Monitor(site.uuid)
        self._child: Child | None = None
        self._spares: list[Child] = []
        self._log = log
        # Where the wall time goes, in seconds: starting workers, preparing cases, taking samples, asking for them, and
        # putting them on disk with the card's state.
        self.timing = dict.fromkeys(("start", "prepare", "sample", "exchange", "record"), 0.0)
        self._progress = Progress(name, len(self._cases), *self._done(), log)

    def _next(self, case: Case) -> int:
        if case.id in self._skipped:
            return 0
        prepare = self._prepare_seconds.get(case.id, 0.0)
        return next_batch(self.records[case.id], self._session, *self._rule(case), prepare)

    def _rule(self, case: Case) -> tuple[Mapping[str, float], str]:
        """What decides when a case is done: its limits, and how it is sampled."""
        return self._limits_of[case.id], case.parameters["sampling"]

    def run(self) -> dict[str, tuple[str, str]]:
        """Sample every case until it is done; case id to its status and reason."""
        try:
            self._start_spares()
            while waiting := self._waiting(self._cases):
                self._give_shares(waiting)
                self._close_worker()
        finally:
            self._close_worker()
            for child in self._spares:
                child.close()
        results = {case.id: self._outcome(case) for case in self._cases}
        counts: dict[str, int] = {}
        for status, _ in results.values():
            counts[status] = counts.get(status, 0) + 1
        self._progress.finish(counts)
        spent = ", ".join(f"{part} {seconds:.1f} s" for part, seconds in self.timing.items())
        self._log.write(f"wall time by part: {spent}\n")
        return results

    def _waiting(self, cases: Sequence[Case]) -> list[Case]:
        """The cases of which the worker process of this session is to take samples."""
        return [case for case in cases if self._next(case)]

    def _give_shares(self, waiting: list[Case]) -> None:
        """Have each case sampled by the worker of this session: in one go where more will follow, else in turns."""
        in_turns = self._limits["processes"] == 1  # nothing follows that would take turns with this
        if not in_turns:  # what a case finds of the one before it is part of what varies
            waiting = random.Random(self._session).sample(waiting, len(waiting))
        while waiting:
            for case in waiting:
                while n := self._next(case):
                    self._batch(case, n)
                    if self._progress.due:
                        self._progress.update(*self._done())
                    if in_turns:
                        break
            waiting = self._waiting(waiting)

    def _outcome(self, case: Case) -> tuple[str, str]:
        if case.id in self._skipped:
            return "skipped", self._skipped[case.id]
        exact = case.benchmark.exact(case.parameters, self._site.machine)
        return outcome(self.records[case.id], *self._rule(case), exact)

    def _done(self) -> tuple[int, float]:
        """How many cases are done, and what share of all the work is."""
        shares = [
            1.0 if case.id in self._skipped else done_share(self.records[case.id], self._session, *self._rule(case))
            for case in self._cases
        ]
        return sum(share == 1 for share in shares), sum(shares) / max(len(shares), 1)

    def _batch(self, case: Case, n: int) -> None:
        line: dict[str, Any] = {"case": case.id, "identity": self._identities[case.id], "session": self._session}
        begin = time.monotonic()
        try:
            worker = self._worker()
            asked = time.monotonic()  # a worker's start is nobody's sampling time
            reply = worker.ask(
                {
                    "case": case.id,
                    "benchmark": case.benchmark.name,
                    "parameters": dict(case.parameters),
                    "kernel": case.kernel,
                    "first": self.records[case.id].taken,
                    "n": n,
                },
                self._limits["timeout_seconds"] * (n if fixed_samples(case.parameters["sampling"]) else 1),
            )
        except WorkerLost as lost:
            self._drop_worker()
            reply = {"event": [lost.status, str(lost)]}
        if "event" in reply:
            line["event"] = reply["event"]
            if reply["event"][0] == "failed":
                self._drop_worker()
        else:
            answered = time.monotonic()
            line.update(
                {name: reply[name] for name in (*SAMPLE_FIELDS, *OPTIONAL_FIELDS)},
                discarded=[self._judge(hz, why) for hz, why in zip(reply["clock_hz"], reply["discarded"], strict=True)],
                spent_seconds=answered - asked - reply["prepare_seconds"],
                **self._monitor.read(),
            )
            if reply["prepare_seconds"] > MEMORABLE_SECONDS:
                self._prepare_seconds[case.id] = reply["prepare_seconds"]
            self.timing["start"] += asked - begin
            self.timing["prepare"] += reply["prepare_seconds"]
            self.timing["sample"] += reply["sample_seconds"]
            self.timing["exchange"] += answered - asked - reply["prepare_seconds"] - reply["sample_seconds"]
            begin = answered
        self._journal.append(line)
        self.records[case.id].add(line)
        self.timing["record"] += time.monotonic() - begin

    def _judge(self, clock_hz: float | None, why: str) -> str:
        highest = self._monitor.highest_clock_hz
        if why or clock_hz is None or highest is None or clock_hz >= self._limits["clock_floor"] * highest:
            return why
        return f"SM clock below {self._limits['clock_floor']:.0%} of {highest / 1e6:.0f} MHz"

    def _start_spares(self) -> None:
        """Start the workers that will be needed, side by side, and wait until they do nothing but wait."""
        needed = [rounds_left(self.records[case.id], *self._rule(case)) for case in self._waiting(self._cases)]
        spares = min(max(needed, default=0), SPARES)
        begin = time.monotonic()
        self._spares = [Child(self._site.opening["kind"], self._log) for _ in range(spares)]
        for child in self._spares:
            with contextlib.suppress(WorkerLost):  # it is not alive when its turn comes
                child.wait()
        self.timing["start"] += time.monotonic() - begin

    def _worker(self) -> Child:
        """The worker, started if there is none. UserError if none will start, which is no case's fault."""
        attempts = 0
        if self._child is None:
            self._spares = [child for child in self._spares if child.alive]  # what died while it waited is no attempt
        while self._child is None:
            try:
                child = self._spares.pop() if self._spares else Child(self._site.opening["kind"], self._log)
                child.open(self._site.opening)
                self._child = child
            except WorkerLost as lost:
                attempts += 1
                if attempts == START_ATTEMPTS:
                    raise UserError(
                        f"{self._site.opening['binary']}: no worker starts that can load it: {lost}"
                    ) from None
        return self._child

    def _drop_worker(self) -> None:
        """End the worker at once."""
        if self._child:
            self._child.kill()
            self._child = None
            self._session += 1

    def _close_worker(self) -> None:
        """Let the worker end by itself; the next is another session."""
        if self._child:
            self._child.close()
            self._child = None
            self._session += 1


def rows(record: Record) -> list[dict[str, Any]]:
    """The samples of a record as rows, without the columns that name the case."""
    samples = record.samples
    return [
        {
            "index": i,
            "session": samples["session"][i],
            "seconds": samples["seconds"][i],
            "sm_clock_hz": samples["clock_hz"][i],
            "lost_updates": samples["expected"][i] - samples["observed"][i],
            "kernel_cycles": samples["cycles"][i],
            "major_faults": samples["major_faults"][i],
            "minor_faults": samples["minor_faults"][i],
            "discarded": samples["discarded"][i] or None,
        }
        for i in range(record.taken)
    ]
