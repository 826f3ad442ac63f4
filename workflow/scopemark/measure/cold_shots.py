"""The first launches of a process, as a small program makes them: each kernel once, one after another, and no other.

The worker that opens this backend launches nothing else: memory is filled from the host, and checked there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.benchmark import Parameters
from scopemark.capabilities import gpu_machine
from scopemark.kernel_benchmark import Check, KernelBenchmark, Launch
from scopemark.measure.arena import Arena, lay_out
from scopemark.measure.backend import Batch, Unsupported
from scopemark.measure.entry_point import entry_point
from scopemark.measure.host_check import host_check
from scopemark.measure.shot import Shot, Trigger

DEFAULT_STREAM = 0


@dataclass
class LoadedShot:
    """A launch that is loaded, but not yet aimed: where its memory lies, every shot decides anew."""

    function: Any
    launch: Launch
    arguments: list[str | int]
    contents: dict[str, np.ndarray]  # by buffer: what it holds before the launch
    offsets: dict[str, int]  # of the buffers that the kernel is given
    size: int  # bytes, of all of them
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
        # All that is loaded is loaded before the first launch: loading is not what a launch costs.
        os.environ["CUDA_MODULE_LOADING"] = "EAGER"
        chosen = cupy.cuda.Device(device)
        chosen.use()
        self.machine = gpu_machine(device)
        self._module = cupy.RawModule(path=str(cubin))
        self._trigger = Trigger(support_host)
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        self._flush = cupy.cuda.alloc(max(chosen.attributes["L2CacheSize"], 1))
        self._arena = Arena()

    def prepare(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str) -> LoadedShot:
        launch = benchmark.launch(parameters, self.machine)
        function = entry_point(self._module, kernel, launch, self.machine)
        arguments = benchmark.arguments(parameters, launch)
        contents = {
            name: buffer.build(np) if buffer.build else np.full(buffer.count, buffer.fill or 0, buffer.dtype)
            for name, buffer in benchmark.buffers(parameters, launch).items()
        }
        given = [argument for argument in arguments if isinstance(argument, str)]
        offsets, size = lay_out({name: contents[name].nbytes for name in given})
        if size > Arena.BYTES:
            raise Unsupported(f"needs {size} bytes of memory; a cold shot has {Arena.BYTES}")
        check = benchmark.check(parameters, launch)
        one = not isinstance(check.expected, str)
        return LoadedShot(
            function=function,
            launch=launch,
            arguments=arguments,
            contents=contents,
            offsets=offsets,
            size=size,
            check=check,
            expected=np.array([check.expected], contents[check.buffer].dtype) if one else contents[check.expected],
            cycles=benchmark.cycles,
            cold=parameters["cache"] == "cold",
        )

    def sample(self, prepared: LoadedShot, first: int, n: int, warm_up: bool) -> Batch:
        batch = Batch()
        for index in range(first, first + n):
            base = self._arena.pointer(index, prepared.size).ptr
            places = {name: base + offset for name, offset in prepared.offsets.items()}
            words = [places[each] if isinstance(each, str) else each % 2**64 for each in prepared.arguments]
            shot = Shot(prepared.function, prepared.launch, words)
            for name, place in places.items():
                _write(prepared.contents[name], place)
            if prepared.cold:
                runtime.memset(self._flush.ptr, 0, self._flush.mem.size)
            self._trigger.fire(shot, DEFAULT_STREAM, self._begin.ptr, self._end.ptr)
            self._end.synchronize()
            left = {name: _read(prepared.contents[name], place) for name, place in places.items()}
            batch.add(
                cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3,
                host_check(prepared.check, left[prepared.check.buffer], prepared.expected),
                cycles=int(left[prepared.cycles][0]) if prepared.cycles else None,
            )
        return batch


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
