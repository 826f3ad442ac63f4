"""Answers on memory that several use: both processors in turns and at once, and several processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scopemark.quantities import USABLE
from scopemark.report.memory import (
    Case,
    Cases,
    Question,
    Sentence,
    Unknown,
    each,
    per_second,
    ratio,
    size,
    times,
    took,
    way,
)

SPIKE = 1.5  # times what the first and the last turn take, for a turn to be worth a word


def _ping_pong(cases: Cases) -> str:
    found = cases.measured("ping_pong", hint="none", allocator="managed")
    turns = sorted((one for one in found if one["size_bytes"] == found[0]["size_bytes"]), key=_iteration)
    first, last = turns[0], turns[-1]
    text = f"An update of {size(first)} by each in turns takes {took(first)} at first"
    text += f" and {took(last)} in iteration {_iteration(last)}" if last is not first else ""
    worst = max(turns, key=lambda case: case["median_seconds"])
    if worst["median_seconds"] > SPIKE * max(first["median_seconds"], last["median_seconds"]):
        faults = worst.get("major_faults_median")
        counted = f" ({faults:,.0f} page faults of the CPU)" if faults else ""
        seen = f"in iteration {_iteration(worst)}, where the driver may take it for thrashing"
        text += f", but {took(worst)} {seen}{counted}"
    return f"{text}{_kept(cases, last)}."


def _iteration(case: Case) -> int:
    return case["iteration"]


def _kept(cases: Cases, last: Case) -> str:
    """What the best hint makes of the last turn."""
    same = {"size_bytes": last["size_bytes"], "iteration": last["iteration"], "allocator": "managed"}
    best = min(cases.measured("ping_pong", **same), key=lambda case: case["median_seconds"])
    return "" if best["hint"] == "none" else f"; with {way(best['hint'])} the last one takes {took(best)}"


def _signal(cases: Cases) -> str:
    pinned, managed = (cases.one("signal", asker="cpu", allocator=name) for name in ("pinned", "managed"))
    return (
        f"A flag from the CPU to the GPU and back takes {each(pinned)} in pinned and {each(managed)} in managed memory."
    )


def _atomics(cases: Cases) -> str:
    both, alone = (
        cases.one("counter", allocator="managed", scope="system", parties=parties) for parties in ("both", "gpu")
    )
    return (
        f"Both adding to one word of managed memory make {per_second(both, 'adds')}, the GPU alone "
        f"{per_second(alone, 'adds')}."
    )


def _lost(cases: Cases) -> str:
    """By memory, the most that either scope loses."""
    said = []
    for allocator in ("managed", "pinned"):
        lost = {scope: _share_lost(cases, allocator, scope) for scope in ("system", "device")}
        said.append(f"in {allocator} memory {_losses(lost)}")
    return f"Adds are lost {', '.join(said)}."


def _share_lost(cases: Cases, allocator: str, scope: str) -> float:
    case = cases.one("counter", allocator=allocator, scope=scope, parties="both")
    return case["lost_updates_most"] / case["operations"]


def _losses(lost: Mapping[str, float]) -> str:
    losing = {scope: share for scope, share in lost.items() if share}
    if not losing:
        return "at neither scope"
    if len(losing) == len(lost):
        return f"at either scope (up to {max(losing.values()):.0%})"
    ((scope, share),) = losing.items()
    return f"at {scope} scope alone (up to {share:.0%})"


def _handles(cases: Cases) -> str:
    """CUDA's handles: managed memory must have none."""
    ((managed, note),) = [(case, case.get("note")) for case in _shared(cases, "managed_ipc", "gpu")] or [(None, None)]
    if managed is None:
        raise Unknown
    if managed["status"] in USABLE:
        text = f"A handle to managed memory is refused, as the guide says{f' ({note})' if note else ''}"
    else:
        text = f"A handle to managed memory, which the guide says is not given: {managed['status']} ({note})"
    device = _shared(cases, "device_ipc", "gpu")
    if not device:
        return f"{text}."
    works = "works" if device[0]["status"] in USABLE else f"does not ({device[0]['status']}: {_why(device[0])})"
    return f"{text}; one to cudaMalloc's {works}."


def _files(cases: Cases) -> str:
    """What two processes map: a memfd, or a file."""
    called = {"memfd": "a memfd", "file": "a mapped file"}
    by = {(memory, who): _shared(cases, memory, who) for memory in called for who in ("cpu", "gpu")}
    works = {key: found[0]["status"] in USABLE for key, found in by.items() if found}
    if not works:
        raise Unknown
    named = {
        (who, can): " or ".join(called[memory] for memory in called if works.get((memory, who)) is can)
        for who in ("cpu", "gpu")
        for can in (True, False)
    }
    by_cpu = named["cpu", True]
    said = [f"the CPU can share {by_cpu} with another process"] if by_cpu else []
    said += [f"the CPU cannot share {named['cpu', False]}"] if named["cpu", False] else []
    for can, verb in ((True, "can"), (False, "cannot")):
        if what := named["gpu", can]:
            said.append(f"a kernel {verb}" + ("" if what == by_cpu else f" share {what}"))
    text = ", ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _shared(cases: Cases, memory: str, processor: str) -> list[Case]:
    return cases.of("sharing", memory=memory, processor=processor)[:1]


def _why(case: Case) -> Any:
    return case.get("note") or case.get("reason")


def _file(cases: Cases) -> str:
    """Reads of a mapped file against those of malloc's memory, on the CPU."""
    common = {"processor": "cpu", "pattern": "sequential", "stride_bytes": 4, "threads": 1}
    common |= {"operation": "read", "origin": "cpu"}
    file, plain = _against_malloc(cases, common)
    return f"Reading {size(file)} of a mapped file on the CPU takes {times(ratio(file, plain))} the time of malloc's."


def _file_first(cases: Cases) -> str:
    """The first writes."""
    common = {"processor": "cpu", "pattern": "sequential", "stride_bytes": 4, "threads": 1}
    common |= {"operation": "write", "origin": "nobody", "pass": 1}
    file, plain = _against_malloc(cases, common)
    return f"Writing {size(file)} of a mapped file first takes {times(ratio(file, plain))} the time of malloc's."


def _against_malloc(cases: Cases, common: Mapping[str, object]) -> tuple[Case, Case]:
    file = cases.one("access", allocator="file", **common)
    same = {"size_bytes": file["size_bytes"], "pass": file["pass"]}
    return file, cases.one("access", allocator="malloc", **{**common, **same})


TOGETHER = Question(
    "CPU and GPU in turns, flags, atomics: what latency, and who pays?",
    gpu=(
        Sentence("turns", _ping_pong),
        Sentence("a flag", _signal),
        Sentence("adds of both", _atomics),
        Sentence("adds that are lost", _lost),
    ),
)
FILE = Sentence("reads of a mapped file", _file)
SHARING = Question(
    "Can processes share it, and does mapping a file pay?",
    gpu=(Sentence("handles", _handles), Sentence("files and memfds", _files), FILE),
    cpu=(FILE, Sentence("first writes of a mapped file", _file_first)),
)
