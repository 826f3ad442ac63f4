"""The tables of a paper as frames: the headline numbers, the claims and the machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.claims.definitions import load_claims
from scopemark.figures.data import label, load_figure
from scopemark.figures.save import read_points
from scopemark.report.format import interval

NUMBERS = ["run", "target", "machine", "experiment", "figure", "quantity", "unit", "value", "low", "high"]


def headline_numbers(
    modules: Sequence[str], points: Sequence[str], machines: Mapping[tuple[str, str], Mapping[str, Any]]
) -> pd.DataFrame:
    """Every number that a figure declares to be quoted, from the points that it draws; columns NUMBERS."""
    keys = {label(machine, *key): key for key, machine in machines.items()}
    frames = []
    for module_file, points_file in zip(modules, points, strict=True):
        module = load_figure(module_file)
        frame = read_points(points_file)
        if not hasattr(module, "numbers") or frame.empty:
            continue
        numbers = module.numbers(frame).dropna(subset=["value"])
        experiment, figure = points_file.removesuffix(".csv").split("/")[-2:]
        known = [_key(name, keys) for name in numbers["machine"]]
        numbers = numbers.assign(
            run=[run for run, _ in known], target=[target for _, target in known], experiment=experiment, figure=figure
        )
        frames.append(numbers[NUMBERS])
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=NUMBERS)


def _key(machine: str, keys: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """The run and target of a machine's label. Where several toolchains were measured, the label ends with one, and so
    does the target here, which keeps their numbers apart."""
    if machine in keys:
        return keys[machine]
    start = max((name for name in keys if machine.startswith(name)), key=len, default=None)
    if start is None:
        return "", machine
    run, target = keys[start]
    return run, target + machine.removeprefix(start)


def claims_table(file: str, experiments: Sequence[str]) -> pd.DataFrame:
    """The verdicts with the claims' statements and sources: the columns of `claims` with three more."""
    judged = tables.read("claims", file)
    definitions = {name: claim for experiment in experiments for name, claim in load_claims(experiment).items()}
    known = judged[judged["claim"].isin(list(definitions))].copy()
    known["statement"] = [definitions[name]["statement"] for name in known["claim"]]
    sources = [definitions[name]["source"] for name in known["claim"]]
    known["source"] = [f"{source['document']}, {source['section']}" for source in sources]
    return known


def with_intervals(frame: pd.DataFrame, unit: str | None = None) -> list[str]:
    """Value and interval of every row as one text, in the row's unit or the one given."""
    units = [unit] * len(frame) if unit else frame["unit"]
    rows = zip(frame["value"], frame["low"], frame["high"], units, strict=True)
    return [interval(value, low, high, of) for value, low, high, of in rows]
