"""Answers on use: which paradigm, hints, page sizes, both processors on one word, sharing, and the card's limit."""

from __future__ import annotations

from scopemark.canaries import HELD, REFUSED, canaries
from scopemark.figures import DRAWN
from scopemark.figures_memory import sized, word
from scopemark.paradigm import DECIDING, paradigm, why_not_pageable
from scopemark.report_memory import (
    Case,
    Cases,
    Question,
    Unknown,
    adds_per_second,
    duration,
    each,
    ratio,
    seconds,
    size,
    times,
    way,
    words_per_second,
)

WORKLOADS = ["gpu_reads", "gpu_updates", "both_read", "exchange", "sparse"]
SHARED = {
    "memfd": "a memfd",
    "file": "a file",
    "managed_ipc": "managed memory by a handle",
    "device_ipc": "device memory by a handle",
}


def _paradigm(cases: Cases) -> str:
    gpu = cases.machine["gpu"]
    found = paradigm(gpu)
    if found is None:
        raise Unknown("the device attributes that decide the paradigm")
    told = ", ".join(f"{name} {gpu[name]}" for name in DECIDING if name in gpu)
    return f"{found.name[:1].upper()}{found.name[1:]} ({told})."


def _malloc_fails(cases: Cases) -> str:
    return why_not_pageable(cases.machine) or ""


def _canaries(cases: Cases) -> str:
    sent = canaries(cases.of("canary"), cases.machine["gpu"])
    if not sent:
        raise Unknown("canary")
    held, refused = (sum(one.outcome == outcome for one in sent) for outcome in (HELD, REFUSED))
    wrong = sum(one.disagrees for one in sent)
    return (
        f"Of {len(sent)} canaries {held} held and {refused} were refused before they were sent; "
        f"{wrong or 'none'} disagreed with the attributes."
    )


def _hints(cases: Cases) -> str:
    """Per workload the best hint and the worst."""
    said, lacking = [], []
    for workload in WORKLOADS:
        try:
            base, hinted = _richest(cases, workload)
        except Unknown as unknown:
            lacking.append(str(unknown))
            continue
        ratios = {case["hint"]: ratio(base, case) for case in hinted}
        ends = dict.fromkeys(pick(ratios, key=lambda hint: ratios[hint].value) for pick in (max, min))
        found = " and ".join(f"{way(hint)} {times(ratios[hint])}" for hint in ends)
        said.append(f"{found} where {word(workload)} ({size(base)}, {_passes(base)})")
    if not said:
        raise Unknown("; ".join(lacking))
    text = f"The best hint and the worst, as times as fast as none: {'; '.join(said)}."
    return text + (f" Not measured here: {'; '.join(lacking)}." if lacking else "")


def _richest(cases: Cases, workload: str) -> tuple[Case, list[Case]]:
    """The case without a hint that most hints can be compared with, and those; of several the largest."""
    groups: dict[tuple[int, int], list[Case]] = {}
    for case in cases.measured("hint", workload=workload):
        groups.setdefault((case["size_bytes"], case["passes"]), []).append(case)
    whole = {key: own for key, own in groups.items() if len(own) > 1 and any(case["hint"] == "none" for case in own)}
    if not whole:
        raise Unknown(f"hint workload={workload} with and without one")
    key = max(whole, key=lambda key: (len(whole[key]), *key))
    (base,) = (case for case in whole[key] if case["hint"] == "none")
    return base, [case for case in whole[key] if case is not base]


def _passes(case: Case) -> str:
    return "once" if case["passes"] == 1 else f"{case['passes']} times"


def _calls(cases: Cases) -> str:
    largest = cases.one("hint_call")["size_bytes"]
    found = sorted(cases.measured("hint_call", size_bytes=largest), key=lambda case: case["median_seconds"])
    cheap, dear = found[0], found[-1]
    return (
        f"The call itself takes from {duration(seconds(cheap))} ({cheap['call'].replace('_', ' ')}) to "
        f"{duration(seconds(dear))} ({dear['call'].replace('_', ' ')}) for {size(dear)}."
    )


def _huge(what: str, **axes: object):
    """Huge pages against small ones on the CPU."""

    def sentence(cases: Cases) -> str:
        huge = cases.one("access", allocator="mmap_huge", processor="cpu", **axes)
        same = {name: huge[name] for name in ("size_bytes", "pass", "threads", "origin", "stride_bytes")}
        small = cases.one("access", allocator="mmap_small", processor="cpu", **{**axes, **same})
        return f"{what} of {size(huge)} are {times(ratio(small, huge))} as fast from huge pages as from pages of 4 KiB."

    return sentence


def _gpu_random(cases: Cases) -> str:
    common = {"allocator": "managed", "processor": "gpu", "pattern": "random"}
    line, page = (cases.one("access", stride_bytes=stride, **common) for stride in (64, 4096))
    return (
        f"At random places of {size(line)} of managed memory that is there, the GPU reads {words_per_second(line)} "
        f"from places 64 bytes apart and {words_per_second(page)} from places 4 KiB apart."
    )


