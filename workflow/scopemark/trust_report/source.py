"""Against the source: its own methodology, best of N or single shots, beside the adaptive estimate of the same case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.collect import HERE, read_machine, summarise
from scopemark.figures.data import label, launch_words


def beside_source(cases: Sequence[str], samples: Sequence[str], machines: Sequence[str]) -> list[dict[str, Any]]:
    """A row per case of the source's methodology that has a counterpart, of GPUs, from files in one order.

    ratio: the source's operations per second over ours at the median. The source's are those of its fastest sample; of
    single shots, where no fastest is taken, those of the median.
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
    if "sampling" not in frame or (frame["sampling"] == "adaptive").all():
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
    """Ids of cases of the source's methodology with their adaptive counterparts, which differ in the sampling alone."""
    keys = [name for name in frame.columns if name not in tables.columns("cases") and name != "sampling"]
    unique = frame.drop_duplicates("case").to_dict("records")
    adaptive = {_key(row, keys): row["case"] for row in unique if row["sampling"] == "adaptive"}
    rest = [(row["case"], adaptive.get(_key(row, keys))) for row in unique if row["sampling"] != "adaptive"]
    return [(case, other) for case, other in rest if other is not None]


def _key(row: dict[str, Any], names: Sequence[str]) -> tuple:
    return (row["benchmark"], row["kernel"], *(str(row[name]) for name in names))


def _row(source: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """One comparison; empty where a case did not come out."""
    fastest = source["sampling"].startswith("best_of")
    needed = (
        source["operations_per_second_best" if fastest else "operations_per_second"],
        ours["operations_per_second"],
    )
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
        "source_ops_per_second": best,
        "ours_ops_per_second": rate,
        "ours_low": low,
        "ours_high": high,
        "ratio": best / rate,
        # The source's number has no interval, so the ratio has that of ours alone.
        "ratio_low": None if pd.isna(high) else best / float(high),
        "ratio_high": None if pd.isna(low) else best / float(low),
    }
