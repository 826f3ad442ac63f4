"""A stored run: a directory with the description of a machine, and cases and samples of experiments, as CSVs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopemark.collect import read_machine
from scopemark.errors import UserError
from scopemark.report.format import flat

SHAPE = (
    "a run is a directory with machine.json, <experiment>.cases.csv and <experiment>.samples.csv.gz, "
    "as snakemake record writes it to reports/reference/<target>"
)

IDENTITY = (
    ("kind",),
    ("gpu", "name"),
    ("gpu", "architecture"),
    ("gpu", "multiprocessors"),
    ("host", "cpu"),
    ("host", "cpus"),
)
"""The facts that two descriptions of the same machine share. Everything else may change on it."""


@dataclass(frozen=True)
class StoredRun:
    """A run by its directory, as the configuration names it."""

    path: Path

    @property
    def experiments(self) -> list[str]:
        return sorted(file.name.removesuffix(".cases.csv") for file in self.path.glob("*.cases.csv"))

    @property
    def machine_file(self) -> Path:
        return self.path / "machine.json"

    def cases(self, experiment: str) -> Path:
        return self.path / f"{experiment}.cases.csv"

    def samples(self, experiment: str) -> Path:
        return self.path / f"{experiment}.samples.csv.gz"

    def files(self) -> list[str]:
        """Its files, absolute: a rule that records a run must not be taken for what makes them."""
        tables = [file for name in self.experiments for file in (self.cases(name), self.samples(name))]
        return [os.path.abspath(file) for file in (self.machine_file, *tables)]


def find_run(path: str, where: str) -> StoredRun:
    """The run in a directory. UserError, naming the key by `where`, if there is none."""
    run = StoredRun(Path(path).expanduser())
    if not run.path.is_dir():
        raise UserError(f"{where}: {path}: there is no such directory; {SHAPE}")
    if not run.machine_file.is_file():
        raise UserError(f"{where}: {path} is not a run: it has no machine.json; {SHAPE}")
    if not run.experiments:
        raise UserError(f"{where}: {path} is not a run: it has no <experiment>.cases.csv; {SHAPE}")
    for name in run.experiments:
        if not run.samples(name).is_file():
            raise UserError(f"{where}: {path}: {name}.samples.csv.gz is not beside {name}.cases.csv; {SHAPE}")
    return run


def check_same_machine(base: StoredRun, new: StoredRun) -> None:
    """UserError, naming both files and the fact, if the two runs are of different machines."""
    one, two = read_machine(base.machine_file), read_machine(new.machine_file)
    for key in IDENTITY:
        was, now = _fact(one, key), _fact(two, key)
        if was != now:
            raise UserError(
                f"{new.machine_file}: {'.'.join(key)} is {now!r}, and in {base.machine_file} it is {was!r}: "
                f"runs of different machines are not compared; accepted: two runs with the same "
                f"{', '.join('.'.join(name) for name in IDENTITY)}"
            )


def check_replaceable(measured: Path, recorded: Path) -> None:
    """UserError if a recorded machine description, where there is one, is of another machine than the measured one.

    Every CPU is the target `cpu`: without this, recording on a second machine would overwrite the first one's run.
    """
    if not recorded.exists():
        return
    one, two = read_machine(recorded), read_machine(measured)
    for key in IDENTITY:
        was, now = _fact(one, key), _fact(two, key)
        if was != now:
            raise UserError(
                f"{recorded}: {'.'.join(key)}: {was!r} is recorded there and {now!r} was measured here: it is another "
                f"machine's run; give its directory another name, which it may have, and record again"
            )


def changed_facts(base: StoredRun, new: StoredRun) -> list[dict[str, Any]]:
    """The facts of the machine's description that differ between the runs: part, fact, base, new."""
    one, two = read_machine(base.machine_file), read_machine(new.machine_file)
    rows = []
    for part in ("gpu", "host", "memory", "uvm"):
        was, now = (dict(flat(machine.get(part, {}))) for machine in (one, two))
        for name in dict.fromkeys([*was, *now]):
            if was.get(name) != now.get(name):
                rows.append({"part": part, "fact": name, "base": was.get(name), "new": now.get(name)})
    return rows


def _fact(machine: Mapping[str, Any], key: tuple[str, ...]) -> Any:
    for name in key:
        machine = machine.get(name, {}) if isinstance(machine, Mapping) else {}
    return None if machine == {} else machine
