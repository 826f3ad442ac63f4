"""The page of `snakemake compare`: what changed around the runs, in their times and in the machine code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scopemark import __version__, tables
from scopemark.collect import read_machine
from scopemark.compare.runs import regressions, smallest_told, status_changes
from scopemark.figures.data import device_name
from scopemark.report.format import fact_name
from scopemark.report.templates import environment

VERDICTS = ("slower", "faster", "same", "unclear")
MOST_ROWS = 300
"""Cases in the page's table; the CSV has all."""

SMALL = 0.1
"""A slowdown that a comparison should tell: the page says in how many cases it cannot."""


def page(files: Mapping[str, str], machines: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    """The page's HTML. files: the tables by name. machines: the descriptions of base and new. settings: the runs' names
    and the thresholds."""
    cases, groups = tables.read("compare", files["cases"]), tables.read("compare_groups", files["groups"])
    code, facts = tables.read("compare_code", files["code"]), tables.read("compare_facts", files["facts"])
    described = {end: read_machine(path) for end, path in machines.items()}
    facts["fact"] = facts["fact"].map(fact_name)
    # The cases that changed, worst first; of the rest the CSV tells.
    changed = cases[cases["verdict"].isin(["slower", "faster"])].sort_values("ratio", ascending=False, kind="stable")
    counts = pd.crosstab(cases["experiment"], cases["verdict"].fillna("none"))
    only = cases[cases["found_in"] != "both"]
    context = {
        "version": __version__,
        "settings": settings,
        "device": device_name(described["new"], described["new"]["target"]),
        "dates": {end: machine["described_at"] for end, machine in described.items()},
        "toolchains": {end: sorted(set(cases[f"toolchain_{end}"].dropna())) for end in ("base", "new")},
        "facts": facts.to_dict("records"),
        "regressions": regressions(cases, groups),
        "verdicts": VERDICTS,
        "counts": [
            (name, [int(row.get(verdict, 0)) for verdict in VERDICTS], int((cases["experiment"] == name).sum()))
            for name, row in counts.iterrows()
        ],
        "told": _told(smallest_told(cases, settings["same_within"])),
        "groups": groups.to_dict("records"),
        "changed": changed.head(MOST_ROWS).to_dict("records"),
        "changes": len(changed),
        "statuses": status_changes(cases).to_dict("records"),
        "only": [(end, only[only["found_in"] == end].to_dict("records")) for end in ("base", "new")],
        "code": code.to_dict("records"),
    }
    return environment().get_template("compare.html.j2").render(context)


def _told(smallest: np.ndarray) -> dict[str, Any] | None:
    """How small a slowdown the comparison can tell; None where nothing was compared. half: one of this size is told in
    half of the cases, none where that is infinite."""
    if not len(smallest):
        return None
    half = float(np.sort(smallest)[(len(smallest) - 1) // 2])
    return {
        "small": SMALL,
        "hidden": int((smallest > SMALL).sum()),
        "cases": len(smallest),
        "half": half if np.isfinite(half) else None,
    }


def finding(cases: pd.DataFrame, groups: pd.DataFrame) -> str:
    """The page's finding in a line."""
    found = regressions(cases, groups)
    count = cases["verdict"].value_counts()
    verdicts = ", ".join(f"{int(count.get(verdict, 0)):,} {verdict}" for verdict in VERDICTS)
    words = f"{len(found):,} regression{'s are' if len(found) > 1 else ' is'} confirmed" if found else ""
    return f"{words or 'no regression is confirmed'}; of {int(count.sum()):,} cases compared {verdicts}"


def write_page(path: Path | str, *arguments: Any) -> None:
    """Write the page."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(page(*arguments))
