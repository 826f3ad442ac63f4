"""What figures are made from, and what they are: a frame of what is drawn, and a drawing of that frame alone.

A figure is a module in `workflow/report/figures/<experiment>/` with
    TITLE                      what the figure shows, in a few words;
    data(results) -> frame     exactly the points that are drawn, the columns of `points` and what else it needs;
    draw(frame) -> Figure      the drawing, from the frame as it was read back from CSV;
    numbers(frame) -> frame    optional: what a paper quotes, as columns machine, quantity, unit, value, low, high.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from scopemark import tables
from scopemark.collect import HERE, read_machine
from scopemark.report.format import fact

DRAWN = ("ok", "unstable")
"""Statuses whose number is drawn; an unstable one hollow. The others are drawn as a cross at the edge."""

LAUNCH = ("blocks", "threads_per_block", "iterations", "cache", "sampling")
"""What two points of one panel must have in common besides what the panel compares."""


@dataclass(frozen=True)
class Results:
    """One experiment's cases of all runs.

    summary: the table `summary`, with two more columns: `machine`, the label of the run's machine, and `device`, its
    place in the report's order. machines: (run, target) to machine description. published: values of others.
    """

    summary: pd.DataFrame
    machines: Mapping[tuple[str, str], Mapping[str, Any]]
    published: pd.DataFrame


def load_results(summary: str, machines: Sequence[str], published: str) -> Results:
    """Read what the figures of an experiment are made from. UserError for a file that is not what it should be."""
    described = load_machines(machines)
    frame = tables.read("summary", summary)
    chains = frame.groupby(["run", "target"])["toolchain"].nunique().to_dict()
    devices = device_order(described)
    keys = list(zip(frame["run"], frame["target"], frame["toolchain"], strict=True))
    frame["machine"] = [
        label(described.get((run, target)), run, target) + (f", {chain}" if chains[run, target] > 1 else "")
        for run, target, chain in keys
    ]
    frame["device"] = [devices.get(target, len(devices)) for _, target, _ in keys]
    return Results(frame, described, pd.read_csv(published))


def load_machines(paths: Sequence[str]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """(run, target) to machine description, in the order of the files: this machine's targets, then recorded runs."""
    machines = {}
    for path in paths:
        machine = read_machine(path)
        recorded = Path(path).name == "machine.json"
        machines[f"recorded {machine['described_at']}" if recorded else HERE, machine["target"]] = machine
    return machines


def device_order(machines: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, int]:
    """Target to its place: GPUs first, so that a report of the same GPUs looks the same with and without a CPU."""
    ordered = sorted(machines.items(), key=lambda item: item[1]["kind"] != "gpu")
    return {target: place for place, target in enumerate(dict.fromkeys(target for (_, target), _ in ordered))}


def device_name(machine: Mapping[str, Any] | None, target: str) -> str:
    """The device as its maker calls it."""
    if machine is None:
        return target
    if machine["kind"] == "gpu":
        return machine["gpu"]["name"]
    host = machine["host"]
    return f"{host.get('cpu', host['machine'])} ({host['usable_cpus']} CPUs)"


def label(machine: Mapping[str, Any] | None, run: str, target: str) -> str:
    """A machine and its run, as figures and tables write them."""
    return f"{device_name(machine, target)}, {'measured here' if run == HERE else run}"


