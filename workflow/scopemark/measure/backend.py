"""What the GPU and the CPU have in common as places to run a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from scopemark.axes import cold_shots
from scopemark.benchmark import Benchmark, Machine, Parameters
from scopemark.kernel_benchmark import Launch
from scopemark.procedure import Procedure


class Unsupported(Exception):
    """This machine lacks what a case needs; the message says what."""


def check_block_memory(launch: Launch, machine: Machine) -> None:
    """Unsupported if a block asks for more shared memory than the GPU has."""
    asked, most = launch.block_memory_bytes, machine.shared_bytes_per_block
    if asked > most:
        raise Unsupported(f"needs {asked} bytes of shared memory per block; this GPU has {most}")


COLD_SHOTS = "cold_shots"


def backend_of(benchmark: Benchmark, parameters: Parameters) -> str:
    """What runs a case: one of the backends "procedures" and "kernels", or the program of the cold shots."""
    if isinstance(benchmark, Procedure):
        return "procedures"
    return COLD_SHOTS if cold_shots(parameters["sampling"]) else "kernels"


@dataclass
class Batch:
    """Samples of one case; the lists run parallel, one entry per sample.

    wrong: checked elements that differ. observed, expected: sums over the checked elements. cycles: what the kernel
    timed itself, in clock cycles. major_faults, minor_faults: page faults in the timed step. note: what a procedure
    has to tell of it.
    """

    seconds: list[float] = field(default_factory=list)
    clock_hz: list[float | None] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    observed: list[float] = field(default_factory=list)
    expected: list[float] = field(default_factory=list)
    cycles: list[int | None] = field(default_factory=list)
    major_faults: list[int | None] = field(default_factory=list)
    minor_faults: list[int | None] = field(default_factory=list)
    note: list[str | None] = field(default_factory=list)

    def add(
        self,
        seconds: float,
        check: tuple[int, float, float],
        clock_hz: float | None = None,
        discarded: str = "",
        cycles: int | None = None,
        faults: tuple[int | None, int | None] = (None, None),
        note: str = "",
    ) -> None:
        """Take in one sample; `check` is (wrong, observed, expected), `faults` (major, minor)."""
        self.seconds.append(seconds)
        self.clock_hz.append(clock_hz)
        self.discarded.append(discarded)
        self.cycles.append(cycles)
        self.major_faults.append(faults[0])
        self.minor_faults.append(faults[1])
        self.note.append(note or None)
        for values, value in zip((self.wrong, self.observed, self.expected), check, strict=True):
            values.append(value)


class Backend(Protocol):
    """A place to run cases one by one; cold shots are fired together, by a program of their own.

    What `prepare` returns is the backend's own; it has `bytes`, the memory it holds, and `close()`, to free it.
    keep_bytes: how much memory of prepared cases may stay allocated between their batches.
    """

    machine: Machine
    keep_bytes: int

    def prepare(self, benchmark: Benchmark, parameters: Parameters, kernel: str) -> Any:
        """Allocate, fill and launch once, untimed. Unsupported if this machine cannot."""

    def sample(self, prepared: Any, first: int, n: int, warm_up: bool) -> Batch:
        """Samples `first` to `first` + n - 1 of a case, each checked; before them one untimed if `warm_up`."""
