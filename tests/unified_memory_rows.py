"""Hand-made rows of the unified-memory experiment, and machines of every paradigm to judge them on."""

from __future__ import annotations

from scopemark.claims.definitions import load_claims
from scopemark.claims.judge import Place, judge
from scopemark.experiment import load_experiment

EXPERIMENT = load_experiment("unified_memory")
CLAIMS = load_claims("unified_memory")
MIB = 2**20


def gpu(managed=1, concurrent=1, pageable=0, tables=0, direct=0, native=0, **others):
    """The description of a machine with these attributes."""
    attributes = {
        "managed_memory": managed,
        "concurrent_managed_access": concurrent,
        "pageable_memory_access": pageable,
        "pageable_memory_access_uses_host_page_tables": tables,
        "direct_managed_mem_access_from_host": direct,
        "host_native_atomic_supported": native,
        "host_register_supported": 1,
        "memory_pools_supported": 1,
    }
    facts = {"name": "G", "architecture": "sm_90", "driver": "580.1", "kernel_module": "open", **attributes, **others}
    host = {"machine": "x86_64", "kernel": "6.8.0", "usable_cpus": 8, "python": "3.12"}
    return {"target": "gpu0", "kind": "gpu", "described_at": "2026-01-31", "host": host, "gpu": facts}


CPU = {"target": "cpu", "kind": "cpu", "host": {"machine": "x86_64"}}
LIMITED, MANAGED_ONLY = gpu(concurrent=0), gpu()
HMM, ATS = gpu(pageable=1), gpu(pageable=1, tables=1, direct=1, native=1)


def at(machine):
    """The place of a machine in this run."""
    return Place("here", machine["target"], machine)


def row(
    benchmark, seconds=(1.0, 0.99, 1.01), *, status="ok", reason=None, faults=None, note=None, kind="gpu", **parameters
):
    """A case: its median time with its interval, and the default of every axis that is not named.

    seconds: or one number, whose interval is as narrow as can be. faults: median, least and most; or one number.
    """
    made = EXPERIMENT.benchmark(benchmark)
    axes = {axis.name: axis.default for axis in made.all_axes} | parameters
    median, low, high = seconds if isinstance(seconds, tuple) else (seconds,) * 3
    faults = faults if isinstance(faults, tuple) or faults is None else (faults,) * 3
    operations, bytes = made.operations(axes), made.bytes(axes) or None
    found = {
        "run": "here",
        "case": "-".join([benchmark, *map(str, axes.values())]),
        "target": "gpu0" if kind == "gpu" else "cpu",
        "target_kind": kind,
        "experiment": "unified_memory",
        "benchmark": benchmark,
        "toolchain": "t",
        "kernel": benchmark,
        "status": status,
        "reason": reason if reason or status == "ok" else f"made {status}",
        "samples": 10,
        "operations": operations,
        "bytes": bytes,
        "wrong_elements": 0,
        "lost_updates": 0,
        "note": note,
        **axes,
    }
    if status in ("ok", "unstable"):
        found |= {"median_seconds": median, "low_seconds": low, "high_seconds": high}
        found |= {"operations_per_second": operations / median, "operations_per_second_low": operations / high}
        found |= {"operations_per_second_high": operations / low}
        if faults is not None:
            found |= dict(zip([f"major_faults_{name}" for name in ("median", "least", "most")], faults, strict=True))
    return found


def refused(benchmark, machine, **parameters):
    """A case that this machine does not run, with the reason that the experiment gives."""
    from scopemark.benchmark import Machine

    made = EXPERIMENT.benchmark(benchmark)
    axes = {axis.name: axis.default for axis in made.all_axes} | parameters
    reason = made.missing(axes, Machine("gpu", 132, attributes=machine["gpu"]))
    assert reason is not None
    return row(benchmark, status="unsupported", reason=reason, **parameters)


def judged(claim, rows, machine=MANAGED_ONLY):
    """The finding on a claim from rows that a machine gave."""
    return judge(CLAIMS[claim], EXPERIMENT, at(machine), rows)
