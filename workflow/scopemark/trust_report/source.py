"""Against the source: its own methodology, best of N or one shot, beside the adaptive estimate of the same case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.collect import HERE, read_machine, summarise
from scopemark.figures import label, launch_words

LOOSE = ("sampling", "cache")
"""Parameters in which the two may differ; equal cache states are preferred."""


def beside_source(cases: Sequence[str], samples: Sequence[str], machines: Sequence[str]) -> list[dict[str, Any]]:
    """A row per case of the source's methodology that has a counterpart, of GPUs, from files in one order.

    ratio: the source's operations per second, at its fastest sample, over ours at the median.
    """
    rows: dict[tuple, dict[str, Any]] = {}
    for case_path, sample_path, machine_path in zip(cases, samples, machines, strict=True):
        machine = read_machine(machine_path)
        recorded = Path(machine_path).name == "machine.json"
        run = f"recorded {machine['described_at']}" if recorded else HERE
        for row in _of_one_file(case_path, sample_path, run):
            name = label(machine, run, row["target"])
            # Grids can share a case; it stays once.
            rows.setdefault((name, row["case"], row["toolchain"]), {"machine": name} | row)
    return list(rows.values())


def _of_one_file(case_path: str, sample_path: str, run: str) -> list[dict[str, Any]]:
    frame = tables.read("cases", case_path)
    frame = frame[frame["target_kind"] == "gpu"]
    if "sampling" not in frame or not frame["sampling"].str.startswith("best_of").any():
        return []
    matched = pairs(frame)
    wanted = {case for pair in matched for case in pair}
    read = tables.read("samples", sample_path)
    summary = summarise(frame[frame["case"].isin(wanted)], read[read["case"].isin(wanted)], run)
    summary["launch"] = launch_words(summary)
    known = {(row["case"], row["toolchain"]): row for row in summary.to_dict("records")}
    rows = []
    for chain in dict.fromkeys(frame["toolchain"]):
        for one, other in matched:
            source, ours = known.get((one, chain)), known.get((other, chain))
            if source and ours:
                rows.append(_row(source, ours))
    return [row for row in rows if row]


def pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Ids of cases of the source's methodology with their adaptive counterparts, which differ in LOOSE alone."""
    parameters = [name for name in frame.columns if name not in tables.columns("cases")]
    keys = [name for name in parameters if name not in LOOSE]
    unique = frame.drop_duplicates("case").to_dict("records")
    adaptive: dict[tuple, dict[str, str]] = {}
    for row in unique:
        if row["sampling"] == "adaptive":
            adaptive.setdefault(_key(row, keys), {})[str(row.get("cache"))] = row["case"]
    found = []
    for row in unique:
        others = adaptive.get(_key(row, keys), {})
        if row["sampling"].startswith("best_of") and others:
            found.append((row["case"], others.get(str(row.get("cache")), next(iter(others.values())))))
    return found


def _key(row: dict[str, Any], names: Sequence[str]) -> tuple:
    return (row["benchmark"], row["kernel"], *(str(row[name]) for name in names))


def _row(source: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """One comparison; empty where a case did not come out."""
    needed = (source["operations_per_second_best"], ours["operations_per_second"])
    if any(pd.isna(value) for value in needed) or source["status"] not in ("ok", "unstable"):
        return {}
    best, rate = map(float, needed)
    low, high = ours["operations_per_second_low"], ours["operations_per_second_high"]
    return {
        "run": source["run"],
        "target": source["target"],
        "toolchain": source["toolchain"],
        "experiment": source["experiment"],
        "case": source["case"],
        "kernel": source["kernel"],
        "launch": source["launch"],
        "source_way": source["sampling"].replace("_", " "),
        "source_cache": source.get("cache"),
        "ours_cache": ours.get("cache"),
        "source_ops_per_second": best,
        "ours_ops_per_second": rate,
        "ours_low": low,
        "ours_high": high,
        "ratio": best / rate,
        # The source's number has no interval, so the ratio has that of ours alone.
        "ratio_low": None if pd.isna(high) else best / float(high),
        "ratio_high": None if pd.isna(low) else best / float(low),
    }
