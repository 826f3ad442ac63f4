"""Answers on data that move: the first kernel, prefetch against copies, reuse, and the ways back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from scopemark.claims.verdict import inside_band
from scopemark.figures.data import counted
from scopemark.figures.memory import sized
from scopemark.quantities import USABLE
from scopemark.report.memory import (
    Case,
    Cases,
    Question,
    Sentence,
    Unknown,
    listed,
    rate,
    ratio,
    size,
    times,
    took,
    way,
)

READS = {"allocator": "managed", "processor": "gpu", "operation": "read", "origin": "cpu", "pattern": "sequential"}
READS |= {"stride_bytes": 4}
DIRECTIONS = {"to_gpu": "to the GPU", "to_host": "to the host"}
ALIKE = 1.02
"""What takes no more than so many times the time of another is as good as that."""


def _first_pass(cases: Cases) -> str:
    first = cases.one("access", **READS, **{"pass": 1})
    second = cases.one("access", **READS, size_bytes=first["size_bytes"], **{"pass": 2})
    found = ratio(first, second)
    if found.low <= 1:
        return f"The first pass is no slower than the second: it reads {size(first)} at {rate(first)}."
    return (
        f"The first pass has to bring the pages over, and reads {size(first)} at {rate(first)}; the second finds them "
        f"in place and reads at {rate(second)}, {times(found)} as fast."
    )


def _prefetched(cases: Cases) -> str:
    common = {"workload": "gpu_reads", "passes": 1}
    hinted = cases.one("hint", hint="prefetch", **common)
    bare = cases.one("hint", hint="none", size_bytes=hinted["size_bytes"], **common)
    return (
        f"With a prefetch, its own time included, reading {size(hinted)} once is {times(ratio(bare, hinted))} as fast."
    )


def _what_stays(cases: Cases) -> str:
    prefetch, copy = _prefetch_and_copy(cases, "to_gpu")
    return (
        f"What a prefetch cannot take away is the transfer, at {rate(prefetch)} where a pinned copy of as much reaches "
        f"{rate(copy)}."
    )


def _prefetch_and_copy(cases: Cases, direction: str) -> tuple[Case, Case]:
    prefetch = cases.one("transfer", way="prefetch", direction=direction)
    return prefetch, cases.one("transfer", way="pinned_copy", direction=direction, size_bytes=prefetch["size_bytes"])


def _prefetch_against_copy(direction: str):
    def sentence(cases: Cases) -> str:
        prefetch, copy = _prefetch_and_copy(cases, direction)
        where = DIRECTIONS[direction]
        return (
            f"{where[0].upper()}{where[1:]}, a prefetch of {size(prefetch)} takes {times(ratio(prefetch, copy))} the "
            f"time of a pinned copy ({rate(prefetch)} against {rate(copy)})."
        )

    return sentence


def _program(cases: Cases) -> str:
    ends = _ends(cases.measured("pattern", way="managed_prefetch"))
    found = [f"{_against_copies(cases, case)} if they are used {_uses(case)}" for case in ends]
    return (
        f"A whole AXPY with prefetches there and back takes, as a multiple of the time with pinned copies of its "
        f"{size(ends[0])}, {listed(found)}."
    )


def _ends(found: list[Case]) -> list[Case]:
    """Of the largest size, the cases with the fewest and the most repeats."""
    largest = [case for case in found if case["size_bytes"] == found[-1]["size_bytes"]]
    fewest, most = min(largest, key=_repeats), max(largest, key=_repeats)
    return [fewest] if fewest is most else [fewest, most]


def _repeats(case: Case) -> int:
    return case["repeats"]


def _against_copies(cases: Cases, case: Case) -> str:
    same = {"size_bytes": case["size_bytes"], "repeats": case["repeats"]}
    return times(ratio(case, cases.one("pattern", way="explicit_pinned", **same)))


def _uses(case: Case) -> str:
    return "once" if case["repeats"] == 1 else f"{case['repeats']:,} times"


def _fastest_by_reuse(cases: Cases) -> str:
    """The fastest way at the fewest and at the most repeats, and what the next best takes."""
    said = []
    for end in _ends(cases.measured("pattern", way="explicit_pinned")):
        same = {"size_bytes": end["size_bytes"], "repeats": end["repeats"]}
        best, *others = sorted(cases.measured("pattern", **same), key=_median)
        next_best = f" ({way(others[0]['way'])} takes {times(ratio(others[0], best))} the time)" if others else ""
        said.append(f"{way(best['way'])} if used {_uses(end)}{next_best}")
    return f"The fastest for {size(end)} that the CPU fills and reads again is {', and '.join(said)}."


def _pinned_pays(cases: Cases) -> str:
    """For how many uses pinned memory in place beats prefetched managed memory, and from how many on it loses."""
    largest = cases.one("pattern", way="pinned")["size_bytes"]
    pinned = {case["repeats"]: case for case in cases.measured("pattern", way="pinned", size_bytes=largest)}
    moved = {case["repeats"]: case for case in cases.measured("pattern", way="managed_prefetch", size_bytes=largest)}
    ratios = {uses: ratio(pinned[uses], moved[uses]) for uses in sorted(pinned.keys() & moved.keys())}
    if not ratios:
        raise Unknown
    ahead = _leading(list(ratios), lambda uses: ratios[uses].high < 1)
    behind = _leading(list(ratios)[::-1], lambda uses: ratios[uses].low > 1)
    said = []
    if ahead:
        span = f"{'up to' if len(ahead) > 1 else 'with'} {counted(ahead[-1], 'use')}"
        said.append(f"is ahead of prefetched managed memory {span} ({times(ratios[ahead[0]])} the time)")
    if behind:
        span = f"{'from' if len(behind) > 1 else 'with'} {counted(behind[-1], 'use')}{' on' if len(behind) > 1 else ''}"
        said.append(
            f"is behind {'it' if ahead else 'prefetched managed memory'} {span} ({times(ratios[behind[-1]])} the time)"
        )
    return f"Pinned memory in place {listed(said or ['is as good as prefetched managed memory'])}."


def _leading(values: Sequence[int], holds) -> list[int]:
    """The values up to the first of which it does not hold."""
    end = next((place for place, value in enumerate(values) if not holds(value)), len(values))
    return list(values[:end])


def _random(cases: Cases) -> str:
    """Random places: the link against the GPU's own memory."""
    common = {"processor": "gpu", "pattern": "random", "stride_bytes": 64}
    managed, pinned = (cases.one("access", allocator=name, **common) for name in ("managed", "pinned"))
    return (
        f"At random places the GPU reads managed memory, once it is there, {times(ratio(pinned, managed))} as fast as "
        "pinned memory across the link."
    )


