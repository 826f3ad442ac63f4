"""Two GPUs at the same memory: through peer access, through managed memory, and adding to one word at once.

The other one is the next by ordinal. The current device is changed for single calls alone, never over a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, PAGE, UNITS_RULE, size_axis
from scopemark.experiments.unified_memory.counter import GPU_BLOCKS, GPU_THREADS, together, took
from scopemark.experiments.unified_memory.placing import BLOCK
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, WORD, Words
from scopemark.measure.backend import Unsupported
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_hints, no_memory
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

WAYS = {
    "peer_read": "read_dense",
    "peer_write": "write_dense",
    "managed_both": "update_dense",
    "preferred_other": "update_dense",
    "system_atomics": "count_system",
}
ADDS = 10_000  # by each thread of each GPU


def _adds() -> int:
    """The adds of both GPUs."""
    return 2 * GPU_BLOCKS * GPU_THREADS * ADDS


def _missing(p: Parameters, machine: Machine) -> str | None:
    gpus = machine.attributes.get("gpus", 1)
    if gpus < 2:
        return f"needs two GPUs; there is {gpus}"
    if p["way"].startswith("peer_"):
        return None
    if p["way"] == "preferred_other" and (reason := no_hints("managed", machine.attributes)) is not None:
        return reason
    if p["way"] == "system_atomics" and not machine.attributes.get("concurrent_managed_access"):
        return "concurrent_managed_access is 0: two GPUs' atomics on one word of managed memory are not promised"
    return no_memory("managed", p["size_bytes"], machine)


class _Other:
    """The other GPU, with a stream. What it is given to do is done on return, but for `queue`."""

    def __init__(self, stage: Stage):
        import cupy

        from scopemark.stage import calls

        self.stage, self._call = stage, calls.call
        self.ordinal = (stage.device + 1) % stage.machine.attributes["gpus"]
        self._device = cupy.cuda.Device(self.ordinal)
        with self._current():
            self._stream = cupy.cuda.Stream(non_blocking=True)

    @contextmanager
    def _current(self) -> Iterator[None]:
        """It is the current device, to CuPy and to the bindings, which may each have a runtime of their own."""
        with self._device:
            self._call("cudaSetDevice", self.ordinal)
            try:
                yield
            finally:
                self._call("cudaSetDevice", self.stage.device)

    def allocate(self, bytes: int) -> Memory:
        with self._current():
            address = int(self._call("cudaMalloc", bytes))
        return Memory("device", address, bytes, lambda: self._free(address))

    def _free(self, address: int) -> None:
        with self._current():
            self._call("cudaFree", address)

    def queue(self, kernel: str, *arguments: object, **shape: int) -> None:
        with self._current():
            self.stage.launch(kernel, *arguments, **shape, stream=self._stream.ptr)

    def write(self, memory: Memory, seed: int) -> None:
        units = memory.bytes // UNIT
        self.queue("write_dense", memory, units, seed, items=units)
        self.synchronize()

    def synchronize(self) -> None:
        with self._current():
            self.stage.synchronize(self._stream.ptr)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    from scopemark.stage import calls

    other = _Other(stage)
    reach = bool(calls.call("cudaDeviceCanAccessPeer", stage.device, other.ordinal))
    if p["way"].startswith("peer_") and not reach:
        raise Unsupported(f"GPU {stage.device} cannot reach the memory of GPU {other.ordinal}")
    sample = _atomics if p["way"] == "system_atomics" else _peer if p["way"].startswith("peer_") else _managed
    for seed in count(1, 4):
        # Opened for one sample alone: other cases are taken in between, and find the GPUs as they were.
        with _reaching(other.ordinal) if reach else nullcontext():
            measured = sample(p, stage, other, seed)
        yield measured


@contextmanager
def _reaching(other: int) -> Iterator[None]:
    """The current GPU can reach the other's memory, as long as it could not before."""
    from scopemark.stage import calls

    try:
        calls.call("cudaDeviceEnablePeerAccess", other, 0)
    except calls.CudaError as error:
        if error.name != "cudaErrorPeerAccessAlreadyEnabled":
            raise
        yield
        return
    try:
        yield
    finally:
        calls.call("cudaDeviceDisablePeerAccess", other)


def _peer(p: Parameters, stage: Stage, other: _Other, seed: int) -> Measured:
    """This GPU reads, or writes, what cudaMalloc gave the other."""
    bytes, units = p["size_bytes"], p["size_bytes"] // UNIT
    memory, copy = other.allocate(bytes), stage.allocate("pinned", bytes)
    other.write(memory, seed)
    if p["way"] == "peer_read":
        timed = stage.on_gpu("read_dense", memory, units, OUT, items=units)
        measured = checked(timed, stage.found[0], Words(stage, memory, seed=seed).expected)
    else:
        timed = stage.on_gpu("write_dense", memory, units, seed + 1, items=units)
        stage.copy(copy, memory, bytes)
        stage.synchronize()
        measured = Words(stage, copy, seed=seed + 1).inspected(timed, "cpu")
    memory.release()
    copy.release()
    return measured


def _managed(p: Parameters, stage: Stage, other: _Other, seed: int) -> Measured:
    """The other GPU writes managed memory, and this one updates it: it migrates, or is reached where it is."""
    units = p["size_bytes"] // UNIT
    memory = stage.allocate("managed", p["size_bytes"])
    if p["way"] == "preferred_other":
        stage.advise(memory, "SetPreferredLocation", other.ordinal)
        stage.advise(memory, "SetAccessedBy", stage.device)
    other.write(memory, seed)
    timed = stage.on_gpu("update_dense", memory, units, 1, items=units)
    measured = Words(stage, memory, seed=seed + 1).inspected(timed, "cpu")
    memory.release()
    return measured


def _atomics(p: Parameters, stage: Stage, other: _Other, seed: int) -> Measured:
    """Both add to one word of managed memory at once."""
    word, started = stage.allocate("managed", BLOCK), stage.allocate("pinned", PAGE)
    word.words()[0] = 0
    started.words()[:4] = 0
    shape = {"blocks": GPU_BLOCKS, "threads": GPU_THREADS}
    other.queue("count_system", word, ADDS, started, 0, 2, **shape)
    stage.launch("count_system", word, ADDS, started, 1, 2, **shape)
    stage.synchronize()
    other.synchronize()
    found, timed, note = int(word.words()[0]), took(started, 2), together(started)
    word.release()
    started.release()
    return checked(timed, found, _adds(), note=note)


PEER = Procedure(
    name="peer",
    axes=(
        choice("way", list(WAYS), "what the two GPUs do"),
        size_axis(),
    ),
    rules=(CPU_RULE, UNITS_RULE),
    run=_run,
    uses=lambda p: (*SWEEPS, "count_system"),
    times=lambda p: WAYS[p["way"]],
    missing=_missing,
    operations=lambda p: _adds() if p["way"] == "system_atomics" else p["size_bytes"] // WORD,
    bytes=lambda p: {"peer_read": 1, "peer_write": 1, "system_atomics": 0}.get(p["way"], 2) * p["size_bytes"],
)
