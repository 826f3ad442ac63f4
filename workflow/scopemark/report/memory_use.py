"""Answers on what the machine is: which paradigm, which page sizes, and where its memory ends."""

from __future__ import annotations

from scopemark.canaries import HELD, NOT_SENT, canaries
from scopemark.figures.data import DRAWN
from scopemark.figures.memory import sized
from scopemark.paradigm import deciding, paradigm, why_not_pageable
from scopemark.report.memory import Case, Cases, Question, Sentence, Unknown, ratio, size, times, took

CACHE_LINE = 128  # bytes of a GPU's L2
ASKED_FOR = "is measured only where the configuration asks for it, because it has hung machines."


def _paradigm(cases: Cases) -> str:
    gpu = cases.machine["gpu"]
    found = paradigm(gpu)
    if found is None:
        raise Unknown("the attributes of the device do not tell it")
    last = deciding(gpu)[-1]
    return f"{found.name[:1].upper()}{found.name[1:]}: {last} is {gpu[last]}."


def _malloc_fails(cases: Cases) -> str:
    return why_not_pageable(cases.machine) or ""


def _canaries(cases: Cases) -> str:
    sent = canaries(cases.of("canary"), cases.machine["gpu"])
    if not sent:
        raise Unknown
    held, not_sent = (sum(one.outcome == outcome for one in sent) for outcome in (HELD, NOT_SENT))
    wrong = sum(one.disagrees for one in sent)
    return (
        f"Of {len(sent)} canaries {held} held and {not_sent} were not sent, for nothing is promised; "
        f"{wrong or 'none'} disagreed with the attributes."
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
    """Managed memory against cudaMalloc's and pinned memory, at places so far apart that each is a cache miss."""
    managed, device, pinned = (_scattered(cases, allocator, 64) for allocator in ("managed", "device", "pinned"))
    return (
        f"At random places all over {size(managed)}, one in every 64 bytes, the GPU reads managed memory that is there "
        f"{times(ratio(device, managed))} as fast as cudaMalloc's, and {times(ratio(pinned, managed))} as fast as "
        "pinned memory."
    )


def _gpu_pages(cases: Cases) -> str:
    """The same with one place in a page, which tests translation alone if the lines that it needs stay in the L2."""
    managed, device = (_scattered(cases, allocator, 4096) for allocator in ("managed", "device"))
    lines = managed["size_bytes"] // 4096 * CACHE_LINE
    cached = lines <= cases.machine["gpu"].get("l2_bytes", 0)
    why = ", which stays in the L2 and so tests the translation of addresses alone," if cached else ""
    return f"With one in every 4 KiB{why} it is {times(ratio(device, managed))} as fast as cudaMalloc's."


def _scattered(cases: Cases, allocator: str, stride: int) -> Case:
    return cases.one("access", allocator=allocator, processor="gpu", pattern="random", stride_bytes=stride)


def _gpu_huge(cases: Cases) -> str:
    """Whether the system's pages, small or huge, can matter to a kernel at all."""
    if why_not_pageable(cases.machine):
        return "Small or huge pages of the system's memory are no question here: no kernel may touch it."
    return ""


def _limit(cases: Cases) -> str:
    found = cases.of("oversubscription")
    measured = [case for case in found if case["status"] in DRAWN]
    if measured:
        ends = (pick(measured, key=lambda case: case["factor"]) for pick in (min, max))
        said = [f"{case['factor']:g} of the card's memory in {took(case)}" for case in ends]
        return f"A pass goes over {' and over '.join(said)}."
    near = max((case["size_bytes"] for case in cases.rows if case.get("size_bytes")), default=0)
    card = cases.machine["gpu"].get("memory_bytes")
    has = f", and the card has {sized(card)}" if card else ""
    why = f"was {found[0]['status']}: {found[0]['reason']}." if found else ASKED_FOR
    return f"Not tried: no memory of this run is larger than {sized(near)}{has}. More than the card has {why}"


ORDERED = {"pattern": "sequential", "stride_bytes": 4}
FIRST = {"operation": "write", "origin": "nobody", "pass": 1, "threads": 1}

PARADIGM = Question(
    "Which paradigm is this, and why does a kernel on malloc's memory fail here?",
    gpu=(
        Sentence("the paradigm", _paradigm),
        Sentence("malloc's memory", _malloc_fails),
        Sentence("canaries", _canaries),
    ),
)
PAGE_SIZES = Question(
    "Do page size and huge pages matter, in order and at random?",
    gpu=(
        Sentence("reads at random places", _gpu_random),
        Sentence("reads of a word per page", _gpu_pages),
        Sentence("huge pages", _gpu_huge),
    ),
    cpu=(
        Sentence(
            "reads at random places",
            _huge("Reads at random places", pattern="random", stride_bytes=4096, operation="read"),
        ),
        Sentence("reads in order", _huge("Reads in order", **ORDERED, operation="read")),
        Sentence("first writes", _huge("First writes by one thread", **ORDERED, **FIRST)),
    ),
)
LIMIT = Question(
    "What happens as the data approach the card's memory?", gpu=(Sentence("more than the card has", _limit),)
)
