"""One job's work: from a grid to its tables of cases and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from scopemark import tables
from scopemark.experiment import Experiment, Machine
from scopemark.grid import Case, expand
from scopemark.measure.journal import Journal, Record
from scopemark.measure.lock import exclusive
from scopemark.measure.session import Session, Site, rows
from scopemark.targets import Target, usable_cpus

JOURNALS = Path("results/journal")


def measure_grid(
    *,
    experiment: Experiment,
    grid_name: str,
    grid: Mapping[str, Any],
    target: Target,
    facts: Mapping[str, Any],
    toolchain: str,
    binary: Path,
    support: str | None,
    kernels: Path,
    limits: Mapping[str, float],
    cases_path: Path,
    samples_path: Path,
    log: IO[str],
) -> None:
    """Measure what is not in the journal yet, and write every case of the grid with its samples.

    The journal is not an output of the job: Snakemake deletes outputs before it runs a job again.
    """
    cases, excluded = expand(experiment, grid, target.kind)
    for reason, count in sorted(excluded.items()):
        log.write(f"left out {count} points: {reason}\n")
    evidence = _evidence(kernels, target.kind)
    lacking = _lacking(cases, target)
    limits = {**limits, **{key: grid[key] for key in ("budget_seconds",) if key in grid}}
    journal = Journal(JOURNALS / target.name / toolchain / f"{experiment.name}.jsonl")
    hashes = {kernel: row["code_hash"] for kernel, row in evidence.items()}
    site = site_of(experiment, target, facts, binary, support)
    with exclusive(target.uuid or "cpu"):
        possible = [case for case in cases if case.id not in lacking]
        session = Session(f"{target.name} {experiment.name}/{grid_name}", site, possible, hashes, journal, limits, log)
        outcomes = session.run() | {case: ("unsupported", reason) for case, reason in lacking.items()}

    case_rows, sample_rows = [], []
    for case in cases:
        record = session.records.get(case.id) or Record()
        common = {"case": case.id, "target": target.name, "toolchain": toolchain}
        status, reason = outcomes[case.id]
        row = {"target_kind": target.kind, "experiment": experiment.name}
        row |= {"benchmark": case.benchmark.name, "kernel": case.kernel, "status": status, "reason": reason or None}
        row |= _work(case, site.machine, evidence[case.kernel]) | _findings(record)
        row |= {name: case.parameters.get(name) for name in experiment.parameter_names}
        case_rows.append(common | row)
        sample_rows += [common | sample for sample in rows(record)]
    tables.write("cases", tables.make("cases", case_rows, experiment.parameter_names), cases_path)
    tables.write("samples", tables.make("samples", sample_rows), samples_path)


def site_of(
    experiment: Experiment, target: Target, facts: Mapping[str, Any], binary: Path, support: str | None
) -> Site:
    """Where a job measures: how its worker is opened, and what identifies the machine."""
    opening = {
        "experiment": experiment.name,
        "kind": target.kind,
        "device": target.device,
        "binary": str(binary),
        "support": support,
    }
    return Site(opening, facts, Machine(target.kind, _processors(target)), target.uuid)


def _evidence(path: Path, kind: str) -> dict[str, Mapping[str, Any]]:
    frame = tables.read("kernels" if kind == "gpu" else "host_kernels", path)
    return {row["kernel"]: row for row in frame.to_dict("records")}


def _lacking(cases: Sequence[Case], target: Target) -> dict[str, str]:
    """The cases whose kernels the target's architecture does not have, and why."""
    least = {case.id: case.benchmark.minimum_architecture(case.parameters) for case in cases}
    if target.kind != "gpu":
        return {}
    own = int(target.architecture)
    return {case: f"needs sm_{needed}; this GPU is sm_{own}" for case, needed in least.items() if needed > own}


def _processors(target: Target) -> int:
    if target.kind == "cpu":
        return usable_cpus()
    from cupy.cuda import runtime

    # An attribute query makes no context.
    return runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, target.device)


def _work(case: Case, machine: Machine, evidence: Mapping[str, Any]) -> dict[str, Any]:
    launch = case.benchmark.launch(case.parameters, machine)
    aggregated = evidence.get("warp_aggregated")
    return {
        "launch_blocks": launch.blocks,
        "launch_threads": launch.threads,
        "operations": case.benchmark.operations(case.parameters, launch),
        "bytes": case.benchmark.bytes(case.parameters, launch) or None,
        "issued": case.benchmark.issued(case.parameters, launch, bool(aggregated)),
        "instruction": evidence.get("instruction"),
        "warp_aggregated": aggregated,
    }


def _findings(record: Record) -> dict[str, Any]:
    findings: dict[str, Any] = {
        "throttle_reasons": ", ".join(sorted(record.throttle)) or None,
        "temperature_celsius": record.temperature,
    }
    if (worst := record.worst) is not None:
        samples = record.samples
        findings |= {
            "expected": samples["expected"][worst],
            "observed": samples["observed"][worst],
            "lost_updates": samples["expected"][worst] - samples["observed"][worst],
            "wrong_elements": samples["wrong"][worst],
        }
    return findings