def _malloc(cases: Cases) -> str:
    """Memory of malloc's, where a kernel may touch it, and that it may not where it may not."""
    if any(case["status"] == "unsupported" for case in cases.of("pattern", way="malloc")):
        return "malloc's memory must not be given to a kernel here (see Q4)."
    ends = _ends(cases.measured("pattern", way="malloc"))
    found = [f"{_against_copies(cases, case)} used {_uses(case)}" for case in ends]
    return f"malloc's memory in place takes {listed(found)} the time of copies of pinned memory."


def _back(independent: str, heading: str):
    def sentence(cases: Cases) -> str:
        found = [case for case in cases.measured("result", independent=independent) if case["status"] in USABLE]
        by_size: dict[int, list[Case]] = {}
        for case in found:
            by_size.setdefault(case["size_bytes"], []).append(case)
        compared = {bytes: sorted(several, key=_median) for bytes, several in by_size.items() if len(several) > 1}
        if not compared:
            raise Unknown
        sizes = sorted(compared)
        spans = [(best, list(of)) for best, of in groupby(sizes, lambda bytes: _best(compared[bytes]))]
        said = [_span(best, [compared[bytes] for bytes in of], sizes) for best, of in spans]
        return f"{heading}, {'; '.join(said)}."

    return sentence


def _median(case: Case) -> float:
    return case["median_seconds"]


def _best(several: Sequence[Case]) -> list[str]:
    """The ways that nothing tells from the fastest, of cases that are sorted by it: by the interval of the ratio."""
    return sorted(case["way"] for case in several if case is several[0] or ratio(case, several[0]).low <= ALIKE)


def _span(best: list[str], compared: Sequence[Sequence[Case]], sizes: Sequence[int]) -> str:
    """Which ways are the best over some of the sizes, and what the next one takes at the first of them.

    compared: the cases of each of these sizes, the fastest first. Ways whose intervals reach too far to show that they
    are alike are not called so.
    """
    of, first = [several[0]["size_bytes"] for several in compared], compared[0]
    ends = of[0] == sizes[0], of[-1] == sizes[-1]
    where = {
        (True, True): "at every size",
        (True, False): f"up to {sized(of[-1])}",
        (False, True): f"from {sized(of[0])} on",
        (False, False): f"from {sized(of[0])} to {sized(of[-1])}",
    }[ends]
    where = where if len(of) > 1 else f"at {sized(of[0])}"
    alike = all(_alike(case, several[0]) for several in compared for case in several[1:] if case["way"] in best)
    behind = [case for case in first if case["way"] not in best]
    if not behind:
        said = "all are equally fast" if alike else "nothing tells another from the fastest"
        return f"{said} {where} ({took(first[0])} for {size(first[0])})"
    verb = "is the fastest" if len(best) == 1 else "are equally fast" if alike else "cannot be told apart"
    found = f"{way(behind[0]['way'])} takes {times(ratio(behind[0], first[0]))} the time"
    return f"{listed([way(name) for name in best])} {verb} {where} ({took(first[0])} for {size(first[0])}; {found})"


def _alike(case: Case, fastest: Case) -> bool:
    """Whether the interval shows that a case takes as long as another, and not only that it may; without one it may."""
    return inside_band(ratio(case, fastest))


FIRST_KERNEL = Question(
    "Why is the first kernel on managed memory so slow, and does prefetch fix all of it?",
    gpu=(
        Sentence("the first passes", _first_pass),
        Sentence("a prefetch before a read", _prefetched),
        Sentence("the transfer that a prefetch makes", _what_stays),
    ),
)
PREFETCH = Question(
    "Managed memory with prefetch against an explicit pinned copy: any cost when the data fit?",
    gpu=(
        *(Sentence(f"a prefetch {DIRECTIONS[name]}", _prefetch_against_copy(name)) for name in DIRECTIONS),
        Sentence("a program with prefetches", _program),
    ),
)
REUSE = Question(
    "malloc, managed or pinned: which, by access pattern and number of uses?",
    gpu=(
        Sentence("a program with copies", _fastest_by_reuse),
        Sentence("pinned memory in place against managed memory", _pinned_pays),
        Sentence("reads at random places", _random),
        Sentence("malloc's memory", _malloc),
    ),
)
WAYS_BACK = Question(
    "Copy, device write or host read: which way should results come back, by size?",
    gpu=(
        Sentence("ways back alone", _back("none", "Alone")),
        Sentence("ways back with work queued", _back("queued", "With independent work queued behind")),
    ),
)
