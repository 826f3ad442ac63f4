"""Answers on data that move: the first kernel, prefetch against copies, reuse, and the ways back."""

from __future__ import annotations

from scopemark.quantities import USABLE
from scopemark.report_memory import (
    Case,
    Cases,
    Question,
    Unknown,
    bytes_per_second,
    duration,
    ratio,
    seconds,
    size,
    times,
    way,
)

READS = {"allocator": "managed", "processor": "gpu", "operation": "read", "origin": "cpu", "pattern": "sequential"}
READS |= {"stride_bytes": 4}
DIRECTIONS = {"to_gpu": "To the GPU", "to_host": "To the host"}


def _first_pass(cases: Cases) -> str:
    first = cases.one("access", **READS, **{"pass": 1})
    second = cases.one("access", **READS, size_bytes=first["size_bytes"], **{"pass": 2})
    return (
        f"Its pages lie with the CPU and come over by page faults: the GPU reads {size(first)} at "
        f"{bytes_per_second(first)} in the first pass and at {bytes_per_second(second)} in the second; the first takes "
        f"{times(ratio(first, second))} as long."
    )


def _prefetched(cases: Cases) -> str:
    common = {"workload": "gpu_reads", "passes": 1}
    hinted = cases.one("hint", hint="prefetch", **common)
    bare = cases.one("hint", hint="none", size_bytes=hinted["size_bytes"], **common)
    return (
        f"Prefetching {size(hinted)} and reading it once, the prefetch's own time included, is "
        f"{times(ratio(bare, hinted))} as fast as faulting it in."
    )


def _what_stays(cases: Cases) -> str:
    prefetch = cases.one("transfer", way="prefetch", direction="to_gpu")
    copy = cases.one("transfer", way="pinned_copy", direction="to_gpu", size_bytes=prefetch["size_bytes"])
    return (
        f"What a prefetch cannot take away is the transfer: {size(prefetch)} at {bytes_per_second(prefetch)}, "
        f"{times(ratio(copy, prefetch))} the rate of a plain pinned copy."
    )


def _prefetch_against_copy(direction: str):
    def sentence(cases: Cases) -> str:
        prefetch = cases.one("transfer", way="prefetch", direction=direction)
        copy = cases.one("transfer", way="pinned_copy", direction=direction, size_bytes=prefetch["size_bytes"])
        return (
            f"{DIRECTIONS[direction]}, a prefetch of {size(prefetch)} takes {times(ratio(prefetch, copy))} the time of "
            f"a pinned copy ({bytes_per_second(prefetch)} against {bytes_per_second(copy)})."
        )

    return sentence


def _program(cases: Cases) -> str:
    found = [_against_copies(cases, case) for case in _ends(cases.measured("pattern", way="managed_prefetch"))]
    return f"As a whole program, AXPY on managed memory with prefetches takes {' and '.join(found)} the time of copies."


def _ends(found: list[Case]) -> list[Case]:
    """Of the largest size, the cases with the fewest and the most repeats."""
    largest = [case for case in found if case["size_bytes"] == found[-1]["size_bytes"]]
    fewest, most = min(largest, key=_repeats), max(largest, key=_repeats)
    return [fewest] if fewest is most else [fewest, most]


def _repeats(case: Case) -> int:
    return case["repeats"]


def _against_copies(cases: Cases, case: Case) -> str:
    same = {"size_bytes": case["size_bytes"], "repeats": case["repeats"]}
    copies = cases.one("pattern", way="explicit_pinned", **same)
    return f"{times(ratio(case, copies))} ({size(case)}, used {_uses(case['repeats'])})"


