"""Hints by name, the calls that each means, and turns of the two processors that keep to one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scopemark.benchmark import Parameters
from scopemark.experiments.unified_memory.placing import place
from scopemark.experiments.unified_memory.words import OTHER, Words
from scopemark.procedure import Timed
from scopemark.stage import Stage
from scopemark.stage.memory import Memory

NEAR, AWAY = "near", "away"


@dataclass(frozen=True)
class Hint:
    """What a program does about memory beside using it.

    advice: calls that are made once, each with its place. prefetch: NEAR before a processor's first pass over data that
    the other one had, to it; AWAY before every pass, to the other one; or nothing.
    """

    advice: tuple[tuple[str, str], ...] = ()
    prefetch: str = ""


_READ_MOSTLY = ("SetReadMostly", "cpu")  # the place is ignored
_PREFERRED_GPU, _PREFERRED_HOST = ("SetPreferredLocation", "gpu"), ("SetPreferredLocation", "cpu")
_BY_GPU, _BY_HOST = ("SetAccessedBy", "gpu"), ("SetAccessedBy", "cpu")

HINTS = {
    "none": Hint(),
    "prefetch": Hint(prefetch=NEAR),
    "read_mostly": Hint((_READ_MOSTLY,)),
    "read_mostly_prefetch": Hint((_READ_MOSTLY,), NEAR),
    "preferred_gpu": Hint((_PREFERRED_GPU,)),
    "preferred_gpu_prefetch": Hint((_PREFERRED_GPU,), NEAR),
    "preferred_host": Hint((_PREFERRED_HOST,)),
    "accessed_by_gpu": Hint((_BY_GPU,)),
    "preferred_host_accessed_by_gpu": Hint((_PREFERRED_HOST, _BY_GPU)),
    "accessed_by_host": Hint((_BY_HOST,)),
    "preferred_gpu_accessed_by_host": Hint((_PREFERRED_GPU, _BY_HOST)),
    "prefetch_away": Hint(prefetch=AWAY),
}


def give(stage: Stage, memory: Memory, hint: str) -> None:
    """Give a hint's advice."""
    for advice, processor in HINTS[hint].advice:
        stage.advise(memory, advice, place(stage, processor))


def take_back(stage: Stage, memory: Memory, hint: str) -> None:
    """Undo a hint's advice, the last piece first: an allocator may hand the same addresses out again."""
    for advice, processor in reversed(HINTS[hint].advice):
        stage.advise(memory, advice.replace("Set", "Unset"), place(stage, processor))


def needs_hints(parameters: Parameters) -> bool:
    """Whether a case gives a hint at all."""
    return HINTS[parameters["hint"]] != Hint()


def together(steps: Iterable[Timed]) -> Timed:
    """Steps that followed each other as one: the sum of their seconds on the host's clock, and of their page faults."""
    steps = list(steps)
    faults = (sum(getattr(step, name) or 0 for step in steps) for name in ("major_faults", "minor_faults"))
    return Timed(sum(step.seconds for step in steps), None, *faults)


def turn(words: Words, hint: str, processor: str, operation: str, passes: int = 1) -> Timed:
    """The host's time of a processor's passes over words that the other one had, with the prefetches of a hint.

    It begins and ends with nothing queued. The CPU waits for a prefetch before it goes on; the GPU's passes are queued
    one behind the other. Creating the CPU's threads is not in the time.
    """
    stage, prefetch = words.stage, HINTS[hint].prefetch
    other = OTHER[processor]
    # Where the words are brought before each pass, if anywhere.
    targets = [other if prefetch == AWAY else processor if prefetch == NEAR and n == 0 else "" for n in range(passes)]

    def bring(target: str) -> None:
        if target:
            stage.prefetch(words.memory, place(stage, target))

    def on_gpu() -> None:
        for target in targets:
            bring(target)
            words.queue(operation)
        stage.synchronize()

    def await_it(target: str) -> None:
        bring(target)
        stage.synchronize()

    if processor == "gpu":
        return stage.clocked(on_gpu)
    steps = []
    for target in targets:
        if target:
            steps.append(stage.clocked(lambda target=target: await_it(target)))
        steps.append(words.sweep("cpu", operation))
    return together(steps)
