"""Grids and cases: the configuration's lists of axis values, multiplied out."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scopemark.axes import Axis, foreign_count, resolve_count
from scopemark.benchmark import Benchmark, Parameters
from scopemark.errors import UserError
from scopemark.experiment import Experiment

GRID_KEYS = ("benchmark", "kind", "budget_seconds")
"""The keys of a grid that are not axes."""


@dataclass(frozen=True)
class Case:
    """One point of a grid on one kind of target.

    id: 16 hexadecimal digits of the SHA-256 of everything that identifies the case; equal points of two grids are
    the same case. budget_seconds: of sampling, where its grid has a budget of its own.
    """

    id: str
    benchmark: Benchmark
    parameters: Parameters
    budget_seconds: float | None = None

    @property
    def kernel(self) -> str:
        return self.benchmark.entry(self.parameters)


def case_id(experiment: str, benchmark: str, parameters: Parameters) -> str:
    """The identity of a case, independent of the order in which its parameters are written."""
    text = json.dumps([experiment, benchmark, dict(sorted(parameters.items()))], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def grid_targets(grid: Mapping[str, Any]) -> list[str]:
    """The kinds of target a grid is for; both when it does not say."""
    kinds = grid.get("kind", ["gpu", "cpu"])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def check_grid(experiment: Experiment, grid: Mapping[str, Any], where: str) -> None:
    """UserError, naming the key by `where`, unless every key is known and every value is accepted."""
    benchmark = _benchmark(experiment, grid, where)
    axes = {axis.name: axis for axis in benchmark.all_axes}
    kinds = grid_targets(grid)
    if not kinds:
        raise UserError(f"{where}.kind: the list is empty; accepted: gpu, cpu, or a list of both")
    for kind in kinds:
        if kind not in ("gpu", "cpu"):
            raise UserError(f"{where}.kind: {kind!r} is not a kind of target; accepted: gpu, cpu, or a list of both")
    budget = grid.get("budget_seconds", 1)
    if type(budget) not in (int, float) or budget <= 0:
        raise UserError(f"{where}.budget_seconds: {budget!r} is not a positive number of seconds")
    for key, given in grid.items():
        if key in GRID_KEYS:
            continue
        if key not in axes:
            raise UserError(f"{where}.{key}: {benchmark.name} has no such axis; it has: {', '.join(axes)}")
        values = given if isinstance(given, list) else [given]
        if not values:
            raise UserError(f"{where}.{key}: the list is empty, so the grid has no case; name at least one value")
        for value in values:
            if not axes[key].accepts(value):
                raise UserError(f"{where}.{key}: {value!r} is not accepted; accepted: {axes[key].accepted}")
    broken = Counter()
    for _, reason in itertools.chain.from_iterable(_points(benchmark, grid, kind) for kind in kinds):
        if reason is None:
            return
        broken[reason] += 1
    raise UserError(
        f"{where}: the grid has no case; the rule that most of its points break: {broken.most_common(1)[0][0]}"
    )


def _benchmark(experiment: Experiment, grid: Mapping[str, Any], where: str) -> Benchmark:
    if "benchmark" not in grid:
        raise UserError(
            f"{where}.benchmark is missing; name one of: {', '.join(b.name for b in experiment.benchmarks)}"
        )
    try:
        return experiment.benchmark(grid["benchmark"])
    except UserError as error:
        raise UserError(f"{where}.benchmark: {error}") from None


def expand(experiment: Experiment, grid: Mapping[str, Any], kind: str) -> tuple[list[Case], Counter[str]]:
    """The cases of a grid on targets of a kind, and how many points each rule left out.

    A grid that is not for this kind has no cases. Axes that the grid does not name take their default.
    """
    if kind not in grid_targets(grid):
        return [], Counter()
    benchmark = experiment.benchmark(grid["benchmark"])
    cases, excluded = {}, Counter()
    for parameters, broken in _points(benchmark, grid, kind):
        if broken:
            excluded[broken] += 1
            continue
        id = case_id(experiment.name, benchmark.name, parameters)
        cases[id] = Case(id, benchmark, parameters, grid.get("budget_seconds"))
    return list(cases.values()), excluded


def budgeted(grids: Iterable[Mapping[str, Any]], limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """Grids that each name the budget of their cases: that of the limits, where they name none."""
    return [{"budget_seconds": limits["budget_seconds"], **grid} for grid in grids]


def expand_all(
    experiment: Experiment, grids: Iterable[Mapping[str, Any]], kind: str
) -> tuple[list[Case], Counter[str]]:
    """The cases of several grids, each once, and how many points each rule left out.

    A case that two grids share has the larger of their budgets, where both have one.
    """
    cases, excluded = {}, Counter()
    for grid in grids:
        found, left_out = expand(experiment, grid, kind)
        excluded += left_out
        for case in found:
            other = cases.get(case.id, case)
            budgets = case.budget_seconds, other.budget_seconds
            cases[case.id] = replace(case, budget_seconds=None if None in budgets else max(budgets))
    return list(cases.values()), excluded


def _values(axis: Axis, grid: Mapping[str, Any]) -> list[Any]:
    """What a grid gives an axis, as a list: its default where the grid does not name it."""
    given = grid.get(axis.name, axis.default)
    return given if isinstance(given, list) else [given]


def _points(benchmark: Benchmark, grid: Mapping[str, Any], kind: str) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Every combination of a grid's values, each with the reason that excludes it, if one does."""
    names = [axis.name for axis in benchmark.all_axes]
    values = [[axis.canonical(value) for value in _values(axis, grid)] for axis in benchmark.all_axes]
    for point in itertools.product(*values):
        parameters = dict(zip(names, point, strict=True), target_kind=kind)
        foreign = (foreign_count(value, kind) for value in point)
        broken = (rule.reason for rule in benchmark.all_rules if rule.excludes(parameters))
        yield parameters, next(filter(None, itertools.chain(foreign, broken)), None)


