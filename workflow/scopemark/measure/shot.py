"""A launch between two events with as little of the host in between as Python allows.

A C++ program that records an event, launches and records another leaves a few microseconds of launch latency between
the events. CuPy's own launch would leave three times as much, so the three calls go to the driver directly, with their
arguments made beforehand.
"""

from __future__ import annotations

import ctypes
import functools
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
        self._parameters = (ctypes.c_void_p * max(len(words), 1))(*(base + size * i for i in range(len(words))))
        self._function = ctypes.c_void_p(kernel.kernel.ptr)
        self._shape = [ctypes.c_uint(n) for n in (launch.blocks, 1, 1, launch.threads, 1, 1, launch.block_memory_bytes)]

    def queue(self, stream: int) -> None:
        """Launch in a stream. RuntimeError with the driver's error code if it fails."""
        code = _driver().cuLaunchKernel(self._function, *self._shape, ctypes.c_void_p(stream), self._parameters, None)
        if code:
            raise RuntimeError(f"the driver refused a launch: {code}")

    def fire(self, stream: int, begin: int, end: int) -> None:
        """Record, launch, record. RuntimeError with the driver's error code if one of them fails."""
        record, launch = _driver().cuEventRecord, _driver().cuLaunchKernel
        handles = [ctypes.c_void_p(handle) for handle in (stream, begin, end)]
        codes = (
            record(handles[1], handles[0]),
            launch(self._function, *self._shape, handles[0], self._parameters, None),
            record(handles[2], handles[0]),
        )
        if any(codes):
            raise RuntimeError(f"the driver refused a single shot: {codes}")
