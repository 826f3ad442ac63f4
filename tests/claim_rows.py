"""Hand-made rows of the summary table, for the tests of claims and advice."""

from __future__ import annotations

from scopemark.experiment import load_experiment

EXPERIMENT = load_experiment("scoped_atomics")
GPU = {"target": "gpu0", "kind": "gpu", "gpu": {"architecture": "sm_90", "integrated": 0}}
CPU = {"target": "cpu", "kind": "cpu", "host": {"machine": "x86_64"}}


def row(benchmark="counter", per_second=(100.0, 99.0, 101.0), status="ok", kind="gpu", best=None, **parameters):
    """A measured case: its throughput with its interval, and the default of every axis that is not named."""
    axes = {axis.name: axis.default for axis in EXPERIMENT.benchmark(benchmark).all_axes} | parameters
    value, low, high = per_second if isinstance(per_second, tuple) else (per_second, per_second, per_second)
    return {
        "run": "here",
        "case": "-".join(map(str, axes.values())),
        "target": "gpu0" if kind == "gpu" else "cpu",
        "target_kind": kind,
        "benchmark": benchmark,
        "toolchain": "t",
        "kernel": benchmark,
        "status": status,
        "reason": None if status == "ok" else f"made {status}",
        "launch_blocks": 4,
        "launch_threads": 32,
        "operations_per_second": value,
        "operations_per_second_low": low,
        "operations_per_second_high": high,
        "operations_per_second_best": value if best is None else best,
        "instruction": "RED" if axes["api"] == "intrinsic" else "ATOM",
        "lost_updates": 0,
        "wrong_elements": 0,
        **axes,
    }
