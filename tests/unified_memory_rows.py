"""Machines of every paradigm, and what is judged on them from hand-made rows."""

from __future__ import annotations

from memory_rows import EXPERIMENT, MIB, row
from scopemark.claims.definitions import load_claims
from scopemark.claims.judge import Place, judge

CLAIMS = load_claims("unified_memory")


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


def refused(benchmark, machine, **parameters):
    """A case that this machine does not run, with the reason that the experiment gives."""
    from scopemark.benchmark import Machine

    made = EXPERIMENT.benchmark(benchmark)
    axes = {axis.name: axis.default for axis in made.all_axes} | parameters
    reason = made.missing(axes, Machine("gpu", 132, attributes=machine["gpu"]))
    assert reason is not None
    return row(benchmark, status="unsupported", reason=reason, **parameters)


def canary(allocator, access="read", status="ok", machine=MANAGED_ONLY, **others):
    """A canary that was sent into memory, or that the machine refused."""
    if status == "refused":
        return refused("canary", machine, allocator=allocator, access=access)
    return row("canary", status=status, allocator=allocator, access=access, sampling="best_of_3", **others)


def access(seconds=1.0, *, faults=None, **parameters):
    """A pass over managed memory of 64 MiB, unless the parameters say otherwise."""
    return row("access", seconds, faults=faults, **({"allocator": "managed", "size_bytes": 64 * MIB} | parameters))


def passes(first, second, **parameters):
    """A first and a second pass over the same memory, from their seconds."""
    return [access(seconds, **{"pass": number}, **parameters) for number, seconds in ((1, first), (2, second))]


def judged(claim, rows, machine=MANAGED_ONLY):
    """The finding on a claim from rows that a machine gave."""
    return judge(CLAIMS[claim], EXPERIMENT, at(machine), rows)
