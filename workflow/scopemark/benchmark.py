"""What every benchmark declares, whatever it times, and what it may know of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scopemark.axes import Axis

Parameters = Mapping[str, Any]
"""One point of a grid: axis name to value, and `target_kind`, which is "gpu" or "cpu"."""


@dataclass(frozen=True)
class Rule:
    """A combination of values that makes no sense, and why. Excluded points are counted, never measured."""

    reason: str
    excludes: Callable[[Parameters], bool]


@dataclass(frozen=True)
class Machine:
    """What a case may know of the machine it will run on.

    attributes: the GPU's, by the names of the machine description (`scopemark.capabilities`); none for a CPU.
    """

    kind: str  # "gpu" or "cpu"
    processors: int  # streaming multiprocessors, or CPUs this process may use
    shared_bytes_per_block: int = 0  # the most a block may ask for
    architecture: int = 0  # compute capability as 90; 0 for a CPU
    attributes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """What one timed run of a case does. None where it is not known or means nothing.

    operations: logical operations. bytes: what it must at least move. issued: the atomics it issues.
    blocks, threads: of the launch, threads per block.
    """

    operations: int
    bytes: int | None = None
    issued: int | None = None
    blocks: int | None = None
    threads: int | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A family of cases that share their axes. `rules` leave out the points that make no sense."""

    name: str
    axes: tuple[Axis, ...]
    rules: tuple[Rule, ...]

    measuring_axes = ()
    """How a case is sampled. Part of every case, because it is part of what the number means."""

    measuring_rules = ()
    """Which ways of sampling make no sense for a case."""

    last = False
    """Whether its grids are measured after all others of the target, because they may harm the machine."""

    warning = ""
    """What they may do to it, in words."""

    @property
    def all_axes(self) -> tuple[Axis, ...]:
        return self.axes + self.measuring_axes

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        return self.rules + self.measuring_rules

    def entry(self, parameters: Parameters) -> str:
        """What is timed: the name of a kernel's entry point, or of a call."""
        raise NotImplementedError

    def kernels(self, parameters: Parameters) -> tuple[str, ...]:
        """The entry points that a case runs."""
        raise NotImplementedError

    def instance(self, parameters: Parameters) -> str:
        """The entry of the instance list that makes the case's kernel; empty if the file holds it anyway."""
        return ""

    def code(self) -> str:
        """What identifies the code of a case beside its kernels: empty, if there is no other."""
        return ""

    def lacking(self, parameters: Parameters, machine: Machine) -> str | None:
        """Why this machine cannot run a case, or None."""
        return None

    def skipped(self, parameters: Parameters, limits: Mapping[str, float]) -> str | None:
        """Why a case is not to be run under the configuration's limits, or None. It is asked before anything is."""
        return None

    def exact(self, parameters: Parameters, machine: Machine) -> bool:
        """Whether a case promises the result it is checked against."""
        raise NotImplementedError

    def work(self, parameters: Parameters, machine: Machine, aggregated: bool) -> Work:
        """The work of one timed run; `aggregated` is whether the compiler folds a warp's atomics into one."""
        raise NotImplementedError
