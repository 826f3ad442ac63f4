"""Benchmarks that time one launch of one kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scopemark.axes import choice, cold_shots, sampling
from scopemark.benchmark import Benchmark, Machine, Parameters, Rule, Work


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


@dataclass(frozen=True, kw_only=True)
class KernelBenchmark(Benchmark):
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

    compile_axes: tuple[str, ...]
    launch: Callable[[Parameters, Machine], Launch]
    buffers: Callable[[Parameters, Launch], dict[str, Buffer]]
    arguments: Callable[[Parameters, Launch], list[str | int]]
    check: Callable[[Parameters, Launch], Check]
    operations: Callable[[Parameters, Launch], int]
    bytes: Callable[[Parameters, Launch], int] = lambda parameters, launch: 0
    issued: Callable[[Parameters, Launch, bool], int | None] = lambda parameters, launch, aggregated: None
    cycles: str | None = None
    minimum_architecture: Callable[[Parameters], int] = lambda parameters: 0

    measuring_axes = (
        choice("cache", ["cold", "warm"], "cold: the L2 is flushed before every sample; warm: it is left as it was"),
        sampling(
            "sampling",
            "adaptive",
            "adaptive: until the median's interval is narrow; best_of_N: exactly N samples, at one address; "
            "single_shots_N: N samples of a plain program's launch, its latency included; "
            "cold_shots_N: the only launch in each of N runs of a program that launches each such kernel once",
            ("best_of", "single_shots", "cold_shots"),
        ),
    )
    measuring_rules = (
        Rule(
            "cold shots are a GPU's: the threads of a CPU are there before the clock starts",
            lambda p: cold_shots(p["sampling"]) and p["target_kind"] == "cpu",
        ),
    )

    def entry(self, parameters: Parameters) -> str:
        """The entry point's name: readable, and unique per instance."""
        return "__".join([self.name, "_".join(str(parameters[axis]) for axis in self.compile_axes)])

    def kernels(self, parameters: Parameters) -> tuple[str, ...]:
        return (self.entry(parameters),)

    def instance(self, parameters: Parameters) -> str:
        """The entry of the instance list that makes the kernel: a line, guarded if not every architecture has it."""
        words = [self.entry(parameters), *(str(parameters[axis]) for axis in self.compile_axes)]
        line = f"{self.name.upper()}({', '.join(words)})"
        least = self.minimum_architecture(parameters)
        # The host's side of a program names every kernel, whatever the architecture.
        return f"#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= {least}0\n{line}\n#endif" if least else line

    def lacking(self, parameters: Parameters, machine: Machine) -> str | None:
        needed = self.minimum_architecture(parameters)
        if machine.kind != "gpu" or needed <= machine.architecture:
            return None
        return f"needs sm_{needed}; this GPU is sm_{machine.architecture}"

    def exact(self, parameters: Parameters, machine: Machine) -> bool:
        return self.check(parameters, self.launch(parameters, machine)).exact

    def work(self, parameters: Parameters, machine: Machine, aggregated: bool) -> Work:
        launch = self.launch(parameters, machine)
        return Work(
            operations=self.operations(parameters, launch),
            bytes=self.bytes(parameters, launch) or None,
            issued=self.issued(parameters, launch, aggregated),
            blocks=launch.blocks,
            threads=launch.threads,
        )
