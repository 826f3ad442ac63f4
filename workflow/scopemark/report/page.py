"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark import __version__, tables
from scopemark.claims.verdict import VERDICTS
from scopemark.collect import summarised
from scopemark.experiment import load_experiment
from scopemark.figures.data import load_machines
from scopemark.report.answers import answer_parts
from scopemark.report.claims import advice_by_machine, claim_groups, claim_rows, verdict_counts
from scopemark.report.code import code_part, code_table
from scopemark.report.parts import (
    excluded_parts,
    figure_parts,
    machine_parts,
    opening_part,
    status_parts,
    text_parts,
)
from scopemark.report.results import ROWS, result_parts
from scopemark.report.statuses import legend
from scopemark.report.templates import environment
from scopemark.report.toolchains import toolchain_parts


def page(files: Mapping[str, Sequence[str]], settings: Mapping[str, Any]) -> str:
    """The page's HTML. `files` are the input files of the rule `report` by name, `settings` its parameter."""
    experiments = list(settings["grids"])
    summaries = [tables.read("summary", path) for path in files["summaries"]]
    described = load_machines(files["machines"])
    machines = {key: machine for key, machine in described.items() if summarised(key, summaries)}
    columns, claims = claim_rows(files["claims"], experiments, machines)
    figures = figure_parts(files["modules"], files["figures"], files["points"], files["captions"])
    texts = text_parts(files["text_modules"], files["texts"])
    published = pd.read_csv(files["published"])
    code = code_table(files["kernels"], files["mnemonics"])
    parts = machine_parts(machines, summaries)
    advice = advice_by_machine(files["advice"], machines)
    context = {
        "version": __version__,
        "settings": settings,
        "machines": parts,
        "gpu_here": any(part["here"] and part["kind"] == "gpu" for part in parts),
        "status_words": legend(summaries),
        "answers": answer_parts(machines, advice, columns, claims, files.get("openings", ())),
        "advice": advice,
        "claims": claims,
        "claim_groups": claim_groups(columns, claims),
        "verdicts": VERDICTS,
        "verdict_counts": verdict_counts(columns, claims),
        "toolchains": toolchain_parts(files.get("toolchains", ())),
        "experiments": [
            {
                "about": load_experiment(name),
                "opening": opening_part(name, files.get("openings", ()), summary, machines),
                "figures": [figure for figure in figures if figure["experiment"] == name],
                "texts": [text for text in texts if text["experiment"] == name],
                "published": published[published["experiment"] == name].to_dict("records"),
                "results": result_parts(load_experiment(name), summary, machines),
                "most_rows": ROWS,
                "file": file,
                "status": status_parts(summary, machines),
                "excluded": excluded_parts(name, settings["grids"][name]),
                "code": code_part(code, name),
            }
            for name, summary, file in zip(experiments, summaries, files["summaries"], strict=True)
        ],
    }
    return environment().get_template("index.html.j2").render(context)


def write_page(path: Path | str, files: Mapping[str, Sequence[str]], settings: Mapping[str, Any]) -> None:
    """Write the page."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(page(files, settings))