def load_figure(path: Path | str) -> ModuleType:
    """A figure's module, by its file: figures are no package, so that adding a file adds the figure."""
    spec = importlib.util.spec_from_file_location(f"figure_{Path(path).stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pick(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have the wanted value, or one of a list of them. A column that is missing matches none."""
    for column, value in wanted.items():
        if column not in frame:
            return frame.iloc[:0]
        frame = frame[frame[column].isin(value if isinstance(value, (list, tuple)) else [value])]
    return frame


def sampled(frame: pd.DataFrame, way: Callable[[Any], bool]) -> pd.DataFrame:
    """The rows whose sampling is of a way, as `cold_shots` of scopemark.axes tells it."""
    return frame[frame["sampling"].map(way).astype(bool)]


def widest(frame: pd.DataFrame, launch: Sequence[str] = LAUNCH) -> pd.DataFrame:
    """Of each machine the cases of one launch: the one that most of them share.

    Several grids may hold the same comparison with other block counts or lengths; mixing them would compare launches.
    """
    if frame.empty:
        return frame
    launch = [name for name in launch if name in frame]
    kept = []
    for _, group in frame.groupby("machine", sort=False):
        sizes = group.groupby(launch, sort=False, dropna=False)["case"].transform("size")
        best = group[sizes == sizes.max()]
        first = best.iloc[0]
        same = [best[name].eq(first[name]) | (best[name].isna() & pd.isna(first[name])) for name in launch]
        kept.append(best[pd.concat(same, axis=1).fillna(False).all(axis=1)])
    return pd.concat(kept)


def points(
    frame: pd.DataFrame,
    *,
    x: str | pd.Series,
    series: str | pd.Series,
    panel: str | pd.Series = "",
    value: str = "operations_per_second",
    per: pd.Series | int = 1,
) -> pd.DataFrame:
    """One row per drawn point.

    machine, device: the panel row and its colour. panel, x, series: where in the figure. case, status: of the case.
    launch: how it was launched, in words. Then the value and its 95 % interval under the name of the summary's column,
    in its unit, divided by `per`; empty for a case without a valid number. The value `seconds` is the time itself.
    """
    columns = {"machine": frame["machine"], "device": frame["device"], "launch": launch_words(frame)}
    for name, given in {"panel": panel, "x": x, "series": series}.items():
        columns[name] = frame[given] if isinstance(given, str) and given in frame else given
    columns |= {"case": frame["case"], "status": frame["status"]}
    result = pd.DataFrame(columns, index=frame.index)
    drawn = frame["status"].isin(DRAWN)
    for name, numbers in intervals(frame, value).items():
        result[name] = (numbers / per).where(drawn)
    return result.sort_values(["device", "machine"], kind="stable").reset_index(drop=True)


def intervals(frame: pd.DataFrame, value: str) -> dict[str, pd.Series]:
    """A rate with its 95 % interval: at the median, or at the fastest sample where that is how a case was sampled.

    The summary holds intervals of the logical operations; those of other rates of the same launch are in proportion.
    `seconds` is no rate, and a column that the summary does not have comes with an interval of its own.
    """
    own = [value, f"{value}_low", f"{value}_high"]
    if value != "operations_per_second" and set(own) <= set(frame):
        return {name: frame[name] for name in own}
    best = frame["sampling"].str.startswith("best_of")
    if value == "seconds":
        middle = frame["median_seconds"].where(~best, frame["minimum_seconds"])
        low, high = frame["low_seconds"].where(~best), frame["high_seconds"].where(~best)
        return {"seconds": middle, "seconds_low": low, "seconds_high": high}
    share = frame[value] / frame["operations_per_second"]
    low, high = frame["operations_per_second_low"] * share, frame["operations_per_second_high"] * share
    middle = frame[value].where(~best, frame["operations_per_second_best"] * share)
    return {value: middle, f"{value}_low": low.where(~best), f"{value}_high": high.where(~best)}


def launch_words(frame: pd.DataFrame) -> list[str]:
    """How each case was launched: grid, block, length and cache state; of a sequence of steps, its memory's size."""
    words = []
    for row in frame.to_dict("records"):
        if pd.isna(row["launch_blocks"]):
            words.append("" if pd.isna(row.get("size_bytes")) else fact("bytes", int(row["size_bytes"])))
            continue
        iterations, counters = row.get("iterations"), row.get("counters_per_thread")
        each = 1 if pd.isna(counters) else int(counters)  # that a thread goes through, with so many operations on each
        length = "" if pd.isna(iterations) else f" × {int(iterations) * each:,} operations"
        unit = "block" if row["target_kind"] == "gpu" else "team"
        launch = f"{counted(row['launch_blocks'], unit)} × {counted(row['launch_threads'], 'thread')}{length}"
        words.append(launch + (f", L2 {row['cache']}" if row["target_kind"] == "gpu" else ""))
    return words


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 thread, 4,224 threads."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def arrange(frame: pd.DataFrame, **orders: Sequence[str]) -> pd.DataFrame:
    """Sort points by device and machine, then by columns in the given order of their words."""
    names = ["device", "machine", *orders]
    keys = frame.assign(**{name: frame[name].map(list(words).index) for name, words in orders.items()})
    return frame.loc[keys.sort_values(names, kind="stable").index].reset_index(drop=True)
