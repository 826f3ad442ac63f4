"""The first launches of a process, as a small program makes them: each kernel once, one after another, and no other.

The worker that opens this backend launches nothing else: memory is filled from the host, and checked there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.benchmark import Parameters
from scopemark.capabilities import gpu_machine
from scopemark.kernel_benchmark import Check, KernelBenchmark
from scopemark.measure.backend import Batch
from scopemark.measure.entry_point import entry_point
from scopemark.measure.host_check import host_check
from scopemark.measure.shot import Shot, Trigger

DEFAULT_STREAM = 0


@dataclass
class LoadedShot:
    """A launch that is loaded, and the memory that it works on."""

    shot: Shot
    memory: dict[str, cupy.cuda.MemoryPointer]  # by buffer, as the next two
    contents: dict[str, np.ndarray]  # before the launch
    reset: list[str]  # what must hold its contents again before every launch
    check: Check
    expected: np.ndarray  # one element, or one for each
    cycles: str | None
    flush: cupy.cuda.MemoryPointer | None  # overwritten before every launch, to empty the L2

    @property
    def bytes(self) -> int:
        """Memory that the case holds."""
        return sum(pointer.mem.size for pointer in self.memory.values())

    def close(self) -> None:
        """Nothing to do: the memory goes with this object."""


class ColdShots:
    """One GPU to a process that begins. `cubin` is a kernel file's build, `support_host` that of the engine's C++."""

    keep_bytes = 2**30

    def __init__(self, device: int, cubin: Path, support_host: Path):
        # All that is loaded is loaded before the first launch: loading is not what a launch costs.
        os.environ["CUDA_MODULE_LOADING"] = "EAGER"
        self._device = cupy.cuda.Device(device)
        self._device.use()
        self.machine = gpu_machine(device)
        self._module = cupy.RawModule(path=str(cubin))
        self._trigger = Trigger(support_host)
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()

    def prepare(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str) -> LoadedShot:
        launch = benchmark.launch(parameters, self.machine)
        function = entry_point(self._module, kernel, launch, self.machine)
        buffers = benchmark.buffers(parameters, launch)
        contents = {
            name: buffer.build(np) if buffer.build else np.full(buffer.count, buffer.fill or 0, buffer.dtype)
            for name, buffer in buffers.items()
        }
        arguments = benchmark.arguments(parameters, launch)
        memory = {name: cupy.cuda.alloc(contents[name].nbytes) for name in arguments if isinstance(name, str)}
        words = [memory[each].ptr if isinstance(each, str) else each % 2**64 for each in arguments]
        check = benchmark.check(parameters, launch)
        one = not isinstance(check.expected, str)
        loaded = LoadedShot(
            shot=Shot(function, launch, words),
            memory=memory,
            contents=contents,
            reset=[name for name in memory if buffers[name].fill is not None],
            check=check,
            expected=np.array([check.expected], contents[check.buffer].dtype) if one else contents[check.expected],
            cycles=benchmark.cycles,
            flush=cupy.cuda.alloc(self._device.attributes["L2CacheSize"]) if parameters["cache"] == "cold" else None,
        )
        for name in memory.keys() - loaded.reset:
            self._write(loaded, name)
        return loaded

    def sample(self, prepared: LoadedShot, first: int, n: int, warm_up: bool) -> Batch:
        batch = Batch()
        for _ in range(n):
            for name in prepared.reset:
                self._write(prepared, name)
            if prepared.flush:
                runtime.memset(prepared.flush.ptr, 0, prepared.flush.mem.size)
            self._trigger.fire(prepared.shot, DEFAULT_STREAM, self._begin.ptr, self._end.ptr)
            self._end.synchronize()
            batch.add(
                cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3,
                host_check(prepared.check, self._read(prepared, prepared.check.buffer), prepared.expected),
                cycles=int(self._read(prepared, prepared.cycles)[0]) if prepared.cycles else None,
            )
        return batch

    @staticmethod
    def _write(prepared: LoadedShot, name: str) -> None:
        """Give a buffer its contents; zeros as a program would, without a copy."""
        array, pointer = prepared.contents[name], prepared.memory[name]
        if array.any():
            runtime.memcpy(pointer.ptr, array.ctypes.data, array.nbytes, runtime.memcpyHostToDevice)
        else:
            runtime.memset(pointer.ptr, 0, array.nbytes)

    @staticmethod
    def _read(prepared: LoadedShot, name: str) -> np.ndarray:
        """What a buffer holds now."""
        found = np.empty_like(prepared.contents[name])
        runtime.memcpy(found.ctypes.data, prepared.memory[name].ptr, found.nbytes, runtime.memcpyDeviceToHost)
        return found
