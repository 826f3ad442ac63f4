"""From measured grids to one table per target, and from the samples of all runs to one row per case."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import yaml

from scopemark import tables
from scopemark.errors import UserError
from scopemark.statistics import median_interval

MACHINE_SCHEMA = tables.SCHEMA.with_name("machine.schema.yaml")
HERE = "here"
"""The name of the run that was measured on this machine, as against recorded runs."""


def merge_runs(case_paths: Sequence[str], sample_paths: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and samples of several grids of one target and experiment. A case of two grids stays once."""
    cases, samples = [], []
    seen: set[tuple[str, str]] = set()
    for case_path, sample_path in zip(case_paths, sample_paths, strict=True):
        frame = tables.read("cases", case_path)
        keys = list(zip(frame["toolchain"], frame["case"], strict=True))
        fresh = [key not in seen for key in keys]
        new = pd.MultiIndex.from_frame(frame.loc[fresh, ["toolchain", "case"]])
        seen.update(keys)
        cases.append(frame[fresh])
        sampled = tables.read("samples", sample_path)
        samples.append(sampled[pd.MultiIndex.from_frame(sampled[["toolchain", "case"]]).isin(new)])
    return pd.concat(cases, ignore_index=True), pd.concat(samples, ignore_index=True)


def read_machine(path: Path | str) -> dict[str, Any]:
    """A machine description. UserError if the file is not one."""
    try:
        machine = json.loads(Path(path).read_text())
        jsonschema.validate(machine, yaml.safe_load(MACHINE_SCHEMA.read_text()))
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(f"{path}: not readable as a machine description: {error}") from None
    except jsonschema.ValidationError as error:
        key = ".".join(map(str, error.absolute_path)) or "the file"
        raise UserError(f"{path}: {key}: not a valid machine description: {error.message}") from None
    return machine


def run_names(machine_paths: Iterable[str]) -> dict[str, str]:
    """Directory to the name of the run in it; files of this machine's own run are not among them."""
    names = {}
    for path in map(Path, machine_paths):
        if path.name == "machine.json":
            names[str(path.parent)] = f"recorded {read_machine(path)['described_at']}"
    return names


def summarise_runs(paths: Iterable[tuple[str, str]], names: dict[str, str]) -> pd.DataFrame:
    """One row per case of every run: the files are pairs of cases and samples, `names` those of recorded runs."""
    frames = []
    for case_path, sample_path in paths:
        run = names.get(str(Path(case_path).parent), HERE)
        frames.append(summarise(tables.read("cases", case_path), tables.read("samples", sample_path), run))
    frame = pd.concat(frames, ignore_index=True) if frames else tables.make("summary", [])
    declared = list(tables.columns("summary"))
    return frame[[*declared, *(name for name in frame.columns if name not in declared)]]


def summarise(cases: pd.DataFrame, samples: pd.DataFrame, run: str) -> pd.DataFrame:
    """One row per case: what its samples say, beside what it is."""
    counted = samples["discarded"].isna()
    keys = ["toolchain", "case"]
    grouped = {key: group.to_numpy(float) for key, group in samples[counted].groupby(keys)["seconds"]}
    medians = samples[counted].groupby(keys)[["sm_clock_hz", "kernel_cycles", "lost_updates"]].median()
    lost = samples.groupby(keys)["lost_updates"].agg(["min", "max"])
    discarded = samples[~counted].groupby(keys).size()
    parameters = [name for name in cases.columns if name not in tables.columns("cases")]
    rows = []
    for case in cases.to_dict("records"):
        key = (case["toolchain"], case["case"])
        row = {name: case.get(name) for name in [*tables.columns("summary"), *parameters]}
        row |= {"run": run, "discarded": int(discarded.get(key, 0)), "samples": 0}
        if key in medians.index:
            found = medians.loc[key]
            row |= {"sm_clock_hz": found["sm_clock_hz"], "kernel_cycles": found["kernel_cycles"]}
            row |= {"lost_updates_median": found["lost_updates"]}
            row |= {"lost_updates_least": lost.loc[key, "min"], "lost_updates_most": lost.loc[key, "max"]}
        row |= _estimates(grouped.get(key), row)
        rows.append(row)
    return tables.make("summary", rows, parameters)


def _estimates(seconds: np.ndarray | None, row: dict[str, Any]) -> dict[str, Any]:
    if seconds is None:
        return {"samples": 0}
    interval = median_interval(seconds.tolist())
    quarter, three = np.percentile(seconds, [25, 75])
    found = {
        "samples": len(seconds),
        "median_seconds": interval.value,
        "low_seconds": _number(interval.low),
        "high_seconds": _number(interval.high),
        "minimum_seconds": float(seconds.min()),
        "relative_spread": float((three - quarter) / interval.value),
    }
    for work in ("operations", "issued", "bytes"):
        if row[work] is not None and not pd.isna(row[work]):
            found[f"{work}_per_second"] = float(row[work]) / interval.value
    if "operations_per_second" in found:
        operations = float(row["operations"])
        found["operations_per_second_best"] = operations / found["minimum_seconds"]
        if found["low_seconds"] is not None:
            found["operations_per_second_low"] = operations / interval.high
            found["operations_per_second_high"] = operations / interval.low
    return found


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