def _ping_pong(cases: Cases) -> str:
    found = cases.measured("ping_pong", hint="none", allocator="managed")
    smallest = [case for case in found if case["size_bytes"] == found[0]["size_bytes"]]
    first, last = (pick(smallest, key=lambda case: case["iteration"]) for pick in (min, max))
    said = [f"turn {case['iteration']} takes {duration(seconds(case))}{_faults(case)}" for case in (first, last)]
    return f"When CPU and GPU update {size(first)} of managed memory in turns, {' and '.join(said)}."


def _faults(case: Case) -> str:
    faults = case.get("major_faults_median")
    return "" if faults is None else f" with {faults:,g} major page faults of the CPU"


def _signal(cases: Cases) -> str:
    said = []
    for allocator, called in (("pinned", "pinned"), ("managed", "managed")):
        case = cases.one("signal", asker="cpu", allocator=allocator)
        said.append(f"{duration(each(case))} in {called} memory")
    return f"A flag from the CPU to the GPU and back takes {' and '.join(said)}."


def _atomics(cases: Cases) -> str:
    both = cases.one("counter", allocator="managed", scope="system", parties="both")
    alone = cases.one("counter", allocator="managed", scope="system", parties="gpu")
    return (
        f"Both adding to one managed word at system scope reach {adds_per_second(both)}, the GPU alone "
        f"{adds_per_second(alone)}."
    )


def _lost(cases: Cases) -> str:
    losing, right = [], []
    for allocator in ("managed", "pinned"):
        for scope in ("system", "device"):
            case = cases.one("counter", allocator=allocator, scope=scope, parties="both")
            name = f"{scope} scope in {allocator} memory"
            share = case["lost_updates_most"] / case["operations"]
            (losing if share else right).append(f"{name} ({share:.2%} at the most)" if share else name)
    text = f"Adds are lost with {_listed(losing)}" if losing else "No adds are lost with either scope"
    return f"{text}; none with {_listed(right)}." if losing and right else f"{text}."


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _shared(cases: Cases) -> str:
    said = []
    for memory, called in SHARED.items():
        for processor in ("gpu", "cpu"):
            for case in cases.of("sharing", memory=memory, processor=processor)[:1]:
                said.append(f"{called} by the {processor.upper()}: {_shared_outcome(case)}")
    if not said:
        raise Unknown("sharing")
    return f"What one process writes another reads: {'; '.join(said)}."


def _shared_outcome(case: Case) -> str:
    if case["status"] == "ok":
        return f"as expected{f' ({note})' if (note := case.get('note')) else ''}"
    return f"{case['status']}{f' ({reason})' if (reason := case.get('reason')) else ''}"


def _file(cases: Cases) -> str:
    """A mapped file against malloc, on the CPU: the last pass, and the first touch."""
    said = []
    for what, axes in (
        ("reads of", {"operation": "read", "origin": "cpu"}),
        ("the first touch of", {"origin": "nobody", "pass": 1}),
    ):
        common = {"processor": "cpu", "pattern": "sequential", "stride_bytes": 4, "threads": 1} | axes
        file = cases.one("access", allocator="file", **common)
        same = {"size_bytes": file["size_bytes"], "pass": file["pass"], "operation": file["operation"]}
        plain = cases.one("access", allocator="malloc", **{**common, **same})
        said.append(f"{what} {size(file)} take {times(ratio(file, plain))} the time of malloc's")
    return f"On the CPU, with a mapped file, {' and '.join(said)}."


def _limit(cases: Cases) -> str:
    found = cases.of("oversubscription")
    measured = [case for case in found if case["status"] in DRAWN]
    if measured:
        ends = (pick(measured, key=lambda case: case["factor"]) for pick in (min, max))
        said = [f"{case['factor']:g} of the card's memory in {duration(seconds(case))}" for case in ends]
        return f"A pass goes over {' and over '.join(said)}."
    near = max((case["size_bytes"] for case in cases.rows if case.get("size_bytes")), default=0)
    why = f" ({found[0]['reason']})" if found and found[0].get("reason") else ""
    return f"Not tried{why}: no case of this run has more than {sized(near)} of memory."


ORDERED = {"pattern": "sequential", "stride_bytes": 4}
PAGES = (
    _huge("Reads at random places", pattern="random", stride_bytes=4096, operation="read"),
    _huge("Reads in order", **ORDERED, operation="read"),
    _huge("First writes by one thread", **ORDERED, operation="write", origin="nobody", **{"pass": 1, "threads": 1}),
)

PARADIGM = Question(
    "Which paradigm is this, and why does a kernel on malloc's memory fail here?",
    gpu=(_paradigm, _malloc_fails, _canaries),
)
HINTS = Question(
    "Which hint helps, which hurts, and what does the call itself cost?",
    gpu=(_hints, _calls),
)
PAGE_SIZES = Question(
    "Do page size and huge pages matter, in order and at random?",
    gpu=(_gpu_random,),
    cpu=PAGES,
)
TOGETHER = Question(
    "CPU and GPU in turns, flags, atomics: what latency, and who pays?",
    gpu=(_ping_pong, _signal, _atomics, _lost),
)
SHARING = Question(
    "Can processes share it, and does mapping a file pay?",
    gpu=(_shared,),
    cpu=(_file,),
)
LIMIT = Question("What happens as the data approach the card's memory?", gpu=(_limit,))