def spellings(benchmark: Benchmark, grids: Iterable[Mapping[str, Any]], kind: str) -> dict[str, list[Any]]:
    """The values that grids give each count of a benchmark, where two of them may be one number on some machine.

    Which are is known where the machine is: `spelled` tells. The one to keep comes first: 1, which means alone whatever
    the machine; then those in proportion to it, which mean as much of it.
    """
    found: dict[str, list[Any]] = {}
    own = [grid for grid in grids if grid["benchmark"] == benchmark.name and kind in grid_targets(grid)]
    for axis in filter(lambda axis: axis.counts, benchmark.all_axes):
        values = dict.fromkeys(itertools.chain.from_iterable(_values(axis, grid) for grid in own))
        known = [value for value in values if not foreign_count(value, kind)]
        if len(known) > 1 and any(isinstance(value, str) for value in known):
            found[axis.name] = sorted(known, key=lambda value: (value != 1, isinstance(value, int)))
    return found


def spelled(
    benchmark: Benchmark, grid: Mapping[str, Any], known: Mapping[str, Sequence[Any]], processors: int
) -> dict[str, Any]:
    """A grid in which every number of blocks or threads has one spelling on a machine with that many processors.

    It is the first of the `known` ones that comes to the number: 32/sm in place of 896 on a GPU with 28 SMs. Otherwise
    one launch would be two cases, each with an id of its own.
    """
    changed = dict(grid)
    for axis in benchmark.all_axes:
        first: dict[int, Any] = {}
        for value in known.get(axis.name, ()):
            first.setdefault(resolve_count(value, processors), value)
        if first:
            own = {value: first[resolve_count(value, processors)] for value in known[axis.name]}
            changed[axis.name] = list(dict.fromkeys(own.get(value, value) for value in _values(axis, grid)))
    return changed


def instances(experiment: Experiment, grids: Iterable[Mapping[str, Any]], kind: str) -> list[str]:
    """The entries of the instance list that the grids need on targets of a kind: by kernel, each once."""
    entries = instances_of(experiment, grids, kind, lambda case: True)
    return [entries[kernel] for kernel in sorted(entries)]


def instances_of(
    experiment: Experiment, grids: Iterable[Mapping[str, Any]], kind: str, wanted: Callable[[Case], bool]
) -> dict[str, str]:
    """The entries that the wanted cases of the grids need: by kernel, in the order of the grids."""
    cases = itertools.chain.from_iterable(expand(experiment, grid, kind)[0] for grid in grids)
    entries = {case.kernel: case.benchmark.instance(case.parameters) for case in cases if wanted(case)}
    return {kernel: entry for kernel, entry in entries.items() if entry}
