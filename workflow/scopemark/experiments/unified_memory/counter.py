"""One word that the CPU's threads and the GPU's add to at once: what is lost, and what it takes.

Both begin when the other is there. Each of the CPU's threads makes CPU_SHARE times as many adds as one of the GPU's, so
that the two are busy for about as long. For what part of the time both were is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scopemark.axes import choice, integer
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, PAGE, WARP, allocator_axis, cannot_touch, family
from scopemark.experiments.unified_memory.placing import BLOCK
from scopemark.procedure import Measured, Procedure, Timed, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_access, no_sharing_in_time
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

CPU, GPU = 0, 1  # the parties' places among the words they meet at
CPU_THREADS = 2
CPU_SHARE = 32
GPU_BLOCKS, GPU_THREADS = 4, WARP
PARTIES = {"both": ("cpu", "gpu"), "gpu": ("gpu",), "cpu": ("cpu",)}


def bytes_for_a_word(p: Parameters) -> int:
    """A page, or where the driver treats a block as one, a block: what it remembers of that ends with it."""
    return BLOCK if family(p) == "managed" else PAGE


def total(p: Parameters) -> int:
    """The adds of all threads."""
    adds = {"cpu": CPU_THREADS * CPU_SHARE * p["adds"], "gpu": GPU_BLOCKS * GPU_THREADS * p["adds"]}
    return sum(adds[party] for party in PARTIES[p["parties"]])


def took(started: Memory, parties: int) -> Timed:
    """The time of the party that added longest, by its own clock. Discarded if two parties did not meet."""
    nanoseconds = [int(word) for word in started.words()[2:4]]
    met = sum(ns > 0 for ns in nanoseconds) == parties
    return Timed(max(nanoseconds) * 1e-9, discarded="" if met else "the two did not meet")


def together(started: Memory) -> str:
    """For what part of the longer one's time both parties added, in quarters."""
    shorter, longer = sorted(int(word) for word in started.words()[2:4])
    return f"both added for {round(4 * shorter / longer) * 25 if longer else 0} % of the time"


def _missing(p: Parameters, machine: Machine) -> str | None:
    parties = PARTIES[p["parties"]]
    reasons = [cannot_touch(p["allocator"], party, bytes_for_a_word(p), machine, atomic=True) for party in parties]
    if len(parties) == 2:
        reasons.append(no_sharing_in_time(p["allocator"], machine.attributes))
    return next(filter(None, reasons), None)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    parties = PARTIES[p["parties"]]
    kernel = f"count_{p['scope']}"
    on_cpu = no_access(p["allocator"], "cpu", stage.machine.attributes) is None
    started = stage.allocate("pinned", PAGE)
    stage.load(kernel)
    while True:
        # Anew for every sample: the driver remembers pages that both have touched.
        memory = stage.allocate(p["allocator"], bytes_for_a_word(p))
        if on_cpu:
            memory.words()[0] = 0
        else:
            stage.fill(memory, 0, 4)
            stage.synchronize()
        started.words()[:4] = 0
        faults = Timed(0.0)  # of the CPU's adds; not counted where it adds nothing
        if "gpu" in parties:
            shape = {"blocks": GPU_BLOCKS, "threads": GPU_THREADS}
            stage.launch(kernel, memory, p["adds"], started, GPU, len(parties), **shape)
        if "cpu" in parties:
            faults = stage.on_cpu(
                kernel, memory, CPU_SHARE * p["adds"], started, CPU, len(parties), threads=CPU_THREADS
            )
        stage.synchronize()
        timed = replace(took(started, len(parties)), major_faults=faults.major_faults, minor_faults=faults.minor_faults)
        note = together(started) if len(parties) == 2 else ""
        yield checked(timed, _found(stage, memory, on_cpu), total(p), note=note)
        memory.release()


def _found(stage: Stage, memory: Memory, on_cpu: bool) -> int:
    if on_cpu:
        return int(memory.words()[0])
    stage.on_gpu("read_words", memory, 1, 1, OUT)
    return stage.found[0]


@dataclass(frozen=True, kw_only=True)
class _Counter(Procedure):
    def exact(self, p: Parameters, machine: Machine) -> bool:
        """One processor alone loses nothing. Two at once need system scope, and memory where it reaches both."""
        if p["parties"] != "both":
            return True
        paged = family(p) in ("managed", "system")
        return p["scope"] == "system" and (paged or bool(machine.attributes.get("host_native_atomic_supported")))


COUNTER = _Counter(
    name="counter",
    axes=(
        allocator_axis(),
        choice("scope", ["system", "device"], "the scope of the adds"),
        choice("parties", list(PARTIES), "who adds"),
        integer(
            "adds", 1000, 1, 10**6, f"by each of the GPU's threads; {CPU_SHARE} times as many by each of the CPU's"
        ),
    ),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: (f"count_{p['scope']}", "read_words"),
    times=lambda p: f"count_{p['scope']}",
    missing=_missing,
    operations=total,
    held_bytes=bytes_for_a_word,
)
