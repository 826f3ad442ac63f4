"""Launches with as little of the host in between as a C++ program would have.

CuPy's own launch takes several microseconds. A Shot has its arguments made beforehand and goes to the driver directly.
Between two events even the microsecond that Python needs for a call would show: a Trigger makes the three calls in C++.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

from scopemark.kernel_benchmark import Launch


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


class Shot:
    """One launch made ready. `function` is the handle of the kernel; `words` are its arguments as 64-bit words."""

    def __init__(self, function: int, launch: Launch, words: list[int]):
        self._words = (ctypes.c_uint64 * max(len(words), 1))(*words)
        base, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        self.parameters = (ctypes.c_void_p * max(len(words), 1))(*(base + size * i for i in range(len(words))))
        self.function = ctypes.c_void_p(function)
        self.shape = (ctypes.c_uint * 3)(launch.blocks, launch.threads, launch.block_memory_bytes)
        blocks, threads, bytes = map(ctypes.c_uint, self.shape)
        one = ctypes.c_uint(1)
        self._shape = (blocks, one, one, threads, one, one, bytes)

    def queue(self, stream: int) -> None:
        """Launch in a stream. RuntimeError with the driver's error code if it fails."""
        code = _driver().cuLaunchKernel(self.function, *self._shape, ctypes.c_void_p(stream), self.parameters, None)
        if code:
            raise RuntimeError(f"the driver refused a launch: {code}")


class Trigger:
    """Fires shots between two events.

    fire: the engine's C++ that does. record, launch: what it calls, those of the driver or of the runtime (`of`).
    """

    def __init__(self, fire: Any, record: Any, launch: Any, of: str):
        self._fire, self._of = fire, of
        self._calls = [ctypes.cast(call, ctypes.c_void_p) for call in (record, launch)]

    @classmethod
    def of_driver(cls, support: Path) -> Trigger:
        """Shots of the driver's functions. `support` is the build of the engine's own host code."""
        driver = _driver()
        return cls(ctypes.CDLL(str(support)).scopemark_shot, driver.cuEventRecord, driver.cuLaunchKernel, "driver")

    @classmethod
    def of_runtime(cls, support: Path, runtime: ctypes.CDLL) -> Trigger:
        """Shots of the runtime's kernels, as a program of nvcc's launches them."""
        fire = ctypes.CDLL(str(support)).scopemark_runtime_shot
        return cls(fire, runtime.cudaEventRecord, runtime.cudaLaunchKernel, "runtime")

    def fire(self, shot: Shot, stream: int, begin: int, end: int) -> None:
        """Record, launch, record. RuntimeError with the error code if one of them fails."""
        handles = [ctypes.c_void_p(handle) for handle in (stream, begin, end)]
        code = self._fire(*self._calls, shot.function, shot.shape, shot.parameters, *handles)
        if code:
            raise RuntimeError(f"the {self._of} refused a single shot: {code}")
