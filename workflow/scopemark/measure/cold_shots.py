"""The first launches of a process, as a small CUDA program makes them: each kernel once, one after another, no other.

They go through the CUDA runtime and the default stream, and share one allocation. The worker that opens this backend
launches nothing else: memory is filled from the host, and checked there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.benchmark import Parameters
from scopemark.capabilities import gpu_machine
from scopemark.kernel_benchmark import Check, KernelBenchmark, Launch
from scopemark.measure.arena import lay_out
from scopemark.measure.backend import Batch, Unsupported
from scopemark.measure.cuda_runtime import RuntimeLibrary
from scopemark.measure.host_check import host_check
from scopemark.measure.shot import Shot, Trigger

DEFAULT_STREAM = 0


@dataclass
class ColdShot:
    """A launch that is not yet aimed: where the memory lies is known when it is fired."""

    kernel: int
    launch: Launch
    arguments: list[str | int]
    contents: dict[str, np.ndarray]  # by buffer: what it holds before the launch
    offsets: dict[str, int]  # of the buffers that the kernel is given
    check: Check
    expected: np.ndarray  # one element, or one for each
    cycles: str | None
    cold: bool
    bytes: int = 0  # device memory of its own

    def close(self) -> None:
        """Nothing to do: it holds nothing."""


class ColdShots:
    """One GPU to a process that begins. `cubin` is a kernel file's build, `support_host` that of the engine's C++."""

    keep_bytes = 0

    def __init__(self, device: int, cubin: Path, support_host: Path):
        self._device = cupy.cuda.Device(device)
        self._device.use()
        self.machine = gpu_machine(device)
        self._cubin, self._support = cubin, support_host
        self._memory: cupy.cuda.Memory | None = None
        self._flush: cupy.cuda.Memory | None = None
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()

    @cached_property
    def _library(self) -> RuntimeLibrary:
        return RuntimeLibrary(self._cubin)

    @cached_property
    def _trigger(self) -> Trigger:
        return Trigger.of_runtime(self._support, self._library.runtime)

    def prepare(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str) -> ColdShot:
        launch = benchmark.launch(parameters, self.machine)
        asked, attributes = launch.block_memory_bytes, self._device.attributes
        if asked > self.machine.shared_bytes_per_block:
            most = self.machine.shared_bytes_per_block
            raise Unsupported(f"needs {asked} bytes of shared memory per block; this GPU has {most}")
        function = self._library.kernel(kernel, asked if asked > attributes["MaxSharedMemoryPerBlock"] else 0)
        arguments = benchmark.arguments(parameters, launch)
        contents = {
            name: buffer.build(np) if buffer.build else np.full(buffer.count, buffer.fill or 0, buffer.dtype)
            for name, buffer in benchmark.buffers(parameters, launch).items()
        }
        offsets, size = lay_out({name: contents[name].nbytes for name in arguments if isinstance(name, str)})
        self._memory = _at_least(size, self._memory)
        cold = parameters["cache"] == "cold"
        if cold:
            self._flush = _at_least(attributes["L2CacheSize"], self._flush)
        check = benchmark.check(parameters, launch)
        one = not isinstance(check.expected, str)
        return ColdShot(
            kernel=function,
            launch=launch,
            arguments=arguments,
            contents=contents,
            offsets=offsets,
            check=check,
            expected=np.array([check.expected], contents[check.buffer].dtype) if one else contents[check.expected],
            cycles=benchmark.cycles,
            cold=cold,
        )

    def sample(self, prepared: ColdShot, first: int, n: int, warm_up: bool) -> Batch:
        places = {name: self._memory.ptr + offset for name, offset in prepared.offsets.items()}
        words = [places[each] if isinstance(each, str) else each % 2**64 for each in prepared.arguments]
        shot = Shot(prepared.kernel, prepared.launch, words)
        batch = Batch()
        for _ in range(n):
            for name, place in places.items():
                _write(prepared.contents[name], place)
            if prepared.cold:
                runtime.memset(self._flush.ptr, 0, self._flush.size)
            self._trigger.fire(shot, DEFAULT_STREAM, self._begin.ptr, self._end.ptr)
            self._end.synchronize()
            left = {name: _read(prepared.contents[name], place) for name, place in places.items()}
            batch.add(
                cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3,
                host_check(prepared.check, left[prepared.check.buffer], prepared.expected),
                cycles=int(left[prepared.cycles][0]) if prepared.cycles else None,
            )
        return batch


def _at_least(size: int, memory: cupy.cuda.Memory | None) -> cupy.cuda.Memory:
    """An allocation of that size: the one that there is, if it will do."""
    return memory if memory and memory.size >= size else cupy.cuda.Memory(size)


def _write(contents: np.ndarray, address: int) -> None:
    """Put an array into device memory; zeros as a program would, without a copy."""
    if contents.any():
        runtime.memcpy(address, contents.ctypes.data, contents.nbytes, runtime.memcpyHostToDevice)
    else:
        runtime.memset(address, 0, contents.nbytes)


def _read(like: np.ndarray, address: int) -> np.ndarray:
    """What device memory holds, as an array like another."""
    found = np.empty_like(like)
    runtime.memcpy(found.ctypes.data, address, found.nbytes, runtime.memcpyDeviceToHost)
    return found
