"""Stored runs made by hand, and their comparison."""

import json

from scopemark import tables
from scopemark.compare.runs import Thresholds, compare_runs
from scopemark.stored_run import StoredRun

MACHINE = {
    "target": "g",
    "kind": "gpu",
    "described_at": "2026-01-31",
    "host": {"machine": "x86_64", "kernel": "6", "cpu": "C", "cpus": 8, "usable_cpus": 8, "python": "3.12"},
    "gpu": {
        "name": "G", "architecture": "sm_90", "multiprocessors": 100, "l2_bytes": 1, "cuda_driver": 13000, "driver": "1"
    },
}  # fmt: skip
EXACT = Thresholds(same_within=0.02, offset_seconds=0.0)


def store(path, cases, machine=MACHINE, experiment="e"):
    """A run of cases: name to what is not as usual, with `us`, the median in microseconds. The seven samples of each
    are 1 % apart, so that the extremes, which are the interval, are 3 % off."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "machine.json").write_text(json.dumps(machine))
    rows, samples = [], []
    for name, changes in cases.items():
        changes = dict(changes)
        median, clock, spread = changes.pop("us", 100), changes.pop("clock", None), changes.pop("spread", 0.01)
        row = {"case": name, "target": "g", "target_kind": "gpu", "experiment": experiment, "benchmark": "b"}
        row |= {"toolchain": "t", "kernel": "b__k", "status": "ok", "instruction": "RED", "warp_aggregated": False}
        rows.append(row | changes)
        for i in range(changes.pop("samples", 7)):
            seconds = median * 1e-6 * (1 + spread * (i - 3))
            sample = {"case": name, "target": "g", "toolchain": rows[-1]["toolchain"], "index": i}
            sample["session"] = i if changes.get("processes") else 1
            samples.append(sample | {"seconds": seconds, "sm_clock_hz": clock})
    for row in rows:
        row.pop("samples", None)
        row.pop("processes", None)
    tables.write("cases", tables.make("cases", rows, ["blocks"]), path / f"{experiment}.cases.csv")
    tables.write("samples", tables.make("samples", samples), path / f"{experiment}.samples.csv.gz")
    return StoredRun(path)


def compared(tmp_path, base, new, thresholds=EXACT):
    frame = compare_runs(store(tmp_path / "base", base), store(tmp_path / "new", new), thresholds)
    return frame.set_index("case", drop=False)
