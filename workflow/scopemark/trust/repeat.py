"""The same grids measured twice, in separate processes: do the stated intervals hold?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from scopemark.grid import Case
from scopemark.measure.journal import Journal
from scopemark.measure.session import Session, Site
from scopemark.statistics import Interval, interval_over_processes, ratio_interval


def measure_twice(
    site: Site,
    cases: Sequence[Case],
    code_hashes: Mapping[str, str],
    limits: Mapping[str, float],
    directory: Path,
    log: IO[str],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The cases of two runs side by side, and where each run's time went.

    A run that was killed is taken up where it stopped: each has a journal in `directory`.
    """
    sessions = []
    for run in (1, 2):
        journal = Journal(directory / f"run{run}.jsonl")
        session = Session(f"trust, run {run}", site, cases, code_hashes, journal, limits, log)
        session.run()
        sessions.append(session)
    return [_row(case, *sessions) for case in cases], [_timing(run, session) for run, session in enumerate(sessions, 1)]


def _row(case: Case, one: Session, other: Session) -> dict[str, Any]:
    records = [session.records[case.id] for session in (one, other)]
    taken = {f"samples_{run}": len(record.kept) for run, record in enumerate(records, 1)}
    row: dict[str, Any] = {"case": case.id, "kernel": case.kernel, **taken}
    if not all(taken.values()):
        return row
    first, second = (interval_over_processes(list(record.processes.values())) for record in records)
    for run, interval in ((1, first), (2, second)):
        row |= {f"seconds_{run}": interval.value, f"low_{run}": interval.low, f"high_{run}": interval.high}
    ratio = ratio_interval(second, first)
    return row | {
        "ratio": ratio.value,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "within_each_other": _within(first, second) and _within(second, first),
        "not_different": ratio.low <= 1 <= ratio.high,
    }


def _within(inner: Interval, outer: Interval) -> bool:
    return outer.low <= inner.value <= outer.high


def _timing(run: int, session: Session) -> dict[str, Any]:
    device = sum(sum(record.samples["seconds"]) for record in session.records.values())
    samples = sum(record.taken for record in session.records.values())
    return {"run": run, "cases": len(session.records), "samples": samples, "device_seconds": device, **session.timing}
