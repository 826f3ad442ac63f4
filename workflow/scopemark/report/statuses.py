"""What became of cases, as shares of them and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.statistics import make_an_interval

WORDS = {
    "ok": "checked, and its interval is within the bound that its run set",
    "incorrect": "left a wrong result",
    "unstable": "checked, but its interval is wider than that bound, and counts with all its width",
    "unsupported": "needs what this machine or target does not have",
    "failed": "ended in an error or a crash",
    "timeout": "did not end in its time",
    "skipped": "ran out of its budget before there was an interval, or is only run where the configuration asks for it",
}
"""What a status means, in the words of a legend."""


def share(part: int, whole: int) -> str:
    """A share in per cent, which is neither none nor all of it unless that is so.

    >>> share(0, 600), share(1, 600), share(300, 600), share(599, 600), share(600, 600)
    ('0 %', '<1 %', '50 %', '>99 %', '100 %')
    """
    percent = round(100 * part / whole)
    if part and not percent:
        return "<1 %"
    return ">99 %" if part < whole and percent == 100 else f"{percent} %"


def shares(cases: pd.DataFrame) -> list[dict[str, Any]]:
    """Of one machine's cases, by experiment: its name and title, how many, (status, number, share) of each status
    that occurs, in the order of the statuses, what their intervals are over, and whether most of those that were
    measured are unstable."""
    parts = []
    for name, own in cases.groupby("experiment", sort=False):
        counts = own["status"].value_counts()
        found = [(status, int(counts[status])) for status in tables.STATUSES if status in counts]
        shown = [(status, number, share(number, len(own))) for status, number in found]
        part = {"name": name, "experiment": load_experiment(name).title, "cases": len(own), "statuses": shown}
        noisy = 2 * int(counts.get("unstable", 0)) > int(own["processes"].notna().sum())
        parts.append(part | {"intervals": over_processes(own["processes"]), "noisy": noisy})
    return parts


def over_processes(processes: pd.Series) -> str:
    """What the intervals of cases are over, in words; empty where nothing was measured."""
    known = processes.dropna()
    if known.empty:
        return ""
    usual = int(known.mode().max())
    if not make_an_interval(usual):
        return "intervals within one process" if usual == 1 else f"intervals within {usual} processes"
    return f"intervals over {usual} processes"


def legend(summaries: Sequence[pd.DataFrame]) -> list[tuple[str, str]]:
    """The statuses that occur on the page, each with what it means."""
    found = {status for frame in summaries for status in frame["status"]}
    return [(status, WORDS[status]) for status in tables.STATUSES if status in found]
