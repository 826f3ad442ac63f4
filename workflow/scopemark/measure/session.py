"""Measures the cases of one experiment on one target: what the job runs.

Cases take turns, so that a drift of the machine falls on all of them. When each has its share, the next worker process
begins: what a process happens to be given, as addresses and streams, is part of what varies. Every batch is in the
journal as soon as it is there; a case that kills the worker ends alone.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from scopemark.axes import cold_shots, fixed_samples
from scopemark.benchmark import Machine
from scopemark.grid import Case
from scopemark.measure.backend import backend_of
from scopemark.measure.child import WorkerLost
from scopemark.measure.journal import OPTIONAL_FIELDS, SAMPLE_FIELDS, Journal, Record
from scopemark.measure.monitor import Monitor
from scopemark.measure.progress import Progress
from scopemark.measure.stop import done_share, next_batch, outcome, rounds_left
from scopemark.measure.workers import Workers

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
        self.records, session = journal.load(self._identities)
        for record in self.records.values():
            if record.event and record.event[0] in ("failed", "timeout"):
                record.event = None  # it may have been the machine's fault: try again
        self._prepare_seconds: dict[str, float] = {}  # of a case, the last time that it had to be prepared
        self._monitor = Monitor(site.uuid)
        self._workers = Workers(site.opening, session, log)
        self._log = log
        # Where the wall time goes, in seconds: starting workers, preparing cases, taking samples, asking for them, and
        # putting them on disk with the card's state.
        self.timing = dict.fromkeys(("start", "prepare", "sample", "exchange", "record"), 0.0)
        self._progress = Progress(name, len(self._cases), *self._done(), log)

    def _next(self, case: Case) -> int:
        if case.id in self._skipped:
            return 0
        prepare = self._prepare_seconds.get(case.id, 0.0)
        return next_batch(self.records[case.id], self._workers.session, *self._rule(case), prepare)

    def _rule(self, case: Case) -> tuple[Mapping[str, float], str]:
        """What decides when a case is done: its limits, and how it is sampled."""
        return self._limits_of[case.id], case.parameters["sampling"]

    def run(self) -> dict[str, tuple[str, str]]:
        """Sample every case until it is done; case id to its status and reason."""
        try:
            while series := self._series():
                self._next_worker(series)
                self._sample([(case, 1) for case in series])
                self._workers.begin_session()  # of the same worker: what a series begins is a program of its own
            self._workers.close()
            while waiting := self._waiting(self._cases):
                self._next_worker(waiting)
                self._give_shares(waiting)
                self._workers.close()
        finally:
            self._workers.end()
        results = {case.id: self._outcome(case) for case in self._cases}
        counts: dict[str, int] = {}
        for status, _ in results.values():
            counts[status] = counts.get(status, 0) + 1
        self._progress.finish(counts)
        spent = ", ".join(f"{part} {seconds:.1f} s" for part, seconds in self.timing.items())
        self._log.write(f"wall time by part: {spent}\n")
        return results

    def _next_worker(self, cases: Sequence[Case]) -> None:
        """Be ready to open a worker with what these cases need, and with nothing else."""
        begin = time.monotonic()
        backends = {backend_of(case.benchmark, case.parameters) for case in cases}
        rounds = max(rounds_left(self.records[case.id], *self._rule(case)) for case in cases)
        self._workers.make_ready(sorted(backends), rounds)
        self.timing["start"] += time.monotonic() - begin

    def _waiting(self, cases: Sequence[Case]) -> list[Case]:
        """The cases of which the worker process of this session is to take samples."""
        return [case for case in cases if self._next(case)]

    def _series(self) -> list[Case]:
        """The cold shots of the next run of their program: from the first case to the last that lacks one.

        What is launched before a kernel is part of what its first launch costs. So a series always begins at its begin.
        """
        cold = [case for case in self._cases if cold_shots(case.parameters["sampling"])]
        while cold and not self._next(cold[-1]):
            cold.pop()
        return [case for case in cold if case.id not in self._skipped and not self.records[case.id].event]

    def _give_shares(self, waiting: list[Case]) -> None:
        """Have each case sampled by the worker of this session: in one go where more will follow, else in turns."""
        in_turns = self._limits["processes"] == 1  # nothing follows that would take turns with this
        if not in_turns:  # what a case finds of the one before it is part of what varies
            waiting = random.Random(self._workers.session).sample(waiting, len(waiting))
        while waiting:
            for case in waiting:
                while n := self._next(case):
                    self._sample([(case, n)])
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
        session = self._workers.session
        shares = [
            1.0 if case.id in self._skipped else done_share(self.records[case.id], session, *self._rule(case))
            for case in self._cases
        ]
        return sum(share == 1 for share in shares), sum(shares) / max(len(shares), 1)

    def _sample(self, batches: Sequence[tuple[Case, int]]) -> None:
        """Have the worker take so many samples of each case, without a pause between them, as long as it lives.

        Each answer is put on disk as it comes.
        """
        begin = time.monotonic()
        worker = self._workers.get()
        asked = time.monotonic()  # a worker's start is nobody's sampling time
        self.timing["start"] += asked - begin
        worker.send([self._request(case, n) for case, n in batches])
        for case, n in batches:
            several = n if fixed_samples(case.parameters["sampling"]) else 1
            try:
                reply = worker.receive(self._limits["timeout_seconds"] * several)
            except WorkerLost as lost:
                reply = {"event": [lost.status, str(lost)], "fatal": True}
            answered = time.monotonic()
            self._take_in(case, reply, answered - asked, idle=case is batches[-1][0])
            if reply.get("fatal"):
                self._workers.drop()
                return
            asked = time.monotonic()

    def _request(self, case: Case, n: int) -> dict[str, Any]:
        return {
            "case": case.id,
            "benchmark": case.benchmark.name,
            "parameters": dict(case.parameters),
            "kernel": case.kernel,
            "first": self.records[case.id].taken,
            "n": n,
        }

    def _take_in(self, case: Case, reply: Mapping[str, Any], seconds: float, idle: bool) -> None:
        """Put a worker's answer, for which it took so many seconds, on disk and into the case's record.

        The card's state is asked for only while it is idle: the question goes through the driver, as launches do.
        """
        begin = time.monotonic()
        line: dict[str, Any] = {"case": case.id, "identity": self._identities[case.id]}
        line["session"] = self._workers.session
        if "event" in reply:
            line["event"] = reply["event"]
        else:
            line.update(
                {name: reply[name] for name in (*SAMPLE_FIELDS, *OPTIONAL_FIELDS)},
                discarded=[self._judge(hz, why) for hz, why in zip(reply["clock_hz"], reply["discarded"], strict=True)],
                spent_seconds=seconds - reply["prepare_seconds"],
                **(self._monitor.read() if idle else {}),
            )
            if reply["prepare_seconds"] > MEMORABLE_SECONDS:
                self._prepare_seconds[case.id] = reply["prepare_seconds"]
            self.timing["prepare"] += reply["prepare_seconds"]
            self.timing["sample"] += reply["sample_seconds"]
            # Of a series the next is measured while this is taken in.
            self.timing["exchange"] += max(0.0, seconds - reply["prepare_seconds"] - reply["sample_seconds"])
        self._journal.append(line)
        self.records[case.id].add(line)
        self.timing["record"] += time.monotonic() - begin
        if self._progress.due:
            self._progress.update(*self._done())

    def _judge(self, clock_hz: float | None, why: str) -> str:
        highest = self._monitor.highest_clock_hz
        if why or clock_hz is None or highest is None or clock_hz >= self._limits["clock_floor"] * highest:
            return why
        return f"SM clock below {self._limits['clock_floor']:.0%} of {highest / 1e6:.0f} MHz"


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
