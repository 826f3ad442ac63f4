"""The trust page and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark import __version__, tables
from scopemark.figures.data import device_name
from scopemark.report.parts import figure_parts, headline
from scopemark.report.templates import environment
from scopemark.style import device_colour
from scopemark.trust_report import null, nvbench, repeat, words
from scopemark.trust_report.runs import TABLES, TrustRun, gathered, load_runs
from scopemark.trust_report.source import beside_source
from scopemark.trust_report.verdict import goal_records, verdict_rows

TAGS = {"met": "holds", "missed": "contradicted", "unclear": "unresolved", "no goal": "none"}
"""The style of a verdict's tag: that of the claims in the report."""


def page(files: Mapping[str, Sequence[str]], settings: Mapping[str, Any]) -> str:
    """The page's HTML. `files` are the input files of the rule `trust` by name, `settings` the limits of measuring."""
    runs = load_runs(files)
    context = {
        "version": __version__,
        "settings": settings,
        "runs": [_machine(run) for run in runs],
        "measured_here": any(run.here for run in runs),
        "verdicts": verdict_rows(runs),
        "tags": TAGS,
        "figures": {
            figure["name"]: figure
            for figure in figure_parts(files["modules"], files["figures"], files["points"], files["captions"])
        },
        "nvbench": [(run.name, _nvbench(run)) for run in runs],
        "durations": [(run.name, null.deviations(run.durations).to_dict("records")) for run in runs],
        "pairs": [(run.name, null.pairs_by_kernel(run.pairs).to_dict("records")) for run in runs],
        "repeat": [(run.name, repeat.by_class(run.repeat)) for run in runs],
        "expected_within": repeat.expected_within(),
        "quantiles": repeat.QUANTILES,
        "timing": [(run.name, repeat.where_time_goes(run.timing)) for run in runs],
        "parts": repeat.PARTS,
        "source": beside_source(files["source_cases"], files["source_samples"], files["source_machines"]),
    }
    surroundings = environment()
    names = ("duration", "percent", "signed", "signed_duration", "signed_nanoseconds", "signed_percent", "share_points")
    surroundings.globals |= {name: getattr(words, name) for name in names} | {"bracket": bracket, "ratio": ratio}
    return surroundings.get_template("trust.html.j2").render(context)


def bracket(low: float, high: float) -> str:
    """The interval of a ratio near 1: [0.9677, 0.9758]; nothing where there is none."""
    return "" if pd.isna(low) or pd.isna(high) else f"[{low:.4f}, {high:.4f}]"


def ratio(value: float, low: float, high: float) -> str:
    """A ratio near 1 with its interval: 0.9718 [0.9677, 0.9758]."""
    return f"{value:.4f} {bracket(low, high)}".strip()


def _machine(run: TrustRun) -> dict[str, Any]:
    return {
        "name": device_name(run.machine, run.target),
        "run": "measured here" if run.here else run.run,
        "label": run.name,
        "here": run.here,
        "headline": headline(run.machine),
        "date": run.machine["described_at"],
        "colour": device_colour(run.device),
    }


def _nvbench(run: TrustRun) -> dict[str, Any]:
    """What NVBench shifts, both modes' kernels, and of each mode those that are not within the bound."""
    parts: dict[str, Any] = {"shift": nvbench.loading_shift(run.nvbench), "modes": {}}
    for mode in ("cold", "batched"):
        frame = nvbench.checks(run.nvbench, mode)
        frame["ours_half"] = nvbench.half_widths(frame, "ours")
        frame["nvbench_half"] = nvbench.half_widths(frame, "nvbench")
        rows = frame.to_dict("records")
        parts["modes"][mode] = {"all": rows, "outside": [row for row in rows if not row["in_bound"]]}
    return parts


def write(outputs: Mapping[str, str], files: Mapping[str, Sequence[str]], settings: Mapping[str, Any]) -> None:
    """Write the page, the tables of all runs with the run and target in front, the goals, and the source's cases.

    `outputs` are paths by name: page, goals, source, and every one of the trust tables.
    """
    runs = load_runs(files)
    for name in TABLES:
        Path(outputs[name]).parent.mkdir(parents=True, exist_ok=True)
        gathered(runs, name).to_csv(outputs[name], index=False, lineterminator="\n")
    tables.write("trust_goals", tables.make("trust_goals", goal_records(runs)), outputs["goals"])
    rows = beside_source(files["source_cases"], files["source_samples"], files["source_machines"])
    tables.write("trust_source", tables.make("trust_source", rows), outputs["source"])
    Path(outputs["page"]).write_text(page(files, settings))
