"""The trust runs of this machine's GPUs and the recorded ones, each with its machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.collect import HERE, read_machine
from scopemark.errors import UserError
from scopemark.figures.data import device_order, label

TABLES = ("nvbench", "durations", "pairs", "repeat", "timing")


@dataclass(frozen=True)
class TrustRun:
    """One GPU's trust run.

    run: "here", or the recorded run it comes from. name: the machine and its run, as figures write them. device: its
    place in the report's order, which is its colour. The tables are those of `workflow/schemas/tables/trust.yaml`.
    """

    run: str
    target: str
    machine: Mapping[str, Any]
    name: str
    device: int
    nvbench: pd.DataFrame
    durations: pd.DataFrame
    pairs: pd.DataFrame
    repeat: pd.DataFrame
    timing: pd.DataFrame

    @property
    def here(self) -> bool:
        """Whether it was measured on this machine."""
        return self.run == HERE


def load_runs(files: Mapping[str, Sequence[str]]) -> list[TrustRun]:
    """The runs. `files` are lists by name, `machines` and every one of TABLES, with one file per run in one order.

    UserError for a file that is missing or not what it should be, and where there is no run at all.
    """
    if not files["machines"]:
        raise UserError("there is no trust run to show: neither one of this machine nor a recorded one")
    found = []
    for place, path in enumerate(files["machines"]):
        machine = read_machine(path)
        run = f"recorded {machine['described_at']}" if Path(path).name == "machine.json" else HERE
        read = {name: _filled(name, files[name][place]) for name in TABLES}
        found.append(((run, machine["target"]), machine, read))
    devices = device_order({key: machine for key, machine, _ in found})
    return [TrustRun(*key, machine, label(machine, *key), devices[key[1]], **read) for key, machine, read in found]


def _filled(table: str, path: str) -> pd.DataFrame:
    frame = tables.read(f"trust_{table}", path)
    if frame.empty:
        raise UserError(f"{path}: has no rows; a trust run measures at least one. Delete it to have it made again")
    return frame


def gathered(runs: Sequence[TrustRun], table: str) -> pd.DataFrame:
    """One table of all runs, with the run and target of every row in front."""
    frames = []
    for one in runs:
        # The timing's own run is the first or the second of a pair.
        frame = getattr(one, table).rename(columns={"run": "repetition"})
        frame.insert(0, "run", one.run)
        frame.insert(1, "target", one.target)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
