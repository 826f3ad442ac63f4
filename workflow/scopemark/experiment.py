"""What an experiment is, and how it is found.

An experiment is one Python module or package in `scopemark/experiments/` with an `EXPERIMENT`, and one kernel file of
the same name in `kernels/`. It is found by its name; nothing else refers to it.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field

from scopemark.benchmark import Benchmark
from scopemark.errors import UserError


@dataclass(frozen=True)
class Experiment:
    """One kernel file and the benchmarks in it. `title` and `question` head its section of the report."""

    name: str
    title: str
    question: str
    benchmarks: tuple[Benchmark, ...]
    parameter_names: tuple[str, ...] = field(init=False)

    def __post_init__(self):
        names = dict.fromkeys(axis.name for benchmark in self.benchmarks for axis in benchmark.all_axes)
        object.__setattr__(self, "parameter_names", tuple(names))

    def benchmark(self, name: str) -> Benchmark:
        for benchmark in self.benchmarks:
            if benchmark.name == name:
                return benchmark
        known = ", ".join(benchmark.name for benchmark in self.benchmarks)
        raise UserError(f"{self.name} has no benchmark {name!r}; it has: {known}")


def experiment_names() -> list[str]:
    """The experiments there are: the files of `scopemark/experiments/`."""
    package = importlib.import_module("scopemark.experiments")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def load_experiment(name: str) -> Experiment:
    """The experiment of that name; UserError if there is none."""
    if name not in experiment_names():
        raise UserError(f"there is no experiment {name!r}; there are: {', '.join(experiment_names())}")
    return importlib.import_module(f"scopemark.experiments.{name}").EXPERIMENT
