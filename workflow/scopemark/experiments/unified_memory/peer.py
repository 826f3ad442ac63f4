"""Two GPUs at the same memory: through peer access, through managed memory, and adding to one word at once.

The other one is the next by ordinal. The current device is changed for single calls alone, never over a sample.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Machine, Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, size_axis
from scopemark.experiments.unified_memory.counter import GPU_BLOCKS, GPU_THREADS, PAGE, together, took
from scopemark.experiments.unified_memory.words import SWEEPS, UNIT, Words
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
ALREADY = "cudaErrorPeerAccessAlreadyEnabled"


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
        with self._device:
            self._stream = cupy.cuda.Stream(non_blocking=True)

    def allocate(self, bytes: int) -> Memory:
        with self._device:
            address = int(self._call("cudaMalloc", bytes))
        return Memory("device", address, bytes, lambda: self._call("cudaFree", address))

    def queue(self, kernel: str, *arguments: object, **shape: int) -> None:
        with self._device:
            self.stage.launch(kernel, *arguments, **shape, stream=self._stream.ptr)

    def write(self, memory: Memory, seed: int) -> None:
        units = memory.bytes // UNIT
        self.queue("write_dense", memory, units, seed, items=units)
        self.synchronize()

    def synchronize(self) -> None:
        self.stage.synchronize(self._stream.ptr)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    other = _Other(stage)
    if p["way"] == "system_atomics":
        yield from _atomics(stage, other)
    elif p["way"].startswith("peer_"):
        yield from _peer(p, stage, other)
    else:
        yield from _managed(p, stage, other)


def _peer(p: Parameters, stage: Stage, other: _Other) -> Iterator[Measured]:
    """This GPU reads, or writes, what cudaMalloc gave the other."""
    from scopemark.stage import calls

    bytes, units = p["size_bytes"], p["size_bytes"] // UNIT
    if not calls.call("cudaDeviceCanAccessPeer", stage.device, other.ordinal):
        raise Unsupported(f"GPU {stage.device} cannot reach the memory of GPU {other.ordinal}")
    enabled = _enable(other.ordinal)
    memory = other.allocate(bytes)
    copy = stage.allocate("pinned", bytes)
    seed = 1
    try:
        while True:
            seed += 2
            other.write(memory, seed)
            if p["way"] == "peer_read":
                timed = stage.on_gpu("read_dense", memory, units, OUT, items=units)
                yield checked(timed, stage.found[0], Words(stage, memory, seed=seed).expected)
                continue
            timed = stage.on_gpu("write_dense", memory, units, seed + 1, items=units)
            stage.copy(copy, memory, bytes)
            stage.synchronize()
            yield Words(stage, copy, seed=seed + 1).inspected(timed, "cpu")
    finally:
        memory.release()
        if enabled:
            calls.call("cudaDeviceDisablePeerAccess", other.ordinal)


def _enable(other: int) -> bool:
    """Let the current GPU reach the other's memory; whether it could not before."""
    from scopemark.stage import calls

    try:
        calls.call("cudaDeviceEnablePeerAccess", other, 0)
    except calls.CudaError as error:
        if error.name != ALREADY:
            raise
        return False
    return True


def _managed(p: Parameters, stage: Stage, other: _Other) -> Iterator[Measured]:
    """The other GPU writes managed memory, and this one updates it: it migrates, or is reached where it is."""
    units = p["size_bytes"] // UNIT
    seed = 1
    while True:
        seed += 1
        memory = stage.allocate("managed", p["size_bytes"])
        if p["way"] == "preferred_other":
            stage.advise(memory, "SetPreferredLocation", other.ordinal)
            stage.advise(memory, "SetAccessedBy", stage.device)
        other.write(memory, seed)
        timed = stage.on_gpu("update_dense", memory, units, 1, items=units)
        yield Words(stage, memory, seed=seed + 1).inspected(timed, "cpu")
        memory.release()


def _atomics(stage: Stage, other: _Other) -> Iterator[Measured]:
    """Both add to one word of managed memory at once."""
    started = stage.allocate("pinned", PAGE)
    shape = {"blocks": GPU_BLOCKS, "threads": GPU_THREADS}
    while True:
        memory = stage.allocate("managed", PAGE)
        memory.words()[0] = 0
        started.words()[:4] = 0
        other.queue("count_system", memory, ADDS, started, 0, 2, **shape)
        stage.launch("count_system", memory, ADDS, started, 1, 2, **shape)
        stage.synchronize()
        other.synchronize()
        found = int(memory.words()[0])
        yield checked(took(started, 2), found, 2 * GPU_BLOCKS * GPU_THREADS * ADDS, note=together(started))
        memory.release()


PEER = Procedure(
    name="peer",
    axes=(
        choice("way", list(WAYS), "what the two GPUs do"),
        size_axis(),
    ),
    rules=(
        CPU_RULE,
        Rule("words are swept in units of 16 bytes", lambda p: p["size_bytes"] % UNIT != 0),
    ),
    run=_run,
    uses=lambda p: (*SWEEPS, "count_system"),
    times=lambda p: WAYS[p["way"]],
    missing=_missing,
    operations=lambda p: 2 * GPU_BLOCKS * GPU_THREADS * ADDS if p["way"] == "system_atomics" else p["size_bytes"] // 4,
    bytes=lambda p: {"peer_read": 1, "peer_write": 1, "system_atomics": 0}.get(p["way"], 2) * p["size_bytes"],
)
