"""The stage with a GPU: CUDA's memory and hints beside the system's, kernels, copies, and the device's clock."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cupy

from scopemark.benchmark import Machine
from scopemark.kernel_benchmark import Launch
from scopemark.measure.backend import Unsupported
from scopemark.measure.held_stream import WARM_UP_NS, HeldStream
from scopemark.measure.shot import Shot
from scopemark.procedure import Timed
from scopemark.stage import calls, cuda_memory, host_memory
from scopemark.stage.allocators import HERE, no_access, no_hints
from scopemark.stage.memory import HOST, Memory
from scopemark.stage.stage import OUT, OUT_WORDS, Argument, Result, Stage
from scopemark.targets import usable_cpus

THREADS = 256
BLOCKS_PER_MULTIPROCESSOR = 8


class GpuStage(Stage):
    """One GPU beside the CPU. `cubin`: the experiment's kernels, `support`: the engine's own.

    device: the GPU's ordinal, which stands for it as a place of memory, as HOST does for the CPU.
    stream: the one that steps are queued in unless another is named.
    """

    def __init__(self, machine: Machine, device: int, library: Path, cubin: Path, support: Path):
        super().__init__(machine, library)
        self.device = device
        cupy.cuda.Device(device).use()
        self._module = cupy.RawModule(path=str(cubin))
        flush = cupy.empty(max(machine.attributes.get("l2_bytes", 0), 1), dtype=cupy.uint8)
        self._lane = HeldStream(cupy.RawModule(path=str(support)), flush, WARM_UP_NS)
        self.stream = self._lane.pointer
        self._streams: list[cupy.cuda.Stream] = []
        self._gpu_out = int(calls.call("cudaMalloc", 8 * OUT_WORDS))
        self._promised_only = True

    @property
    def machine_cpus(self) -> int:
        return usable_cpus()

    def _new(self, allocator: str, bytes: int) -> Memory:
        if allocator in HERE:
            return host_memory.allocate(allocator, bytes, self.library)
        try:
            return cuda_memory.allocate(allocator, bytes, self.device, self._module)
        except calls.CudaError as error:
            if error.name == "cudaErrorMemoryAllocation":
                raise MemoryError(f"{bytes} bytes from {allocator}: {error}") from None
            raise

    def streams(self, n: int) -> list[int]:
        """n streams besides `stream`; the same ones whenever they are asked for."""
        while len(self._streams) < n:
            self._streams.append(cupy.cuda.Stream(non_blocking=True))
        return [stream.ptr for stream in self._streams[:n]]

    # Kernels.

    @contextmanager
    def unpromised(self) -> Iterator[None]:
        """Within it, kernels are given memory that the attributes do not promise they may touch: for canaries alone."""
        self._promised_only = False
        try:
            yield
        finally:
            self._promised_only = True

    def _gpu_word(self, argument: Argument) -> int:
        if argument is OUT:
            return self._gpu_out
        if isinstance(argument, Memory):
            reason = no_access(argument.allocator, "gpu", self.machine.attributes)
            if reason is not None and self._promised_only:
                raise Unsupported(reason)
            return argument.on_gpu
        return argument % 2**64

    def _shot(self, kernel: str, arguments: tuple[Argument, ...], items: int, blocks: int, threads: int) -> Shot:
        self._check_entry(kernel)
        threads = threads or THREADS
        most = BLOCKS_PER_MULTIPROCESSOR * self.machine.processors
        blocks = blocks or max(1, min(most, -(-items // threads)))
        words = [self._gpu_word(argument) for argument in arguments]
        return Shot(self._module.get_function(kernel), Launch(blocks, threads), words)

    def launch(
        self, kernel: str, *arguments: Argument, items: int = 1, blocks: int = 0, threads: int = 0, stream: int = 0
    ) -> None:
        """Queue a kernel for `items` pieces of work, or with a shape of its own; `read_out` has what it reports."""
        self.ready(kernel, *arguments, items=items, blocks=blocks, threads=threads, stream=stream)()

    def ready(
        self, kernel: str, *arguments: Argument, items: int = 1, blocks: int = 0, threads: int = 0, stream: int = 0
    ) -> Callable[[], None]:
        """A launch made ready, for steps that the host clocks: to queue it is one call of the driver's."""
        shot = self._shot(kernel, arguments, items, blocks, threads)
        return lambda: shot.queue(stream or self.stream)

    def on_gpu(self, kernel: str, *arguments: Argument, items: int = 1, blocks: int = 0, threads: int = 0) -> Timed:
        """Run a kernel alone and wait for it: the device's time, without launch latency."""
        shot = self._shot(kernel, arguments, items, blocks, threads)
        self.clear_out()
        self.synchronize()
        with self._lane as lane:
            seconds, clock_hz, expired = lane.timed(lambda: shot.queue(lane.pointer))
        self.read_out()
        return Timed(seconds, clock_hz, discarded="the hold ended before the work was queued" if expired else "")

    def on_gpu_unheld(self, call: Callable[[], Result]) -> tuple[Timed, Result]:
        """Have a call queue CuPy's work in the stage's stream, and wait for it: the time, and what it returned.

        The time is the device's between two events around the call. Nothing is held, since the call may wait for the
        device halfway: what the host does meanwhile is in the time.
        """
        cupy.cuda.Device(self.device).synchronize()  # what CuPy has made in other streams is there
        returned: list[Result] = []
        with self._lane as lane:
            seconds = lane.unheld(lambda: returned.append(call()))
        return Timed(seconds), returned.pop()

    def load(self, *kernels: str) -> None:
        """Have kernels loaded, so that none is in a timed step."""
        for kernel in kernels:
            self._module.get_function(kernel)

    def clear_out(self) -> None:
        """Queue the zeroing of what kernels report."""
        calls.fill(self._gpu_out, 0, 8 * OUT_WORDS, self.stream)

    def read_out(self) -> list[int]:
        """What kernels have reported since it was zeroed, after all of them: also in `found`."""
        words = (ctypes.c_uint64 * OUT_WORDS)()
        self.synchronize()
        calls.call("cudaMemcpy", ctypes.addressof(words), self._gpu_out, 8 * OUT_WORDS, _DEVICE_TO_HOST)
        self.found = list(words)
        return self.found

    def synchronize(self, stream: int = 0) -> None:
        """Wait until a stream is done."""
        calls.synchronize(stream or self.stream)

    # Memory's place.

    def prefetch(self, memory: Memory, where: str | int, stream: int = 0) -> None:
        """Queue the migration of memory to HOST or to a GPU."""
        self._check_hints(memory)
        calls.prefetch(memory.address, memory.bytes, where, stream or self.stream)

    def advise(self, memory: Memory, advice: str, where: str | int = HOST) -> None:
        """Give advice on memory: SetReadMostly, SetPreferredLocation, SetAccessedBy, or Unset…"""
        self._check_hints(memory)
        calls.advise(memory.address, memory.bytes, advice, where)

    def range_attribute(self, memory: Memory, attribute: str) -> int:
        """What CUDA says of managed memory, as ReadMostly or PreferredLocation. CPUs are -1, no place -2."""
        return calls.range_attribute(memory.address, memory.bytes, attribute)

    def _check_hints(self, memory: Memory) -> None:
        if (reason := no_hints(memory.allocator, self.machine.attributes)) is not None:
            raise Unsupported(reason)

    def copy(self, to: Memory, source: Memory, bytes: int, kind: str = "Default", stream: int = 0) -> None:
        """Queue a copy of CUDA's: kind HostToDevice, DeviceToHost, DeviceToDevice, HostToHost or Default."""
        calls.copy(to.address, source.address, bytes, kind, stream or self.stream)

    def fill(self, memory: Memory, byte: int, bytes: int = 0, stream: int = 0) -> None:
        """Queue the setting of every byte of memory."""
        calls.fill(memory.address, byte, bytes or memory.bytes, stream or self.stream)


_DEVICE_TO_HOST = calls.runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
