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
    """One launch made ready. `kernel` is CuPy's; `words` are its arguments as 64-bit words."""

    def __init__(self, kernel: Any, launch: Launch, words: list[int]):
        self._words = (ctypes.c_uint64 * max(len(words), 1))(*words)
        base, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        self.parameters = (ctypes.c_void_p * max(len(words), 1))(*(base + size * i for i in range(len(words))))
        self.function = ctypes.c_void_p(kernel.kernel.ptr)
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
    """Fires shots between two events. `library` is the build of the engine's own host code."""

    def __init__(self, library: Path):
        self._shot = ctypes.CDLL(str(library)).scopemark_shot
        calls = _driver().cuEventRecord, _driver().cuLaunchKernel
        self._calls = [ctypes.cast(call, ctypes.c_void_p) for call in calls]

    def fire(self, shot: Shot, stream: int, begin: int, end: int) -> None:
        """Record, launch, record. RuntimeError with the driver's error code if one of them fails."""
        handles = [ctypes.c_void_p(handle) for handle in (stream, begin, end)]
        code = self._shot(*self._calls, shot.function, shot.shape, shot.parameters, *handles)
        if code:
            raise RuntimeError(f"the driver refused a single shot: {code}")
