"""From measured grids to one table per target, and from the samples of all runs to one row per case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd

from scopemark import tables
from scopemark.errors import UserError
from scopemark.modes import count_modes, timer_tick
from scopemark.statistics import make_an_interval, median_ranks
from scopemark.yaml_file import read_yaml

MACHINE_SCHEMA = tables.SCHEMAS / "machine.schema.yaml"
HERE = "here"
"""The name of the run that was measured on this machine, as against recorded runs."""

CASE = ["toolchain", "case"]
_AGGREGATES = {"median": "median", "least": "min", "most": "max"}


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
        jsonschema.validate(machine, read_yaml(MACHINE_SCHEMA))
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


def summarise_runs(
    paths: Iterable[tuple[str, str]], names: dict[str, str], parameters: Sequence[str] = ()
) -> pd.DataFrame:
    """One row per case of every run: the files are pairs of cases and samples, `names` those of recorded runs.

    `parameters` are the experiment's own columns, which are there even where nothing was measured.
    A recorded run that is nothing but a copy of what was measured here is left out: it is the same measurement.
    """
    here, frames = [], []
    for case_path, sample_path in paths:
        run = names.get(str(Path(case_path).parent), HERE)
        cases, samples = tables.read("cases", case_path), tables.read("samples", sample_path)
        if run == HERE:
            here.append((cases, samples))
        elif any(is_copy(cases, samples, *own) for own in here):
            continue
        frames.append(summarise(cases, samples, run))
    frame = pd.concat(frames, ignore_index=True) if frames else tables.make("summary", [], parameters)
    declared = list(tables.columns("summary"))
    return frame[[*declared, *(name for name in frame.columns if name not in declared)]]


def is_copy(cases: pd.DataFrame, samples: pd.DataFrame, other_cases: pd.DataFrame, other_samples: pd.DataFrame) -> bool:
    """Whether every case, and every sample to the last digit, is among the others: no second measurement."""
    pairs = (
        (cases, other_cases, ["target", "toolchain", "case", "status"]),
        (samples, other_samples, ["target", "toolchain", "case", "index", "session", "seconds"]),
    )
    return len(samples) > 0 and all(
        pd.MultiIndex.from_frame(own[columns]).isin(pd.MultiIndex.from_frame(other[columns])).all()
        for own, other, columns in pairs
    )


def summarised(key: tuple[str, str], summaries: Iterable[pd.DataFrame]) -> bool:
    """Whether a (run, target) has a place in a report: this run's targets do, recorded ones where they have a row."""
    run, target = key
    return run == HERE or any(((frame["run"] == run) & (frame["target"] == target)).any() for frame in summaries)


def summarise(cases: pd.DataFrame, samples: pd.DataFrame, run: str) -> pd.DataFrame:
    """One row per case: what its samples say, beside what it is."""
    parameters = [name for name in cases.columns if name not in tables.columns("cases")]
    counted = samples["discarded"].isna()
    kept = samples[counted].groupby(CASE)
    found = pd.concat([estimates(samples[counted]), kept[["sm_clock_hz", "kernel_cycles"]].median()], axis=1)
    found["lost_updates_median"] = kept["lost_updates"].median()
    lost = samples.groupby(CASE)["lost_updates"].agg(["min", "max"])
    found[["lost_updates_least", "lost_updates_most"]] = lost.reindex(found.index)
    for name in ("median", "least", "most"):
        found[f"major_faults_{name}"] = kept["major_faults"].agg(_AGGREGATES[name])
    discarded = samples[~counted].groupby(CASE).size().rename("discarded")
    frame = cases.merge(found.reset_index(), how="left", on=CASE).merge(discarded.reset_index(), how="left", on=CASE)
    frame = frame.assign(run=run, discarded=frame["discarded"].fillna(0), samples=frame["samples"].fillna(0))
    for work in ("operations", "issued", "bytes"):
        frame[f"{work}_per_second"] = frame[work].astype("Float64") / frame["median_seconds"]
    for ending, bound in (("low", "high"), ("high", "low"), ("best", "minimum")):
        frame[f"operations_per_second_{ending}"] = frame["operations"].astype("Float64") / frame[f"{bound}_seconds"]
    return tables.conform("summary", frame, parameters)


def estimates(samples: pd.DataFrame) -> pd.DataFrame:
    """What the samples that count say of their cases, by toolchain and case: all cases at once.

    The median and its interval are those of `statistics.interval_over_processes`.
    """
    seconds, first, counts, index = _by_case(samples)
    quarter, median, three = (_percentile(seconds, first, counts, share) for share in (0.25, 0.5, 0.75))
    found = {
        "samples": counts,
        "processes": samples.groupby(CASE)["session"].nunique().to_numpy(),
        "minimum_seconds": seconds[first],
        "maximum_seconds": seconds[first + counts - 1],
        "relative_spread": (three - quarter) / median,
    }
    frame = pd.DataFrame(found, index=index)
    modes = count_modes(seconds, first, timer_tick(seconds, first))
    return frame.assign(modes=pd.Series(modes, frame.index).where(modes > 0), **_medians(samples))


def _medians(samples: pd.DataFrame) -> pd.DataFrame:
    """The median of every case with the bounds of its interval, in seconds."""
    by_process = samples.groupby([*CASE, "session"], as_index=False)["seconds"].median()
    processes = by_process.groupby(CASE)["seconds"].transform("size")
    enough = by_process[processes.map(make_an_interval).astype(bool)]
    others = pd.MultiIndex.from_frame(samples[CASE]).isin(pd.MultiIndex.from_frame(enough[CASE]))
    seconds, first, counts, index = _by_case(pd.concat([enough, samples.loc[~others, enough.columns]]))
    ranks = {n: median_ranks(n) for n in set(counts.tolist())}
    low, high = (np.array([ranks[n][end] if ranks[n] else 0 for n in counts.tolist()], int) for end in (0, 1))
    found = {
        "median_seconds": _percentile(seconds, first, counts, 0.5),
        "low_seconds": np.where(low > 0, seconds[first + np.maximum(low, 1) - 1], np.nan),
        "high_seconds": np.where(low > 0, seconds[first + np.maximum(high, 1) - 1], np.nan),
    }
    return pd.DataFrame(found, index=index)


def _by_case(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray, pd.Index]:
    """Seconds in order within each case, where each case begins and how many it has, and the cases."""
    ordered = frame.sort_values([*CASE, "seconds"], kind="stable")
    sizes = ordered.groupby(CASE).size()
    counts = sizes.to_numpy()
    return ordered["seconds"].to_numpy(float), np.cumsum(counts) - counts, counts, sizes.index


def _percentile(ordered: np.ndarray, first: np.ndarray, counts: np.ndarray, share: float) -> np.ndarray:
    """A percentile of every case, linear between neighbours, as NumPy has it; `first`: where each case begins."""
    place = share * (counts - 1)
    below = np.floor(place).astype(int)
    one, two = ordered[first + below], ordered[first + np.minimum(below + 1, counts - 1)]
    part = place - below
    return np.where(part == 0.5, (one + two) / 2, one + (two - one) * part)
