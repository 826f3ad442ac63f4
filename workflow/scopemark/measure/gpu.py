"""Runs cases on a GPU: cubins, launched through CuPy into a stream that is held until the work is queued."""

from __future__ import annotations

from pathlib import Path

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.experiment import Benchmark, Machine, Parameters
from scopemark.measure.backend import Batch, Prepared, Unsupported, worst

HOLD_LIMIT_NS = 2_000_000_000  # a hold that nobody ends; far longer than queueing ever takes
CHECK_THREADS = 1024
WARM_UP_NS = 200_000_000  # of spinning before the first sample, for the clocks to rise


class GpuBackend:
    """One GPU. `cubin` is a kernel file's build, `support` that of the engine's own kernels."""

    def __init__(self, device: int, cubin: Path, support: Path):
        self._device = cupy.cuda.Device(device)
        self._device.use()
        attributes = self._device.attributes
        self.machine = Machine(
            "gpu", attributes["MultiProcessorCount"], attributes["MaxSharedMemoryPerBlockOptin"]
        )
        self._static_shared_limit = attributes["MaxSharedMemoryPerBlock"]
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._stream.use()
        self._module = cupy.RawModule(path=str(cubin))
        self._support = cupy.RawModule(path=str(support))
        self._hold = self._support.get_function("scopemark_hold")
        self._flush = cupy.empty(max(attributes["L2CacheSize"], 1), dtype=cupy.uint8)
        # Host words that the device reads and writes in place: the hold's flag, its meter, and the check's result.
        self._words = cupy.cuda.alloc_pinned_memory(8 * 8)
        self._host = np.frombuffer(self._words, dtype=np.uint64, count=8)
        self._host[:] = 0
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        # Spins until its limit: the clocks are up, and the hold is loaded before it is ever waited for.
        self._start_hold(WARM_UP_NS)
        self._stream.synchronize()

    def _start_hold(self, limit_ns: int) -> None:
        self._host[0] = 0
        base = self._words.ptr
        self._hold((1,), (1,), (np.uint64(base), np.uint64(base + 8), np.uint64(limit_ns)))

    def prepare(self, benchmark: Benchmark, parameters: Parameters, kernel: str) -> Prepared:
        launch = benchmark.launch(parameters, self.machine)
        if launch.block_memory_bytes > self.machine.shared_bytes_per_block:
            raise Unsupported(
                f"needs {launch.block_memory_bytes} bytes of shared memory per block; "
                f"this GPU has {self.machine.shared_bytes_per_block}"
            )
        function = self._module.get_function(kernel)
        if launch.threads > function.max_threads_per_block:
            raise Unsupported(f"needs {launch.threads} threads per block; the kernel runs {function.max_threads_per_block}")
        if launch.block_memory_bytes > self._static_shared_limit:
            function.max_dynamic_shared_size_bytes = launch.block_memory_bytes
        arrays, fills = {}, []
        for name, buffer in benchmark.buffers(parameters, launch).items():
            arrays[name] = buffer.build(cupy) if buffer.build else cupy.empty(buffer.count, dtype=buffer.dtype)
            if buffer.fill is not None:
                fills.append((arrays[name], buffer.fill))
        check = benchmark.check(parameters, launch)
        observed = arrays[check.buffer]
        if isinstance(check.expected, str):
            expected = arrays[check.expected]
        else:
            expected = cupy.asarray(np.array([check.expected]).astype(observed.dtype))
        arguments = [
            np.uint64(arrays[argument].data.ptr) if isinstance(argument, str) else np.uint64(argument % 2**64)
            for argument in benchmark.arguments(parameters, launch)
        ]
        prepared = Prepared(
            kernel=function,
            launch=launch,
            arrays=arrays,
            fills=fills,
            arguments=arguments,
            check=check,
            expected=expected,
            cold=parameters["cache"] == "cold",
            bytes=sum(array.nbytes for array in arrays.values()),
            extra={"check": self._support.get_function(f"scopemark_check_{observed.dtype.name}")},
        )
        # Everything that a hold will precede has been loaded and run: a first launch may wait for the device.
        self._reset(prepared)
        self._launch(prepared)
        self._check(prepared)
        self._stream.synchronize()
        return prepared

    def _reset(self, prepared: Prepared) -> None:
        for array, value in prepared.fills:
            array.fill(value)

    def _launch(self, prepared: Prepared) -> None:
        launch = prepared.launch
        prepared.kernel((launch.blocks,), (launch.threads,), prepared.arguments, shared_mem=launch.block_memory_bytes)

    def _check(self, prepared: Prepared) -> None:
        check = prepared.check
        arguments = (
            prepared.arrays[check.buffer],
            prepared.expected,
            np.uint64(check.count),
            np.uint32(check.stride),
            np.uint32(isinstance(check.expected, str)),
            np.uint64(self._words.ptr + 4 * 8),
        )
        prepared.extra["check"]((1,), (CHECK_THREADS,), arguments)

    def sample(self, prepared: Prepared, n: int, warm_up: bool) -> Batch:
        if warm_up:
            self._reset(prepared)
            self._launch(prepared)
        seconds, clocks, discarded, checks = [], [], [], []
        integer = prepared.arrays[prepared.check.buffer].dtype.kind != "f"
        sums = self._host[5:7].view(np.int64 if integer else np.float64)
        for _ in range(n):
            self._reset(prepared)
            if prepared.cold:
                runtime.memsetAsync(self._flush.data.ptr, 0, self._flush.nbytes, self._stream.ptr)
            self._start_hold(HOLD_LIMIT_NS)
            self._begin.record(self._stream)
            self._launch(prepared)
            self._end.record(self._stream)
            self._check(prepared)
            self._host[0] = 1
            self._stream.synchronize()
            seconds.append(cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3)
            cycles, nanoseconds, expired = (int(word) for word in self._host[1:4])
            clocks.append(cycles / nanoseconds * 1e9 if nanoseconds else None)
            discarded.append("the hold ended before the work was queued" if expired else "")
            checks.append((int(self._host[4]), sums[0].item(), sums[1].item()))
        return Batch(seconds, clocks, discarded, worst(checks))
