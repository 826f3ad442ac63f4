"""Runs cases on CPU threads: the host build of a kernel file, loaded in process."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scopemark.benchmark import Machine, Parameters
from scopemark.kernel_benchmark import Check, KernelBenchmark, Launch
from scopemark.measure.backend import Batch, Unsupported
from scopemark.measure.host_check import expected_values, host_check
from scopemark.targets import usable_cpus

ALIGNMENT = 4096  # counters start on a page, so that the stride alone decides who shares a cache line


@dataclass
class PreparedCpu:
    """A case ready to be launched."""

    kernel: ctypes.c_void_p
    launch: Launch
    arrays: dict[str, np.ndarray]
    fills: list[tuple[np.ndarray, int]]  # arrays to reset before every launch, and to what
    words: np.ndarray  # the kernel's arguments
    check: Check
    expected: np.ndarray  # one element, or one for each
    cycles: str | None

    @property
    def bytes(self) -> int:
        """Memory that the case holds."""
        return sum(array.nbytes for array in self.arrays.values())

    def close(self) -> None:
        """Nothing to do: the arrays go with this object."""


class CpuBackend:
    """The CPU target. `library` is the host build of one kernel file."""

    keep_bytes = 2**30

    def __init__(self, library: Path):
        self.machine = Machine("cpu", usable_cpus())
        self._library = ctypes.CDLL(str(library))
        self._launch = self._library.scopemark_launch
        self._launch.restype = ctypes.c_double
        self._launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_size_t]

    def prepare(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str) -> PreparedCpu:
        launch = benchmark.launch(parameters, self.machine)
        threads = launch.blocks * launch.threads
        if threads > self.machine.processors:
            # Threads that wait for a core would measure the scheduler.
            raise Unsupported(f"needs {threads} CPUs; {self.machine.processors} may be used here")
        arrays, fills = {}, []
        for name, buffer in benchmark.buffers(parameters, launch).items():
            arrays[name] = _aligned(buffer.count, buffer.dtype)
            if buffer.build:
                arrays[name][:] = buffer.build(np)
            if buffer.fill is not None:
                fills.append((arrays[name], buffer.fill))
        check = benchmark.check(parameters, launch)
        words = [
            arrays[argument].ctypes.data if isinstance(argument, str) else argument % 2**64
            for argument in benchmark.arguments(parameters, launch)
        ]
        prepared = PreparedCpu(
            kernel=ctypes.cast(getattr(self._library, kernel), ctypes.c_void_p),
            launch=launch,
            arrays=arrays,
            fills=fills,
            words=np.array(words, dtype=np.uint64),
            check=check,
            expected=expected_values(check, arrays),
            cycles=benchmark.cycles,
        )
        self._run(prepared)
        return prepared

    def _run(self, prepared: PreparedCpu) -> float:
        for array, value in prepared.fills:
            array[:] = value
        launch = prepared.launch
        words = prepared.words.ctypes.data
        return self._launch(prepared.kernel, words, launch.blocks, launch.threads, launch.block_memory_bytes)

    def sample(self, prepared: PreparedCpu, first: int, n: int, warm_up: bool) -> Batch:
        if warm_up:
            self._run(prepared)
        batch = Batch()
        for _ in range(n):
            seconds = self._run(prepared)
            cycles = int(prepared.arrays[prepared.cycles][0]) if prepared.cycles else None
            left = host_check(prepared.check, prepared.arrays[prepared.check.buffer], prepared.expected)
            batch.add(seconds, left, cycles=cycles)
        return batch


def _aligned(count: int, dtype: str) -> np.ndarray:
    """An uninitialised array of `count` elements that starts on a page."""
    bytes = count * np.dtype(dtype).itemsize
    raw = np.empty(bytes + ALIGNMENT, dtype=np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset : offset + bytes].view(dtype)
