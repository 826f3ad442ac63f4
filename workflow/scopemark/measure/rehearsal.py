"""Runs procedures: each is prepared and walked through once untimed, and then once for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scopemark.benchmark import Machine, Parameters
from scopemark.capabilities import gpu_machine
from scopemark.measure.backend import Batch, Unsupported
from scopemark.procedure import Measured, Procedure
from scopemark.stage.memory import Memory
from scopemark.stage.stage import Stage
from scopemark.targets import usable_cpus


@dataclass
class Rehearsed:
    """A procedure that is ready to give samples. owned: the memory that it has allocated."""

    stage: Stage
    steps: Iterator[Measured]
    kernels: tuple[str, ...]
    bytes: int
    owned: list[Memory] = field(default_factory=list)

    def next(self) -> Measured:
        """One sample."""
        with self.stage.owner(self.owned, self.kernels):
            return next(self.steps)

    def close(self) -> None:
        """End the procedure, and give back what it has not."""
        with self.stage.owner(self.owned, self.kernels):
            self.steps.close()
        while self.owned:
            self.owned.pop().release()


class StageBackend:
    """A stage as a place to run cases."""

    keep_bytes = 2**29  # beside the case in hand: managed memory stays well below 2 GiB

    def __init__(self, stage: Stage):
        self._stage = stage
        self.machine: Machine = stage.machine

    def prepare(self, benchmark: Procedure, parameters: Parameters, kernel: str) -> Rehearsed:
        if (reason := benchmark.missing(parameters, self.machine)) is not None:
            raise Unsupported(reason)
        steps = benchmark.run(parameters, self._stage)
        case = Rehearsed(self._stage, steps, benchmark.uses(parameters), benchmark.held_bytes(parameters))
        try:
            case.next()  # loads what is loaded on first use, and warms up what there is to warm up
        except (Unsupported, MemoryError):
            case.close()
            raise
        return case

    def sample(self, prepared: Rehearsed, first: int, n: int, warm_up: bool) -> Batch:
        batch = Batch()
        for _ in range(n):
            measured = prepared.next()
            timed = measured.timed
            batch.add(
                timed.seconds,
                (measured.wrong, measured.observed, measured.expected),
                clock_hz=timed.clock_hz,
                discarded=timed.discarded,
                faults=(timed.major_faults, timed.minor_faults),
                note=measured.note,
            )
        return batch


def open_stage_backend(request: dict[str, Any]) -> StageBackend:
    """The stage that a worker's opening request asks for."""
    if request["kind"] == "cpu":
        return StageBackend(Stage(Machine("cpu", usable_cpus()), Path(request["binary"])))
    from scopemark.stage.gpu_stage import GpuStage

    device = request["device"]
    machine = gpu_machine(device)
    files = (Path(request[name]) for name in ("host", "binary", "support"))
    return StageBackend(GpuStage(machine, device, *files))
