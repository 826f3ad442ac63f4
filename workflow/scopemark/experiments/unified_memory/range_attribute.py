"""Does the driver say what it was told? Each hint is given to fresh memory, and all four attributes are asked for.

`nothing` also tells whether memory that is given back takes what was advised along: it is often the same addresses.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopemark.axes import choice
from scopemark.benchmark import Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, no_hint
from scopemark.experiments.unified_memory.hints import give
from scopemark.experiments.unified_memory.placing import BLOCK, apart, place
from scopemark.experiments.unified_memory.words import SWEEPS, Words, setup_threads
from scopemark.procedure import Measured, Procedure
from scopemark.stage import Stage

CPU, NOWHERE = -1, -2  # as CUDA answers; a GPU is its ordinal

UNSET = {"ReadMostly": 0, "PreferredLocation": NOWHERE, "AccessedBy": NOWHERE, "LastPrefetchLocation": NOWHERE}
"""The attributes, and what they are where nothing was set."""

SETTINGS = {
    "nothing": ("PreferredLocation", ""),
    "read_mostly": ("ReadMostly", ""),
    "preferred_gpu": ("PreferredLocation", "gpu"),
    "preferred_host": ("PreferredLocation", "cpu"),
    "accessed_by_gpu": ("AccessedBy", "gpu"),
    "accessed_by_host": ("AccessedBy", "cpu"),
    "prefetched_to_gpu": ("LastPrefetchLocation", "gpu"),
    "prefetched_to_host": ("LastPrefetchLocation", "cpu"),
}
"""The attribute that a setting changes, and whose memory it names."""


def expected(setting: str, device: int) -> dict[str, int]:
    """What the attributes must be, on memory of GPU `device`'s."""
    attribute, processor = SETTINGS[setting]
    told = {"gpu": device, "cpu": CPU, "": UNSET[attribute] if setting == "nothing" else 1}[processor]
    return UNSET | {attribute: told}


def _said(attribute: str, answer: int) -> str:
    where = {CPU: "host", NOWHERE: "nowhere"}.get(answer, f"GPU {answer}")
    return f"{attribute} {answer if attribute == 'ReadMostly' else where}"


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    attribute, processor = SETTINGS[p["setting"]]
    must = expected(p["setting"], stage.device)
    while True:
        memory = apart(stage, "managed", BLOCK)
        Words(stage, memory).write("cpu", 1, threads=setup_threads(stage))
        if p["setting"].startswith("prefetched"):
            stage.prefetch(memory, place(stage, processor))
            stage.synchronize()
        elif p["setting"] != "nothing":
            give(stage, memory, p["setting"])
        timed = stage.clocked(lambda memory=memory: stage.range_attribute(memory, attribute))
        answers = {name: stage.range_attribute(memory, name) for name in UNSET}
        wrong = sum(answers[name] != must[name] for name in UNSET)
        memory.release()
        note = ", ".join(_said(*answer) for answer in answers.items())
        yield Measured(timed, wrong, answers[attribute], must[attribute], note)


RANGE_ATTRIBUTE = Procedure(
    name="range_attribute",
    axes=(choice("setting", list(SETTINGS), "what is set, or done, before the driver is asked"),),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: SWEEPS,
    times=lambda p: "cudaMemRangeGetAttribute",
    missing=lambda p, machine: no_hint("managed", BLOCK, machine),
    operations=lambda p: 1,
    held_bytes=lambda p: 0,
)
