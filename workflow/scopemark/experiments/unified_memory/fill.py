"""What cudaMemsetAsync costs on each kind of memory, touched before or not. Time is the host's, until it is done."""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Parameters, Rule
from scopemark.experiments.unified_memory.common import CPU_RULE, UNITS_RULE, size_axis
from scopemark.experiments.unified_memory.placing import bring, destination_axis, new_memory
from scopemark.experiments.unified_memory.words import SWEEPS, WORD, Words, setup_threads
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_memory


def filled_sum(bytes: int, byte: int) -> int:
    """The sum of the words of memory whose every byte is the same.

    >>> filled_sum(8, 1) == 2 * 0x01010101
    True
    """
    return bytes // WORD * (byte * 0x01010101)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    toucher = {"populated_gpu": "gpu", "populated_cpu": "cpu"}.get(p["destination"])
    looker = "cpu" if p["memory"] == "pinned" else "gpu"
    memory, byte = new_memory(stage, p["memory"], p["size_bytes"]), 0
    while True:
        words = Words(stage, memory, threads=setup_threads(stage))
        byte = byte % 255 + 1  # never zero, which fresh memory may hold anyway
        if toucher:
            bring(stage, memory, toucher)
            words.write(toucher, seed=1, threads=words.threads)
        stage.synchronize()
        timed = stage.clocked(lambda memory=memory, byte=byte: (stage.fill(memory, byte), stage.synchronize()))
        words.sweep(looker, "read")
        yield checked(timed, stage.found[0], filled_sum(p["size_bytes"], byte))
        if not toucher:
            memory.release()
            memory = new_memory(stage, p["memory"], p["size_bytes"])


FILL = Procedure(
    name="fill",
    axes=(
        choice("memory", ["managed", "device", "pinned"], "where the memory comes from"),
        destination_axis("populated_gpu", "populated_cpu", "unpopulated"),
        size_axis(),
    ),
    rules=(
        CPU_RULE,
        UNITS_RULE,
        Rule(
            "cudaMalloc gives memory that lies with the GPU",
            lambda p: p["memory"] == "device" and p["destination"] != "populated_gpu",
        ),
        Rule(
            "cudaHostAlloc gives memory that lies with the CPU",
            lambda p: p["memory"] == "pinned" and p["destination"] != "populated_cpu",
        ),
    ),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: "cudaMemsetAsync",
    missing=lambda p, machine: no_memory(p["memory"], p["size_bytes"], machine),
    operations=lambda p: p["size_bytes"] // WORD,
    bytes=lambda p: p["size_bytes"],
)
