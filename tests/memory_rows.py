"""Hand-made rows of unified memory's summary, for the tests of its figures, answers and advice."""

from __future__ import annotations

import pandas as pd

from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.figures.data import Results

EXPERIMENT = load_experiment("unified_memory")
KIB, MIB = 2**10, 2**20
HOST = {"machine": "x86_64", "kernel": "6.1.0", "usable_cpus": 4, "python": "3"}
MACHINES = {
    "gpu0": {"target": "gpu0", "kind": "gpu", "described_at": "2026-01-02", "host": HOST, "gpu": {"name": "Test GPU"}},
    "cpu": {"target": "cpu", "kind": "cpu", "described_at": "2026-01-02", "host": HOST},
}


def row(benchmark, seconds, status="ok", kind="gpu", operations=1, bytes=None, **other):
    """A case with its median and interval in seconds, and the default of every axis that is not named.

    seconds: a number, which is then known exactly, or median, low and high. other: axes, and columns of the summary.
    """
    axes = {axis.name: axis.default for axis in EXPERIMENT.benchmark(benchmark).all_axes}
    axes |= {name: value for name, value in other.items() if name in axes}
    columns = {name: value for name, value in other.items() if name not in axes}
    assert set(columns) <= set(tables.columns("summary")), columns
    middle, low, high = seconds if isinstance(seconds, tuple) else (seconds, seconds, seconds)

    def per_second(number, time):
        return None if time is None else number / time

    return dict.fromkeys(tables.columns("summary")) | {
        "run": "here",
        "case": " ".join(map(str, (benchmark, kind, *axes.values()))),
        "target": "gpu0" if kind == "gpu" else "cpu",
        "target_kind": kind,
        "experiment": "unified_memory",
        "benchmark": benchmark,
        "toolchain": "t",
        "kernel": benchmark,
        "status": status,
        "reason": None if status == "ok" else f"made {status}",
        "samples": 9,
        "discarded": 0,
        "median_seconds": middle,
        "low_seconds": low,
        "high_seconds": high,
        "minimum_seconds": low,
        "operations": operations,
        "bytes": bytes,
        "operations_per_second": per_second(operations, middle),
        "operations_per_second_low": per_second(operations, high),
        "operations_per_second_high": per_second(operations, low),
        "bytes_per_second": None if bytes is None else per_second(bytes, middle),
        "lost_updates": 0,
        "lost_updates_median": 0,
        "lost_updates_least": 0,
        "lost_updates_most": 0,
        **axes,
        **columns,
    }


def results(*rows: dict, **attributes: object) -> Results:
    """What figures and texts are made from; `attributes` are the GPU's."""
    frame = tables.make("summary", rows, EXPERIMENT.parameter_names)
    frame = frame.assign(machine=frame["target"] + " machine", device=(frame["target"] == "cpu").astype(int))
    gpu = MACHINES["gpu0"] | {"gpu": {"name": "Test GPU", **attributes}}
    return Results(frame, {("here", "gpu0"): gpu, ("here", "cpu"): MACHINES["cpu"]}, pd.DataFrame())


def access(allocator, processor, passed, seconds, origin="cpu", **other):
    """A pass over memory, whose bytes are known."""
    return row(
        "access", seconds, bytes=other.get("size_bytes", 64 * MIB), allocator=allocator, processor=processor,
        origin=origin, **{"pass": passed}, **other,
    )  # fmt: skip


def hint(name, seconds, workload="gpu_reads", **other):
    """A workload with a hint."""
    return row("hint", seconds, hint=name, workload=workload, **other)


def back(way, size, microseconds, independent="none"):
    """A way back for a result of a size."""
    return row("result", microseconds * 1e-6, way=way, size_bytes=size, independent=independent)


def counter(parties, scope, seconds, lost=(0, 0, 0)):
    """A word that is added to 1000 times, and the least, median and most adds lost."""
    names = ("lost_updates_least", "lost_updates_median", "lost_updates_most")
    return row("counter", seconds, operations=1000, parties=parties, scope=scope, **dict(zip(names, lost, strict=True)))
