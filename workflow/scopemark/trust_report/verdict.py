"""The verdict table: every goal of every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scopemark.trust_report import null, nvbench, repeat
from scopemark.trust_report.goals import Goal
from scopemark.trust_report.runs import TrustRun


def goals(run: TrustRun) -> list[Goal]:
    """The goals against what one run measured, in the page's order."""
    return [
        nvbench.cold_goal(run.nvbench),
        nvbench.wall_goal(run.nvbench),
        nvbench.equal_interval_goal(run.nvbench),
        nvbench.batched_goal(run.nvbench),
        null.durations_goal(run.durations),
        null.pairs_goal(run.pairs),
        repeat.within_goal(run.repeat),
        repeat.different_goal(run.repeat),
        repeat.overhead_goal(run.timing),
        repeat.device_goal(run.timing),
    ]


def verdict_rows(runs: Sequence[TrustRun]) -> list[dict[str, Any]]:
    """One row per goal: what was asked and a cell per run."""
    columns = [goals(run) for run in runs]
    return [{"asked": cells[0].asked, "goal": cells[0].goal, "cells": cells} for cells in zip(*columns, strict=True)]


def goal_records(runs: Sequence[TrustRun]) -> list[dict[str, Any]]:
    """The rows of the table `trust_goals`."""
    return [
        {"run": run.run, "target": run.target} | vars(goal) | {"finding": f"{goal.measured}. {goal.detail}".strip()}
        for run in runs
        for goal in goals(run)
    ]
