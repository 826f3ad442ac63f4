"""Copies of the repository to run things in, and ways to run them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd

from scopemark import tables
from scopemark.grid import expand

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "config.yaml", "kernels", "workflow", "profiles")
LIMITS = {
    "relative_half_width": 0.5,
    "unstable_half_width": 1e9,
    "processes": 1,
    "minimum_samples": 6,
    "maximum_samples": 6,
    "budget_seconds": 60.0,
    "timeout_seconds": 30.0,
    "clock_floor": 0.0,
}


def copy_repository(tree: Path) -> Path:
    """The parts of the repository that a run needs, with the tests' own experiment added as two files."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            tree.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, tree / part)
    return tree


def add_faults(tree: Path) -> None:
    """Add the tests' experiment as a contributor would: a kernel file and a Python file."""
    shutil.copy(ROOT / "tests/faults/faults.cu", tree / "kernels")
    shutil.copy(ROOT / "tests/faults/faults.py", tree / "workflow/scopemark/experiments")


def load_faults():
    """The tests' experiment, in this process."""
    spec = importlib.util.spec_from_file_location("faults", ROOT / "tests/faults/faults.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXPERIMENT


def of_grid(frame: pd.DataFrame, experiment, grid: dict, kind: str) -> pd.DataFrame:
    """The rows of a table that are of a grid's cases."""
    return frame[frame["case"].isin([case.id for case in expand(experiment, grid, kind)[0]])]


def environment(tree: Path, **extra: str) -> dict[str, str]:
    """This process's environment, with the copy's package and a lock of the copy's own."""
    path = os.pathsep.join(filter(None, [str(tree / "workflow"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "SCOPEMARK_LOCKS": str(tree / "locks"), **extra}


def snakemake(tree: Path, *arguments: str, check: bool = True, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run snakemake in a copy, telling of every rule, which the profile leaves out."""
    command = [sys.executable, "-m", "snakemake", *arguments, "--quiet", "host"]
    done = subprocess.run(
        command, cwd=tree, env=environment(tree, **extra), capture_output=True, text=True, check=False
    )
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def executed(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The rules that a run of snakemake finished, with `all`."""
    return re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", done.stdout + done.stderr, re.M)


class Engine:
    """The measuring engine in a copy of the repository, with one experiment built for the CPU (or a GPU)."""

    def __init__(self, tree: Path, experiment: str, binary: Path, kernels: Path, target: dict | None = None):
        self.tree, self.experiment = tree, experiment
        self.binary, self.kernels = binary, kernels
        self.target = target or {"name": "cpu", "kind": "cpu"}

    def start(self, grid: dict | list[dict], name: str, limits: dict | None = None) -> subprocess.Popen[str]:
        """Begin to measure a grid, or several, in a process of its own."""
        request = {
            "experiment": self.experiment,
            "grids": grid if isinstance(grid, list) else [grid],
            "target": self.target,
            "facts": {"name": self.target["name"]},
            "toolchain": "test",
            "build": {"binary": str(self.binary)},
            "kernels": str(self.kernels),
            "limits": {**LIMITS, **(limits or {})},
            "cases_path": f"{name}.cases.csv",
            "samples_path": f"{name}.samples.csv.gz",
        }
        return subprocess.Popen(
            [sys.executable, str(ROOT / "tests/faults/measure.py"), json.dumps(request)],
            cwd=self.tree,
            env=environment(self.tree),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def measure(self, grid: dict | list[dict], name: str, limits: dict | None = None) -> pd.DataFrame:
        """Measure a grid, or several; their cases."""
        process = self.start(grid, name, limits)
        output = process.communicate(timeout=300)[0]
        assert process.returncode == 0, output
        return tables.read("cases", self.tree / f"{name}.cases.csv")

    def samples(self, name: str) -> pd.DataFrame:
        return tables.read("samples", self.tree / f"{name}.samples.csv.gz")

    @property
    def journal(self) -> Path:
        return self.tree / "results/journal" / self.target["name"] / "test" / f"{self.experiment}.jsonl"

    def lines(self) -> list[dict]:
        """The journal's lines that are whole."""
        if not self.journal.exists():
            return []
        return [json.loads(line) for line in self.journal.read_text().splitlines() if line.endswith("}")]
