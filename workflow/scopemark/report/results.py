"""The default table of an experiment's results, which every experiment has, with or without figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from scopemark.experiment import Experiment
from scopemark.figures.data import DRAWN, label

ROWS = 60
"""The most rows of one table on the page; the experiment's CSV has them all."""


def result_parts(
    experiment: Experiment, summary: pd.DataFrame, machines: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[dict]:
    """A table for every machine and benchmark: its name, the axes that vary within it, its rows and their number.

    A row has the values of those axes, the status, and the median and the rate with their intervals, which are empty
    for a case without a valid number.
    """
    parts = []
    for (run, target, name), group in summary.groupby(["run", "target", "benchmark"], sort=False):
        axes = ["toolchain", *(axis.name for axis in experiment.benchmark(name).all_axes)]
        axes = [axis for axis in axes if axis in group and group[axis].nunique(dropna=False) > 1]
        rows = group.head(ROWS).to_dict("records")
        machine = label(machines.get((run, target)), run, target)
        parts.append(
            {
                "machine": machine,
                "benchmark": name,
                "axes": axes,
                "cases": len(group),
                "rows": [_row(row, axes) for row in rows],
            }
        )
    return parts


def _row(case: Mapping[str, Any], axes: list[str]) -> dict[str, Any]:
    time, rate = ("median", "low", "high"), ("", "_low", "_high")
    valid = case["status"] in DRAWN
    return {
        "values": [case[axis] for axis in axes],
        "status": case["status"],
        "median": [case[f"{end}_seconds"] if valid else None for end in time],
        "rate": [case[f"operations_per_second{end}"] if valid else None for end in rate],
    }
