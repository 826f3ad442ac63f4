"""Quantities over the build tables: what the compiler made of two ways of writing one operation. No GPU is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopemark.benchmark import Benchmark
from scopemark.experiment import Experiment
from scopemark.quantities import Condition, plain, select


@dataclass(frozen=True)
class CodePair:
    """Two kernels of one architecture that differ in the varied words, and the instructions of each.

    same: the architecture and the words they share.
    """

    a: Mapping[str, Any]
    b: Mapping[str, Any]
    same: Mapping[str, Any]

    @property
    def agree(self) -> bool:
        """Whether the same instructions perform the operation; how often each is unrolled does not matter."""
        return set(_instructions(self.a)) == set(_instructions(self.b))


def _instructions(kernel: Mapping[str, Any]) -> list[str]:
    return (plain(kernel["instruction"]) or "").split()


def kernel_words(benchmark: Benchmark, kernel: str) -> dict[str, str] | None:
    """The words of a kernel's name, by compile axis; None if it is not a kernel of this benchmark.

    A word may itself hold the separator, as atomic_ref does: the axes say which ways of cutting the name make sense.
    """
    prefix, _, name = kernel.partition("__")
    if prefix != benchmark.name:
        return None
    axes = {axis.name: axis for axis in benchmark.all_axes}
    found = _cut(name.split("_"), [axes[axis] for axis in benchmark.compile_axes])
    return dict(zip(benchmark.compile_axes, found, strict=True)) if found is not None else None


def _cut(parts: Sequence[str], axes: Sequence) -> list[str] | None:
    """The parts joined to one accepted word per axis; None if there is no such way."""
    if not axes:
        return [] if not parts else None
    for length in range(1, len(parts) - len(axes) + 2):
        word = "_".join(parts[:length])
        value = int(word) if word.isdigit() else word
        if axes[0].accepts(value) and (rest := _cut(parts[length:], axes[1:])) is not None:
            return [word, *rest]
    return None


def with_words(kernels: Iterable[Mapping[str, Any]], benchmark: Benchmark) -> list[dict[str, Any]]:
    """The kernels of a benchmark, each row with the words of its name beside its columns."""
    named = ((kernel, kernel_words(benchmark, kernel["kernel"])) for kernel in kernels)
    return [{**kernel, **words, "benchmark": benchmark.name} for kernel, words in named if words is not None]


def code_pairs(
    kernels: Sequence[Mapping[str, Any]], benchmark: Benchmark, a: Condition, b: Condition
) -> list[CodePair]:
    """The pairs of kernels of one toolchain, given with their words, one meeting `a` and the other `b`."""
    shared = ["architecture", *(axis for axis in benchmark.compile_axes if axis not in {*a, *b})]

    def key(kernel: Mapping[str, Any]) -> tuple:
        return tuple(kernel[name] for name in shared)

    partners: dict[tuple, list] = {}
    for kernel in select(kernels, b):
        partners.setdefault(key(kernel), []).append(kernel)
    return [
        CodePair(kernel, other, dict(zip(shared, key(kernel), strict=True)))
        for kernel in select(kernels, a)
        for other in partners.get(key(kernel), [])
        if other["kernel"] != kernel["kernel"]
    ]


def both_builds(
    device: Sequence[Mapping[str, Any]], host: Sequence[Mapping[str, Any]], experiment: Experiment, where: Condition
) -> list[dict[str, Any]]:
    """The (benchmark, api) whose kernels stand in both builds, with the number of kernels in each.

    Which instances a build holds follows from the grids, so the two lists need not name the same ones: what both
    builds share is the template, one per benchmark and API.
    """
    found = []
    for benchmark in experiment.benchmarks:
        sides = [select(with_words(side, benchmark), where) for side in (device, host)]
        apis = [{kernel["api"] for kernel in side} for side in sides]
        for api in sorted(apis[0] & apis[1]):
            counts = [sum(kernel["api"] == api for kernel in side) for side in sides]
            found.append({"benchmark": benchmark.name, "api": api, "device": counts[0], "host": counts[1]})
    return found
