"""The answer on hints: which helps most and which hurts most, by workload, and what the calls cost."""

from __future__ import annotations

from scopemark.figures.data import counted
from scopemark.figures.memory import sized, word
from scopemark.report.format import digits
from scopemark.report.memory import Case, Cases, Question, Sentence, Unknown, alternatives, listed, ratio, took, way
from scopemark.statistics import Interval

WORKLOADS = ["gpu_reads", "gpu_updates", "sparse", "both_read", "exchange"]


def _best(cases: Cases) -> str:
    """The hints that help most, and those that nothing tells from them, with their workloads."""
    groups: dict[str, list[str]] = {}
    for workload, (hint, found) in _ends(cases, max).items():
        named = alternatives([way(one) for one in _level(cases, workload, hint)])
        groups.setdefault(named, []).append(f"where {word(workload)} ({digits(found.value)}×)")
    said = "; ".join(f"{hints} {listed(places)}" for hints, places in groups.items())
    return f"The best, in times as fast as without a hint, is {said}."


def _level(cases: Cases, workload: str, best: str) -> list[str]:
    """The hint that helps most, and those that help as well and whose times the intervals do not tell from its."""
    base, hinted = _richest(cases, workload)
    (fastest,) = (case for case in hinted if case["hint"] == best)
    others = sorted((case for case in hinted if case is not fastest), key=lambda case: case["median_seconds"])
    helping = [case for case in others if ratio(base, case).low > 1]
    return [best, *(case["hint"] for case in helping if ratio(case, fastest).low <= 1)]


def _worst(cases: Cases) -> str:
    """Those that are the worst of some workload, each where it is at its worst."""
    worst: dict[str, tuple[float, str]] = {}
    for workload, (hint, found) in _ends(cases, min).items():
        if found.high < 1:
            worst[hint] = min(worst.get(hint, (1.0, "")), (found.value, workload))
    said = [f"{way(hint)} where {word(workload)} ({digits(value)}×)" for hint, (value, workload) in worst.items()]
    return f"What hurts most is {listed(said)}." if said else "None of them hurts."


def _ends(cases: Cases, pick) -> dict[str, tuple[str, Interval]]:
    """Workload to the hint whose speed-up is the most or the least, and that. Unknown if no workload has one."""
    found, failed = {}, []
    for workload in WORKLOADS:
        try:
            base, hinted = _richest(cases, workload)
        except Unknown as unknown:
            failed.append(str(unknown))
            continue
        ratios = {case["hint"]: ratio(base, case) for case in hinted}
        hint = pick(ratios, key=lambda hint: ratios[hint].value)
        found[workload] = hint, ratios[hint]
    if not found:
        raise Unknown(next(filter(None, failed), ""))
    return found


def _richest(cases: Cases, workload: str) -> tuple[Case, list[Case]]:
    """The case without a hint that most hints can be compared with, and those; of several the largest."""
    groups: dict[tuple[int, int], list[Case]] = {}
    for case in cases.measured("hint", workload=workload):
        groups.setdefault((case["size_bytes"], case["passes"]), []).append(case)
    whole = {key: own for key, own in groups.items() if len(own) > 1 and any(case["hint"] == "none" for case in own)}
    if not whole:
        raise Unknown
    key = max(whole, key=lambda key: (len(whole[key]), *key))
    (base,) = (case for case in whole[key] if case["hint"] == "none")
    return base, [case for case in whole[key] if case is not base]


def _cut_short(cases: Cases) -> str:
    """The slowest of the hints whose cases were too slow for the time they had, by the few samples there are."""
    short = []
    for case in cases.of("hint", status="skipped"):
        same = {"workload": case["workload"], "size_bytes": case["size_bytes"], "passes": case["passes"]}
        if case["median_seconds"] is None or not cases.of("hint", hint="none", **same):
            continue
        short.append((ratio(case, cases.one("hint", hint="none", **same)).value, case))
    if not short:
        return ""
    slower, case = max(short, key=lambda one: one[0])
    return (
        f"{way(case['hint'])} where {word(case['workload'])} was cut short by its budget after "
        f"{counted(case['samples'], 'sample')}: it takes some {float(f'{slower:.1g}'):,.0f} times as long as without."
    )


def _calls(cases: Cases) -> str:
    largest = cases.one("hint_call")["size_bytes"]
    found = sorted(cases.measured("hint_call", size_bytes=largest), key=lambda case: case["median_seconds"])
    ends = " to ".join(f"{took(case)} ({_call(case)})" for case in (found[0], found[-1]))
    return f"The call itself takes from {ends} for {sized(largest)}."


def _call(case: Case) -> str:
    """A call, and where the data lie that it is for."""
    return f"{way(case['call'])}, data with the {case['resident'].upper()}"


HINTS = Question(
    "Which hint helps, which hurts, and what does the call itself cost?",
    gpu=(
        Sentence("the best hint", _best),
        Sentence("the worst hint", _worst),
        Sentence("hints that were cut short", _cut_short),
        Sentence("the calls", _calls),
    ),
)
