"""Claims and advice as the report shows them: joined with their definitions, side by side per machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.claims_definitions import load_claims
from scopemark.collect import HERE
from scopemark.figures import device_name
from scopemark.report_format import interval, missing

VERDICTS = ("holds", "contradicted", "unresolved", "not testable here")
"""In the order in which the report counts them."""


def column_label(run: str, target: str, machines: Mapping[tuple[str, str], Mapping[str, Any]]) -> tuple[str, str]:
    """What heads a machine's column: its name, and where its numbers are from."""
    if (run, target) not in machines:
        return target, "this build" if run == HERE else run
    return device_name(machines[run, target], target), "measured here" if run == HERE else run


def claim_rows(file: str, experiments: Sequence[str], machines) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """The columns, each (name, run), and one row per claim: id, statement, source, published, cells.

    A cell is a column's verdict, its quantity with interval, what it counts and its detail; None where a claim was not
    judged on that machine.
    """
    judged = tables.read("claims", file)
    keys = list(dict.fromkeys(zip(judged["run"], judged["target"], strict=True)))
    rows = []
    for experiment in experiments:
        for name, claim in load_claims(experiment).items():
            cells = []
            for run, target in keys:
                found = judged[(judged["run"] == run) & (judged["target"] == target) & (judged["claim"] == name)]
                cells.append(_cell(found.iloc[0]) if len(found) else None)
            if any(cells):
                rows.append(
                    {
                        "id": name,
                        "statement": claim["statement"],
                        "source": f"{claim['source']['document']}, {claim['source']['section']}",
                        "published": claim.get("published"),
                        "cells": cells,
                    }
                )
    return [column_label(*key, machines) for key in keys], rows


def _cell(row: pd.Series) -> dict[str, Any]:
    counted = "" if missing(row["pairs"]) or row["pairs"] < 2 else f"{row['holding']} of {row['pairs']} comparisons"
    value = "" if missing(row["value"]) else interval(row["value"], row["low"], row["high"])
    return {"verdict": row["verdict"], "value": value, "counted": counted, "detail": row["detail"]}


def verdict_counts(rows: Sequence[Mapping[str, Any]], column: int) -> dict[str, int]:
    """How often each verdict stands in a column, in the order of VERDICTS."""
    found = [row["cells"][column]["verdict"] for row in rows if row["cells"][column]]
    return {verdict: found.count(verdict) for verdict in VERDICTS if verdict in found}


def advice_by_machine(file: str, machines) -> list[dict[str, Any]]:
    """Per machine, those of this run first: name, run, here, and its advice as question, answer and value."""
    advice = tables.read("advice", file)
    blocks = []
    for run, target in dict.fromkeys(zip(advice["run"], advice["target"], strict=True)):
        own = advice[(advice["run"] == run) & (advice["target"] == target)]
        name, where = column_label(run, target, machines)
        kind = machines.get((run, target), {}).get("kind", "")
        blocks.append({"name": name, "run": where, "here": run == HERE, "kind": kind, "advice": own.to_dict("records")})
    return sorted(blocks, key=lambda block: (not block["here"], block["kind"] != "gpu"))
