"""Runs cases on a GPU: cubins, launched through CuPy into a stream that is held until the work is queued."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.axes import best_of
from scopemark.experiment import Benchmark, Buffer, Check, Launch, Machine, Parameters
from scopemark.measure.backend import Batch, Unsupported

HOLD_LIMIT_NS = 2_000_000_000  # a hold that nobody ends; far longer than queueing ever takes
CHECK_THREADS = 1024
WARM_UP_NS = 200_000_000  # of spinning before the first sample, for the clocks to rise
ALIGNMENT = 256  # bytes, of each buffer within a placement


class Arena:
    """Memory in which every sample of a case has a place of its own.

    An L2 atomic's speed depends on the address, by several percent and for as long as the process lives: which slices
    serve it, and from how far. A case at one address would report that as its own. So the samples of a case walk
    through the arena, and all cases take the same walk.
    """

    BYTES = 256 * 2**20
    SLOT = 4096

    def __init__(self):
        self._memory = cupy.empty(self.BYTES, dtype=cupy.uint8)

    def pointer(self, index: int, bytes: int) -> cupy.cuda.MemoryPointer:
        """Where sample `index` of a case puts its `bytes`: multiples of the golden ratio spread evenly."""
        slots = max(1, (self.BYTES - bytes) // self.SLOT)
        return self._memory.data + int(index * 0.6180339887498949 % 1.0 * slots) * self.SLOT


@dataclass
class PreparedGpu:
    """A case ready to be launched. `scratch` is laid out anew, at another place, for every sample."""

    kernel: Any
    launch: Launch
    scratch: dict[str, tuple[int, Buffer]]  # name to offset within the placement
    scratch_bytes: int
    fixed: dict[str, cupy.ndarray]
    arguments: list[str | int]
    check: Check
    check_kernel: Any
    expected: cupy.ndarray | None  # None where another buffer holds it
    cold: bool
    cycles: str | None
    walks: bool  # through the arena; the book's way keeps one address
    own: cupy.ndarray | None  # the placement, where the arena is too small

    @property
    def bytes(self) -> int:
        """Memory that the case holds for itself."""
        return sum(array.nbytes for array in self.fixed.values()) + (self.own.nbytes if self.own is not None else 0)


class GpuBackend:
    """One GPU. `cubin` is a kernel file's build, `support` that of the engine's own kernels."""

    def __init__(self, device: int, cubin: Path, support: Path):
        self._device = cupy.cuda.Device(device)
        self._device.use()
        attributes = self._device.attributes
        self.machine = Machine("gpu", attributes["MultiProcessorCount"], attributes["MaxSharedMemoryPerBlockOptin"])
        self._default_shared_limit = attributes["MaxSharedMemoryPerBlock"]
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._module = cupy.RawModule(path=str(cubin))
        self._support = cupy.RawModule(path=str(support))
        self._hold = self._support.get_function("scopemark_hold")
        self._flush = cupy.empty(max(attributes["L2CacheSize"], 1), dtype=cupy.uint8)
        self._arena = Arena()
        # Host words that the device reads and writes in place: the hold's flag, its meter, and the check's result.
        self._words = cupy.cuda.alloc_pinned_memory(8 * 8)
        self._host = np.frombuffer(self._words, dtype=np.uint64, count=8)
        self._host[:] = 0
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        # Spins until its limit: the clocks are up, and the hold is loaded before it is ever waited for.
        with self._stream:
            self._start_hold(WARM_UP_NS)
        self._stream.synchronize()

    def _start_hold(self, limit_ns: int) -> None:
        self._host[0] = 0
        base = self._words.ptr
        self._hold((1,), (1,), (np.uint64(base), np.uint64(base + 8), np.uint64(limit_ns)))

    def prepare(self, benchmark: Benchmark, parameters: Parameters, kernel: str) -> PreparedGpu:
        launch = benchmark.launch(parameters, self.machine)
        function = self._function(kernel, launch)
        scratch, fixed, offset = {}, {}, 0
        for name, buffer in benchmark.buffers(parameters, launch).items():
            if buffer.build:
                fixed[name] = buffer.build(cupy)
            else:
                scratch[name] = (offset, buffer)
                offset += -(-buffer.count * np.dtype(buffer.dtype).itemsize // ALIGNMENT) * ALIGNMENT
        check = benchmark.check(parameters, launch)
        dtype = np.dtype(scratch[check.buffer][1].dtype if check.buffer in scratch else fixed[check.buffer].dtype)
        shared = isinstance(check.expected, str)
        prepared = PreparedGpu(
            kernel=function,
            launch=launch,
            scratch=scratch,
            scratch_bytes=offset,
            fixed=fixed,
            arguments=benchmark.arguments(parameters, launch),
            check=check,
            check_kernel=self._support.get_function(f"scopemark_check_{dtype.name}"),
            expected=None if shared else cupy.asarray(np.array([check.expected]).astype(dtype)),
            cold=parameters["cache"] == "cold",
            cycles=benchmark.cycles,
            walks=best_of(parameters["sampling"]) is None,
            own=cupy.empty(offset, dtype=cupy.uint8) if offset > Arena.BYTES // 2 else None,
        )
        self._device.synchronize()  # what was built is there before our stream, which waits for nobody, reads it
        # Everything that a hold will precede has been loaded and run: a first launch may wait for the device.
        with self._stream:
            places = self._place(prepared, 0)
            self._launch(prepared, places)
            self._check(prepared, places)
        self._stream.synchronize()
        return prepared

    def _function(self, kernel: str, launch: Launch) -> Any:
        if launch.block_memory_bytes > self.machine.shared_bytes_per_block:
            raise Unsupported(
                f"needs {launch.block_memory_bytes} bytes of shared memory per block; "
                f"this GPU has {self.machine.shared_bytes_per_block}"
            )
        function = self._module.get_function(kernel)
        if launch.threads > function.attributes["max_threads_per_block"]:
            most = function.attributes["max_threads_per_block"]
            raise Unsupported(f"needs {launch.threads} threads per block; the kernel runs with at most {most}")
        if launch.block_memory_bytes > self._default_shared_limit:
            function.max_dynamic_shared_size_bytes = launch.block_memory_bytes
        return function

    def _place(self, prepared: PreparedGpu, index: int) -> dict[str, int]:
        """Lay out and reset the memory of sample `index`; buffer name to device address."""
        if prepared.own is not None:
            base = prepared.own.data
        else:
            base = self._arena.pointer(index if prepared.walks else 0, prepared.scratch_bytes)
        places = {name: array.data.ptr for name, array in prepared.fixed.items()}
        for name, (offset, buffer) in prepared.scratch.items():
            pointer = base + offset
            places[name] = pointer.ptr
            if buffer.fill == 0:
                runtime.memsetAsync(
                    pointer.ptr, 0, buffer.count * np.dtype(buffer.dtype).itemsize, self._stream.ptr
                )
            elif buffer.fill is not None:
                cupy.ndarray(buffer.count, buffer.dtype, pointer).fill(buffer.fill)
        return places

    def _launch(self, prepared: PreparedGpu, places: dict[str, int]) -> None:
        launch = prepared.launch
        arguments = [np.uint64(places[a] if isinstance(a, str) else a % 2**64) for a in prepared.arguments]
        prepared.kernel((launch.blocks,), (launch.threads,), arguments, shared_mem=launch.block_memory_bytes)

    def _check(self, prepared: PreparedGpu, places: dict[str, int]) -> None:
        check = prepared.check
        each = prepared.expected is None
        arguments = (
            np.uint64(places[check.buffer]),
            np.uint64(places[check.expected] if each else prepared.expected.data.ptr),
            np.uint64(check.count),
            np.uint32(check.stride),
            np.uint32(each),
            np.uint64(self._words.ptr + 4 * 8),
        )
        prepared.check_kernel((1,), (CHECK_THREADS,), arguments)

    def sample(self, prepared: PreparedGpu, first: int, n: int, warm_up: bool) -> Batch:
        floating = prepared.check_kernel.name.startswith("scopemark_check_float")
        sums = self._host[5:7].view(np.float64 if floating else np.int64)
        batch = Batch()
        with self._stream:
            if warm_up:
                self._launch(prepared, self._place(prepared, first))
            for index in range(first, first + n):
                places = self._place(prepared, index)
                if prepared.cold:
                    runtime.memsetAsync(self._flush.data.ptr, 0, self._flush.nbytes, self._stream.ptr)
                self._start_hold(HOLD_LIMIT_NS)
                self._begin.record(self._stream)
                self._launch(prepared, places)
                self._end.record(self._stream)
                self._check(prepared, places)
                self._host[0] = 1
                self._stream.synchronize()
                cycles, nanoseconds, expired = (int(word) for word in self._host[1:4])
                batch.add(
                    cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3,
                    (int(self._host[4]), sums[0].item(), sums[1].item()),
                    clock_hz=cycles / nanoseconds * 1e9 if nanoseconds else None,
                    discarded="the hold ended before the work was queued" if expired else "",
                    cycles=self._read(places[prepared.cycles]) if prepared.cycles else None,
                )
        return batch

    @staticmethod
    def _read(address: int) -> int:
        """One uint64 of device memory."""
        word = np.empty(1, dtype=np.uint64)
        runtime.memcpy(word.ctypes.data, address, word.nbytes, runtime.memcpyDeviceToHost)
        return int(word[0])