def _uses(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _fastest_by_reuse(cases: Cases) -> str:
    """The fastest way at the fewest and at the most repeats, against copies of pinned memory."""
    said = []
    for end in _ends(cases.measured("pattern", way="explicit_pinned")):
        same = {"size_bytes": end["size_bytes"], "repeats": end["repeats"]}
        best = min(cases.measured("pattern", **same), key=lambda case: case["median_seconds"])
        against = "" if best is end else f", {times(ratio(best, end))} the time of copies of pinned memory"
        said.append(f"used {_uses(end['repeats'])} it is fastest as {way(best['way'])}{against}")
    return f"For {size(end)} that the CPU fills and reads again: {'; '.join(said)}."


def _pinned_pays(cases: Cases) -> str:
    """Up to how many uses pinned memory in place beats prefetched managed memory."""
    largest = cases.one("pattern", way="pinned")["size_bytes"]
    pinned = {case["repeats"]: case for case in cases.measured("pattern", way="pinned", size_bytes=largest)}
    moved = {case["repeats"]: case for case in cases.measured("pattern", way="managed_prefetch", size_bytes=largest)}
    ratios = {uses: ratio(pinned[uses], moved[uses]) for uses in sorted(pinned.keys() & moved.keys())}
    if not ratios:
        raise Unknown("pattern way=pinned beside way=managed_prefetch")
    ahead = []
    for uses, found in ratios.items():
        if found.value >= 1 or found.high >= 1:
            break
        ahead.append(uses)
    first, last = min(ratios), max(ratios)
    ends = f"{times(ratios[first])} the time with {_counted(first)}, {times(ratios[last])} with {_counted(last)}"
    if not ahead:
        return f"Pinned memory in place never clearly beats managed memory that is prefetched: {ends}."
    if ahead[-1] == last:
        return f"Pinned memory in place beats managed memory that is prefetched as often as was measured: {ends}."
    return f"Pinned memory in place beats managed memory that is prefetched up to {_counted(ahead[-1])}: {ends}."


def _counted(uses: int) -> str:
    return "1 use" if uses == 1 else f"{uses:,} uses"


def _random(cases: Cases) -> str:
    """Random places: the link against the GPU's own memory."""
    common = {"processor": "gpu", "pattern": "random", "stride_bytes": 64}
    managed, pinned = (cases.one("access", allocator=name, **common) for name in ("managed", "pinned"))
    return (
        f"At random places the GPU reads managed memory, once it is there, {times(ratio(pinned, managed))} as fast as "
        "pinned memory across the link."
    )


def _malloc(cases: Cases) -> str:
    """Memory of malloc's, where a kernel may touch it, and why not where it may not."""
    refused = [case for case in cases.of("pattern", way="malloc") if case["status"] == "unsupported"]
    if refused:
        return f"malloc's memory is no choice for a kernel here ({refused[0]['reason']})."
    found = [_against_copies(cases, case) for case in _ends(cases.measured("pattern", way="malloc"))]
    return f"malloc's memory in place takes {' and '.join(found)} the time of copies of pinned memory."


def _back(independent: str, heading: str):
    def sentence(cases: Cases) -> str:
        found = [case for case in cases.measured("result", independent=independent) if case["status"] in USABLE]
        by_size: dict[int, list[Case]] = {}
        for case in found:
            by_size.setdefault(case["size_bytes"], []).append(case)
        compared = {bytes: several for bytes, several in by_size.items() if len(several) > 1}
        if not compared:
            raise Unknown(f"result independent={independent} of two ways at one size")
        best = {bytes: min(several, key=_median) for bytes, several in compared.items()}
        spans = []
        for bytes in sorted(best):
            if spans and spans[-1][0]["way"] == best[bytes]["way"]:
                spans[-1][1] = best[bytes]
            else:
                spans.append([best[bytes], best[bytes]])
        return f"{heading}: {'; '.join(_span(cases, *span) for span in spans)}."

    return sentence


def _median(case: Case) -> float:
    return case["median_seconds"]


def _span(cases: Cases, first: Case, last: Case) -> str:
    """From which size to which a way was the fastest, and by how much at the end."""
    others = cases.measured("result", independent=last["independent"], size_bytes=last["size_bytes"])
    second = min((case for case in others if case["way"] != last["way"]), key=_median)
    where = size(first) if first is last else f"{size(first)} to {size(last)}"
    return (
        f"{way(last['way'])} for {where} ({duration(seconds(last))} at {size(last)}, and {way(second['way'])} "
        f"{times(ratio(second, last))} as long)"
    )


FIRST_KERNEL = Question(
    "Why is the first kernel on managed memory so slow, and does prefetch fix all of it?",
    gpu=(_first_pass, _prefetched, _what_stays),
)
PREFETCH = Question(
    "Managed memory with prefetch against an explicit pinned copy: any cost when the data fit?",
    gpu=(_prefetch_against_copy("to_gpu"), _prefetch_against_copy("to_host"), _program),
)
REUSE = Question(
    "malloc, managed or pinned: which, by access pattern and number of uses?",
    gpu=(_fastest_by_reuse, _pinned_pays, _random, _malloc),
)
WAYS_BACK = Question(
    "Copy, device write or host read: which way should results come back, by size?",
    gpu=(
        _back("none", "Alone, the fastest is"),
        _back("queued", "With independent work queued"),
    ),
)
