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


def row(benchmark, seconds=None, status="ok", kind="gpu", reason=None, faults=None, **other):
    """A case with its median and interval in seconds, and the default of every axis that is not named.

    seconds: a number, which is then known exactly, or median, low and high; about a second if none is given for a case
    that has a number. faults: the major ones, a number, or median, least and most. other: axes, and columns of the
    summary; operations and bytes are the benchmark's if they are not among them.
    """
    made = EXPERIMENT.benchmark(benchmark)
    axes = {axis.name: axis.default for axis in made.all_axes}
    axes |= {name: value for name, value in other.items() if name in axes}
    columns = {name: value for name, value in other.items() if name not in axes}
    assert set(columns) <= set(tables.columns("summary")), columns
    found = dict.fromkeys(tables.columns("summary")) | {
        "run": "here",
        "case": " ".join(map(str, (benchmark, kind, *axes.values()))),
        "target": "gpu0" if kind == "gpu" else "cpu",
        "target_kind": kind,
        "experiment": "unified_memory",
        "benchmark": benchmark,
        "toolchain": "t",
        "kernel": benchmark,
        "status": status,
        "reason": reason if reason or status == "ok" else f"made {status}",
        "samples": 10,
        "discarded": 0,
        "operations": made.operations(axes),
        "bytes": made.bytes(axes) or None,
        "wrong_elements": 0,
        **dict.fromkeys(("lost_updates", *(f"lost_updates_{name}" for name in ("median", "least", "most"))), 0),
        **axes,
        **columns,
    }
    if seconds is None and status in ("ok", "unstable"):
        seconds = 1.0, 0.99, 1.01
    if seconds is not None:
        found |= _times(found, *_three(seconds))
    return found | _faults(faults)


def _three(value) -> tuple:
    """A value and the ends of its interval."""
    return value if isinstance(value, tuple) else (value, value, value)


def _times(found, median, low, high):
    """Seconds, and the rates that they are."""

    def rate(work, time):
        return None if work is None or time is None else work / time

    operations = found["operations"]
    return {
        "median_seconds": median,
        "low_seconds": low,
        "high_seconds": high,
        "minimum_seconds": low,
        "operations_per_second": rate(operations, median),
        "operations_per_second_low": rate(operations, high),
        "operations_per_second_high": rate(operations, low),
        "bytes_per_second": rate(found["bytes"], median),
    }


def _faults(faults):
    """The columns of page faults, if any are given."""
    names = [f"major_faults_{name}" for name in ("median", "least", "most")]
    return {} if faults is None else dict(zip(names, _three(faults), strict=True))


def results(*rows: dict, **attributes: object) -> Results:
    """What figures and texts are made from; `attributes` are the GPU's."""
    frame = tables.make("summary", rows, EXPERIMENT.parameter_names)
    frame = frame.assign(machine=frame["target"] + " machine", device=(frame["target"] == "cpu").astype(int))
    gpu = MACHINES["gpu0"] | {"gpu": {"name": "Test GPU", **attributes}}
    return Results(frame, {("here", "gpu0"): gpu, ("here", "cpu"): MACHINES["cpu"]}, pd.DataFrame())


def access(allocator, processor, passed, seconds, origin="cpu", **other):
    """A pass over memory."""
    return row("access", seconds, allocator=allocator, processor=processor, origin=origin, **{"pass": passed}, **other)


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
