"""A recorded run that nobody measured, of real cases: for timing what comes after measuring, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from scopemark import tables
from scopemark.benchmark import Machine
from scopemark.experiment import Experiment, load_experiment
from scopemark.grid import Case, expand

TARGET = "synthetic"
TOOLCHAIN = "cuda-0.0_cccl-0.0"
PROCESSES = 6  # that took the samples
MACHINE = {
    "target": TARGET,
    "kind": "gpu",
    "described_at": "2000-01-01",
    "host": {"machine": "none", "kernel": "none", "cpus": 1, "usable_cpus": 1, "python": "3"},
    "gpu": {
        "name": "Synthetic",
        "architecture": "sm_90",
        "multiprocessors": 132,
        "l2_bytes": 1 << 25,
        "cuda_driver": 13000,
    },
}


def real_cases(experiment: Experiment, grids: dict[str, Any], number: int) -> list[Case]:
    """That many cases: those of the grids on a GPU, and then the same at other block counts."""
    found: dict[str, Case] = {}
    for blocks in (None, *range(1, 10_000)):
        for grid in grids.values():
            if blocks is None or "blocks" in grid:
                changed = grid if blocks is None else {**grid, "blocks": blocks}
                found.update((case.id, case) for case in expand(experiment, changed, "gpu")[0])
            if len(found) >= number:
                return list(found.values())[:number]
    raise ValueError(f"the grids have only {len(found)} cases")


def write_run(directory: Path, config: Path, experiment_name: str, cases: int, samples: int) -> None:
    """Write a run of that many cases with that many samples each."""
    experiment = load_experiment(experiment_name)
    grids = yaml.safe_load(config.read_text())["experiments"][experiment_name]["grids"]
    chosen = real_cases(experiment, grids, cases)
    directory.mkdir(parents=True)
    (directory / "machine.json").write_text(json.dumps(MACHINE))
    frame = tables.make("cases", _rows(experiment, chosen), experiment.parameter_names)
    tables.write("cases", frame, directory / f"{experiment_name}.cases.csv")
    tables.write("samples", _samples(chosen, samples), directory / f"{experiment_name}.samples.csv.gz")


def _rows(experiment: Experiment, cases: list[Case]) -> Iterator[dict[str, Any]]:
    machine = Machine("gpu", MACHINE["gpu"]["multiprocessors"])
    for case in cases:
        launch = case.benchmark.launch(case.parameters, machine)
        operations = case.benchmark.operations(case.parameters, launch)
        yield {
            "case": case.id,
            "target": TARGET,
            "target_kind": "gpu",
            "experiment": experiment.name,
            "benchmark": case.benchmark.name,
            "toolchain": TOOLCHAIN,
            "kernel": case.kernel,
            "status": "ok",
            "launch_blocks": launch.blocks,
            "launch_threads": launch.threads,
            "operations": operations,
            "issued": operations,
            "instruction": "NONE",
            "warp_aggregated": False,
            **{name: case.parameters.get(name) for name in experiment.parameter_names},
        }


def _samples(cases: list[Case], each: int) -> pd.DataFrame:
    source = np.random.default_rng(1)
    number = len(cases) * each
    medians = np.exp(source.uniform(np.log(3e-6), np.log(1e-2), len(cases)))
    seconds = np.repeat(medians, each) * (1 + 0.01 * source.standard_normal(number))
    ids = np.array([case.id for case in cases])
    columns = {
        "case": np.repeat(ids, each),
        "target": TARGET,
        "toolchain": TOOLCHAIN,
        "index": np.tile(np.arange(each), len(cases)),
        "session": np.tile(1 + np.arange(each) * PROCESSES // each, len(cases)),
        "seconds": 32e-9 * np.rint(seconds / 32e-9),
        "sm_clock_hz": source.normal(1.9e9, 1e6, number),
        "lost_updates": 0.0,
    }
    return tables.conform("samples", pd.DataFrame(columns))
