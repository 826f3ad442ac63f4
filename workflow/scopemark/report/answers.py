"""What a reader came for, by machine: what leads its advice, and which sentences of the documents do not hold there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scopemark.claims.verdict import CONTRADICTED
from scopemark.collect import HERE
from scopemark.experiment import load_experiment
from scopemark.figures.data import load_figure
from scopemark.report.claims import column_label


def answer_parts(
    machines: Mapping[tuple[str, str], Mapping[str, Any]],
    advice: Sequence[Mapping[str, Any]],
    columns: Sequence[tuple[str, str]],
    claims: Sequence[Mapping[str, Any]],
    openings: Sequence[str],
) -> list[dict[str, Any]]:
    """One part per machine that has something to say, GPUs first and of those the ones of this run, and one per build.

    name, run, here; first: what the modules that open experiments say of the machine, (experiment, title, sentence);
    lead: of its advice; wrong: the claims that do not hold there. A build has none but the last.
    """
    lead = {(block["name"], block["run"]): block["lead"] for block in advice}
    parts = []
    for (run, target), machine in machines.items():
        label = column_label(run, target, machines)
        part = {"name": label[0], "run": label[1], "here": run == HERE, "kind": machine["kind"]}
        part |= {"first": _first(openings, machine), "lead": lead.get(label, [])}
        parts.append(part | {"wrong": _wrong(claims, columns.index(label)) if label in columns else []})
    parts.sort(key=lambda part: (part["kind"] != "gpu", not part["here"]))
    for build in dict.fromkeys(build for claim in claims for build, _ in claim["builds"]):
        cells = [(claim, dict(claim["builds"]).get(build)) for claim in claims]
        found = [_told(claim, cell) for claim, cell in cells if cell and cell["verdict"] == CONTRADICTED]
        parts.append({"name": build, "run": "machine code", "here": True, "kind": "", "first": [], "lead": []})
        parts[-1]["wrong"] = found
    return [part for part in parts if part["first"] or part["lead"] or part["wrong"]]


def _first(openings: Sequence[str], machine: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found = []
    for file in openings:
        name, said = Path(file).stem, load_figure(file).headline(machine)
        found += [(name, load_experiment(name).title, said)] if said else []
    return found


def _wrong(claims: Sequence[Mapping[str, Any]], column: int) -> list[dict[str, str]]:
    cells = [(claim, claim["cells"][column]) for claim in claims]
    return [_told(claim, cell) for claim, cell in cells if cell and cell["verdict"] == CONTRADICTED]


def _told(claim: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, str]:
    return {name: claim[name] for name in ("id", "statement", "source")} | {"found": beginning(cell["detail"])}


def beginning(detail: str) -> str:
    """The first two parts of a finding: what was compared with what outcome, and the comparison that decides.

    >>> beginning("A against B: contradicted in both; worst: 0.8× (16 MiB; 3 against 4); 16 MiB 0.8×, 1 GiB 0.9×.")
    'A against B: contradicted in both; worst: 0.8× (16 MiB; 3 against 4).'
    """
    parts = re.split(r"; (?![^(]*\))", detail)
    return "; ".join(parts[:2]).removesuffix(".") + "."
