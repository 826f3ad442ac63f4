"""Runs cases on a GPU: cubins, launched through CuPy into a stream that is held until the work is queued."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.axes import fixed_samples, single_shots
from scopemark.benchmark import Parameters
from scopemark.capabilities import gpu_machine
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch
from scopemark.measure.arena import Arena
from scopemark.measure.backend import Batch, Unsupported, check_block_memory
from scopemark.measure.held_stream import WARM_UP_NS, HeldStream
from scopemark.measure.placement import lay_out
from scopemark.measure.shot import Shot, Trigger

LANES = 8
"""Streams that the samples of a case take in turn.

Each stream, with its events, adds an offset of its own to what it times: up to 0.2 µs apart on an H200, and as constant
as the stream. One stream would report its offset as the kernel's time.
"""

CHECK_THREADS = 1024


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
    held: bool  # False for single shots
    own: cupy.ndarray | None  # the placement, where the arena is too small

    @property
    def bytes(self) -> int:
        """Memory that the case holds for itself."""
        return sum(array.nbytes for array in self.fixed.values()) + (self.own.nbytes if self.own is not None else 0)

    def close(self) -> None:
        """Nothing to do: the arrays go with this object."""


class GpuBackend:
    """One GPU. `cubin` is a kernel file's build, `support` that of the engine's kernels, `support_host` of its C++."""

    keep_bytes = 4 * 2**30

    def __init__(self, device: int, cubin: Path, support: Path, support_host: Path):
        self._device = cupy.cuda.Device(device)
        self._device.use()
        attributes = self._device.attributes
        self.machine = gpu_machine(device)
        self._default_shared_limit = attributes["MaxSharedMemoryPerBlock"]
        self._module = cupy.RawModule(path=str(cubin))
        self.support = cupy.RawModule(path=str(support))
        self._trigger = Trigger(support_host)
        flush = cupy.empty(max(attributes["L2CacheSize"], 1), dtype=cupy.uint8)
        self.lanes = [HeldStream(self.support, flush, WARM_UP_NS if lane == 0 else 1) for lane in range(LANES)]
        self._arena = Arena()

    def prepare(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str) -> PreparedGpu:
        launch = benchmark.launch(parameters, self.machine)
        function = self._function(kernel, launch)
        buffers = benchmark.buffers(parameters, launch)
        fixed = {name: buffer.build(cupy) for name, buffer in buffers.items() if buffer.build}
        buffers = {name: buffer for name, buffer in buffers.items() if not buffer.build}
        sizes = {name: buffer.count * np.dtype(buffer.dtype).itemsize for name, buffer in buffers.items()}
        offsets, size = lay_out(sizes)
        scratch = {name: (offset, buffers[name]) for name, offset in offsets.items()}
        check = benchmark.check(parameters, launch)
        dtype = np.dtype(scratch[check.buffer][1].dtype if check.buffer in scratch else fixed[check.buffer].dtype)
        shared = isinstance(check.expected, str)
        prepared = PreparedGpu(
            kernel=function,
            launch=launch,
            scratch=scratch,
            scratch_bytes=size,
            fixed=fixed,
            arguments=benchmark.arguments(parameters, launch),
            check=check,
            check_kernel=self.support.get_function(f"scopemark_check_{dtype.name}"),
            expected=None if shared else cupy.asarray(np.array([check.expected]).astype(dtype)),
            cold=parameters["cache"] == "cold",
            cycles=benchmark.cycles,
            walks=fixed_samples(parameters["sampling"]) is None,
            held=not single_shots(parameters["sampling"]),
            own=cupy.empty(size, dtype=cupy.uint8) if size > Arena.BYTES // 2 else None,
        )
        self._device.synchronize()  # what was built is there before our stream, which waits for nobody, reads it
        # Everything that a hold will precede has been loaded and run: a first launch may wait for the device.
        with self.lanes[0] as lane:
            places = self.place(prepared, lane, 0)
            self.launch(prepared, places)
            self._check(prepared, lane, places)
            lane.synchronize()
        return prepared

    def _function(self, kernel: str, launch: Launch) -> Any:
        check_block_memory(launch, self.machine)
        function = self._module.get_function(kernel)
        if launch.threads > function.attributes["max_threads_per_block"]:
            most = function.attributes["max_threads_per_block"]
            raise Unsupported(f"needs {launch.threads} threads per block; the kernel runs with at most {most}")
        if launch.block_memory_bytes > self._default_shared_limit:
            function.max_dynamic_shared_size_bytes = launch.block_memory_bytes
        return function

    def place(self, prepared: PreparedGpu, lane: HeldStream, index: int, reset: bool = True) -> dict[str, int]:
        """Lay out the memory of sample `index` and queue its reset; buffer name to device address."""
        if prepared.own is not None:
            base = prepared.own.data
        else:
            base = self._arena.pointer(index if prepared.walks else 0, prepared.scratch_bytes)
        places = {name: array.data.ptr for name, array in prepared.fixed.items()}
        for name, (offset, buffer) in prepared.scratch.items():
            pointer = base + offset
            places[name] = pointer.ptr
            if not reset:
                continue
            if buffer.fill == 0:
                runtime.memsetAsync(pointer.ptr, 0, buffer.count * np.dtype(buffer.dtype).itemsize, lane.pointer)
            elif buffer.fill is not None:
                cupy.ndarray(buffer.count, buffer.dtype, pointer).fill(buffer.fill)
        return places

    def launch(self, prepared: PreparedGpu, places: dict[str, int]) -> None:
        """Queue one launch on the current stream."""
        launch, arguments = prepared.launch, [np.uint64(value) for value in self._values(prepared, places)]
        prepared.kernel((launch.blocks,), (launch.threads,), arguments, shared_mem=launch.block_memory_bytes)

    @staticmethod
    def _values(prepared: PreparedGpu, places: dict[str, int]) -> list[int]:
        """The kernel's arguments as 64-bit words."""
        return [places[a] if isinstance(a, str) else a % 2**64 for a in prepared.arguments]

    def _check(self, prepared: PreparedGpu, lane: HeldStream, places: dict[str, int]) -> None:
        check = prepared.check
        each = prepared.expected is None
        arguments = (
            np.uint64(places[check.buffer]),
            np.uint64(places[check.expected] if each else prepared.expected.data.ptr),
            np.uint64(check.count),
            np.uint32(check.stride),
            np.uint32(each),
            np.uint64(lane.user_words[1]),
        )
        prepared.check_kernel((1,), (CHECK_THREADS,), arguments)

    def sample(self, prepared: PreparedGpu, first: int, n: int, warm_up: bool) -> Batch:
        floating = prepared.check_kernel.name.startswith("scopemark_check_float")
        batch = Batch()
        if warm_up:
            with self.lanes[0] as lane:
                self.launch(prepared, self.place(prepared, lane, first))
                lane.synchronize()
        for index in range(first, first + n):
            with self.lanes[index % LANES] as lane:
                places = self.place(prepared, lane, index)
                if prepared.cold:
                    lane.flush_l2()
                if prepared.held:
                    seconds, clock_hz, expired = lane.timed(
                        lambda places=places: self.launch(prepared, places),
                        lambda places=places, lane=lane: self._check(prepared, lane, places),
                    )
                else:
                    shot = Shot(prepared.kernel, prepared.launch, self._values(prepared, places))
                    seconds, clock_hz, expired = lane.single_shot(shot, self._trigger), None, False
                    self._check(prepared, lane, places)
                    lane.synchronize()
                words = lane.user_words[0]
                sums = words[1:3].view(np.float64 if floating else np.int64)
                batch.add(
                    seconds,
                    (int(words[0]), sums[0].item(), sums[1].item()),
                    clock_hz=clock_hz,
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
