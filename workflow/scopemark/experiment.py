"""What an experiment declares: its benchmarks, and for each its axes, rules, buffers, work and check.

An experiment is one Python file in `scopemark/experiments/` with an `EXPERIMENT`, and one kernel file of the same name
in `kernels/`. It is found by its file name; nothing else refers to it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scopemark.axes import Axis, choice, sampling
from scopemark.errors import UserError

Parameters = Mapping[str, Any]
"""One point of a grid: axis name to value, and `target_kind`, which is "gpu" or "cpu"."""

MEASURING_AXES = (
    choice("cache", ["cold", "warm"], "cold: the L2 is flushed before every sample; warm: it is left as it was"),
    sampling(
        "sampling",
        "adaptive",
        "adaptive: until the median's interval is narrow; best_of_N: exactly N samples, at one address; "
        "single_shots_N: N samples of a plain program's launch, its latency included",
    ),
)
"""How a case is sampled. Part of every case, because it is part of what the number means."""


@dataclass(frozen=True)
class Rule:
    """A combination of values that makes no sense, and why. Excluded points are counted, never measured."""

    reason: str
    excludes: Callable[[Parameters], bool]


@dataclass(frozen=True)
class Machine:
    """What a case may know of the machine it will run on."""

    kind: str  # "gpu" or "cpu"
    processors: int  # streaming multiprocessors, or CPUs this process may use
    shared_bytes_per_block: int = 0  # the most a block may ask for


@dataclass(frozen=True)
class Launch:
    """A launch with its counts resolved for one machine."""

    blocks: int
    threads: int  # per block
    block_memory_bytes: int = 0


@dataclass(frozen=True)
class Buffer:
    """Memory of a case.

    dtype: a NumPy type name. count: elements. fill: the value written before every sample, or None to leave the
    contents. build: makes the contents once, given the array module (NumPy or CuPy); it must be deterministic.
    """

    dtype: str
    count: int
    fill: int | None = 0
    build: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Check:
    """What a timed launch must leave behind.

    buffer: the name of the buffer to look at. count: how many elements, `stride` elements apart.
    expected: the value of every one of them, or the name of the buffer that holds one value for each.
    exact: whether the operation promises it. A racing update promises nothing: what it loses is its result.
    """

    buffer: str
    count: int
    stride: int
    expected: int | str
    exact: bool = True


@dataclass(frozen=True)
class Benchmark:
    """A family of kernels of one experiment that share their axes.

    compile_axes: the axes that select an instance; their words are the arguments of the kernel file's macro, which
        is named like the benchmark in capitals.
    launch: the launch of a case on a machine.
    buffers: name to Buffer. arguments: the kernel's arguments in order, each a buffer's name or an integer.
    operations: logical operations of one launch. bytes: what it must at least move. issued: the atomics it issues,
        told whether the compiler aggregated them across the warp, or None where that is not known.
    cycles: the buffer of one uint64 in which the kernel leaves the clock cycles of what it timed itself, if it does.
    minimum_architecture: the least compute capability, as 90, that has what the instance needs. Builds for lesser
        ones leave it out, and on a GPU of one the case is unsupported.
    """

    name: str
    axes: tuple[Axis, ...]
    compile_axes: tuple[str, ...]
    rules: tuple[Rule, ...]
    launch: Callable[[Parameters, Machine], Launch]
    buffers: Callable[[Parameters, Launch], dict[str, Buffer]]
    arguments: Callable[[Parameters, Launch], list[str | int]]
    check: Callable[[Parameters, Launch], Check]
    operations: Callable[[Parameters, Launch], int]
    bytes: Callable[[Parameters, Launch], int] = lambda parameters, launch: 0
    issued: Callable[[Parameters, Launch, bool], int | None] = lambda parameters, launch, aggregated: None
    cycles: str | None = None
    minimum_architecture: Callable[[Parameters], int] = lambda parameters: 0

    @property
    def all_axes(self) -> tuple[Axis, ...]:
        return self.axes + MEASURING_AXES

    def kernel(self, parameters: Parameters) -> str:
        """The entry point's name: readable, and unique per instance."""
        return "__".join([self.name, "_".join(str(parameters[axis]) for axis in self.compile_axes)])

    def instance(self, parameters: Parameters) -> str:
        """The entry of the instance list that makes the kernel: a line, guarded if not every architecture has it."""
        words = [self.kernel(parameters), *(str(parameters[axis]) for axis in self.compile_axes)]
        line = f"{self.name.upper()}({', '.join(words)})"
        least = self.minimum_architecture(parameters)
        return f"#if __CUDA_ARCH__ >= {least}0\n{line}\n#endif" if least else line


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
