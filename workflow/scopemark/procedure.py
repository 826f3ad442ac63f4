"""Benchmarks that time one step of a sequence: allocate, touch, advise, prefetch, launch, copy, and look.

What a step costs depends on the steps before it, so that a sequence is written as what it is: a function that walks
through it once per sample. It is a generator. What comes before its first `yield` is preparation; every `yield` hands
over one sample; the stage gives back what it allocated when the generator is closed.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopemark.axes import sampling
from scopemark.benchmark import Benchmark, Machine, Parameters, Work

if TYPE_CHECKING:
    from scopemark.stage import Stage

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Timed:
    """What one step took.

    seconds: of the device's time for a kernel that ran alone, of the host's for anything else. clock_hz: the SM clock
    just before, where it was metered. major_faults, minor_faults: page faults of this process meanwhile; a fault that
    migrates a page to the CPU counts as a major one. discarded: why the sample must not count, or empty.
    """

    seconds: float
    clock_hz: float | None = None
    major_faults: int | None = None
    minor_faults: int | None = None
    discarded: str = ""


@dataclass(frozen=True)
class Measured:
    """One sample: the timed step, and what was found when its data were looked at afterwards.

    wrong: elements, or sums, that differ. observed, expected: what was summed up, and what it must be. note: what else
    there is to tell of this sample, for the table.
    """

    timed: Timed
    wrong: int
    observed: float
    expected: float
    note: str = ""


def checked(timed: Timed, observed: float, expected: float, wrong: int | None = None, note: str = "") -> Measured:
    """A sample checked by one sum; `wrong` where the elements were counted."""
    return Measured(timed, int(observed != expected) if wrong is None else wrong, observed, expected, note)


@dataclass(frozen=True, kw_only=True)
class Procedure(Benchmark):
    """A family of sequences of one experiment.

    run: the sequence. It is given the stage, which allocates, launches and keeps the clocks.
    uses: the entry points it launches; the stage refuses any other. times: what is timed, a kernel or a call.
    missing: why a machine cannot run a case, or None; it is asked before anything is touched.
    held_bytes: the memory that a case holds from its preparation to its end.
    operations: logical operations of the timed step. bytes: what it must at least move; 0 where that means nothing.
    promises: whether the data must be right; a race promises nothing.
    """

    run: Callable[[Parameters, Stage], Iterator[Measured]]
    uses: Callable[[Parameters], tuple[str, ...]]
    times: Callable[[Parameters], str]
    missing: Callable[[Parameters, Machine], str | None]
    operations: Callable[[Parameters], int]
    bytes: Callable[[Parameters], int] = lambda parameters: 0
    held_bytes: Callable[[Parameters], int] = lambda parameters: parameters.get("size_bytes", 0)
    promises: Callable[[Parameters], bool] = lambda parameters: True

    measuring_axes = (
        sampling(
            "sampling",
            "adaptive",
            "adaptive: until the median's interval is narrow; best_of_N: exactly N samples; "
            "single_shots_N: N samples of a call as a plain program makes it, its latency included",
        ),
    )

    def entry(self, parameters: Parameters) -> str:
        return self.times(parameters)

    def kernels(self, parameters: Parameters) -> tuple[str, ...]:
        return self.uses(parameters)

    def code(self) -> str:
        """Of the sequence, of what it takes from its experiment, and of the stage it runs on."""
        return _code(Path(inspect.getsourcefile(self.run)))

    def lacking(self, parameters: Parameters, machine: Machine) -> str | None:
        return self.missing(parameters, machine)

    def exact(self, parameters: Parameters, machine: Machine) -> bool:
        return self.promises(parameters)

    def work(self, parameters: Parameters, machine: Machine, aggregated: bool) -> Work:
        return Work(operations=self.operations(parameters), bytes=self.bytes(parameters) or None)


@functools.cache
def _code(path: Path) -> str:
    files = experiment_sources(path) | set((ROOT / "scopemark" / "stage").glob("*.py"))
    return " ".join(module_code(str(file)) for file in sorted(files))


def experiment_sources(path: Path, seen: frozenset[Path] = frozenset()) -> set[Path]:
    """A module's file, and those of the modules of `scopemark.experiments` that it imports, near or far."""
    found = {path}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scopemark.experiments."):
            file = ROOT.joinpath(*node.module.split(".")).with_suffix(".py")
            if file.exists() and file not in seen | found:
                found |= experiment_sources(file, seen | found)
    return found


@functools.cache
def module_code(path: str) -> str:
    """16 hex digits that change when a Python file's code does, and not when its comments, docstrings or layout do."""
    tree = ast.parse(Path(path).read_text())
    for node in ast.walk(tree):
        body: Any = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            del body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]
