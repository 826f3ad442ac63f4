"""One job's work: from an experiment's grids to its tables of cases and samples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from scopemark import tables
from scopemark.benchmark import Machine
from scopemark.capabilities import machine_of
from scopemark.experiment import Experiment
from scopemark.grid import Case, budgeted, expand_all
from scopemark.measure.cold_shots import series_hashes
from scopemark.measure.journal import Journal, Record
from scopemark.measure.lock import exclusive
from scopemark.measure.session import Session, Site, rows
from scopemark.targets import Target

JOURNALS = Path("results/journal")


def measure_experiment(
    *,
    experiment: Experiment,
    grids: Sequence[Mapping[str, Any]],
    target: Target,
    facts: Mapping[str, Any],
    toolchain: str,
    build: Mapping[str, str],
    kernels: Path,
    host_kernels: str | None = None,
    machine: Machine | None = None,
    limits: Mapping[str, float],
    cases_path: Path,
    samples_path: Path,
    log: IO[str],
) -> None:
    """Measure what is not in the journal yet, and write every case of the grids with its samples.

    build: the files that a worker opens, as build_files finds them. binary: what the target runs; and on a GPU support
    and support_host: the engine's own kernels and C++; host: the CPU code that takes part, if any does;
    cold_shots: the program that fires them, if any are.
    kernels, host_kernels: the tables of the kernels in binary and in host.
    machine: what is known of the target; it is asked, if that is nothing.
    The journal is not an output of the job: Snakemake deletes outputs before it runs a job again.
    """
    cases, excluded = expand_all(experiment, budgeted(grids, limits), target.kind)
    for reason, count in sorted(excluded.items()):
        log.write(f"left out {count} points: {reason}\n")
    evidence = _evidence(kernels, target.kind)
    # Of all its kernels the same; a build of none has none to run.
    host_hash = next(iter(tables.read("host_kernels", host_kernels)["code_hash"]), "") if host_kernels else ""
    machine = machine or machine_of(target)
    lacking = {case.id: case.benchmark.lacking(case.parameters, machine) for case in cases}
    lacking = {case: reason for case, reason in lacking.items() if reason}
    journal = Journal(JOURNALS / target.name / toolchain / f"{experiment.name}.jsonl")
    kernel_hashes = {kernel: row["code_hash"] for kernel, row in evidence.items()}
    hashes = {case.id: code_hash(case, kernel_hashes, host_hash) for case in cases}
    site = site_of(experiment, target, facts, build, machine)
    possible = [case for case in cases if case.id not in lacking]
    hashes |= series_hashes(possible, hashes)
    with exclusive(target.uuid or "cpu"):
        session = Session(f"{target.name} {experiment.name}", site, possible, hashes, journal, limits, log)
        outcomes = session.run() | {case: ("unsupported", reason) for case, reason in lacking.items()}

    case_rows, sample_rows = [], []
    for case in cases:
        record = session.records.get(case.id) or Record()
        common = {"case": case.id, "target": target.name, "toolchain": toolchain}
        status, reason = outcomes[case.id]
        row = {"target_kind": target.kind, "experiment": experiment.name}
        row |= {"benchmark": case.benchmark.name, "kernel": case.kernel, "status": status, "reason": reason or None}
        row |= _work(case, site.machine, evidence.get(case.kernel, {})) | _findings(record)
        row |= {name: case.parameters.get(name) for name in experiment.parameter_names}
        case_rows.append(common | row)
        sample_rows += [common | sample for sample in rows(record)]
    tables.write("cases", tables.make("cases", case_rows, experiment.parameter_names), cases_path)
    tables.write("samples", tables.make("samples", sample_rows), samples_path)


def build_files(inputs: Mapping[str, str]) -> dict[str, str]:
    """Those of a rule's named inputs that a worker opens: which of them there are depends on the target."""
    return {
        name: inputs[name] for name in ("binary", "support", "support_host", "host", "cold_shots") if inputs.get(name)
    }


def site_of(
    experiment: Experiment,
    target: Target,
    facts: Mapping[str, Any],
    build: Mapping[str, str],
    machine: Machine | None = None,
) -> Site:
    """Where a job measures: how its workers are opened, with which files, and what identifies the machine."""
    opening = {"experiment": experiment.name, "kind": target.kind, "device": target.device, **build}
    return Site(opening, facts, machine or machine_of(target), target.uuid)


def code_hash(case: Case, kernel_hashes: Mapping[str, str], host_hash: str = "") -> str:
    """What identifies the code that a case runs: its kernel's, or that of all a procedure is made of."""
    own = case.benchmark.code()
    kernels = [kernel_hashes.get(kernel, "") for kernel in case.benchmark.kernels(case.parameters)]
    if not own:
        return kernel_hashes[case.kernel]
    return hashlib.sha256(json.dumps([own, kernels, host_hash]).encode()).hexdigest()[:16]


def _evidence(path: Path, kind: str) -> dict[str, Mapping[str, Any]]:
    frame = tables.read("kernels" if kind == "gpu" else "host_kernels", path)
    return {row["kernel"]: row for row in frame.to_dict("records")}


def _work(case: Case, machine: Machine, evidence: Mapping[str, Any]) -> dict[str, Any]:
    aggregated = evidence.get("warp_aggregated")
    work = case.benchmark.work(case.parameters, machine, bool(aggregated))
    return {
        "launch_blocks": work.blocks,
        "launch_threads": work.threads,
        "operations": work.operations,
        "bytes": work.bytes,
        "issued": work.issued,
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
            "note": "; ".join(dict.fromkeys(filter(None, samples["note"]))) or None,
        }
    return findings
