"""The kinds of questions: which sentence the ratios of matched pairs choose, and what they fill it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scopemark.advice.alternatives import each, kept, ranked
from scopemark.advice.code import Rows
from scopemark.advice.finding import Answer, answered, clearly, farthest, not_measured, outcome_of
from scopemark.benchmark import Benchmark
from scopemark.claims.text import family_text
from scopemark.parameter_words import amount_text, side_text, value_text
from scopemark.quantities import Pair, crossover, matched_pairs, plain, rival_pairs
from scopemark.statistics import Interval


def _is_better(ratio: Interval) -> bool:
    return clearly(ratio) == "better"


def _sides(question: Mapping[str, Any]) -> list[str]:
    """What the two sides of a comparison are called."""
    return [side_text(question[side], question.get("words")) for side in "ab"]


def _both(question: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Rows]:
    """The rows on both sides of a comparison."""
    return {name: [getattr(pair, side) for pair in pairs] for name, side in zip(_sides(question), "ab", strict=True)}


def _ratio(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    a, b = question["a"], question["b"]
    pairs = matched_pairs(family, benchmarks[0], a, b)
    if not pairs:
        return not_measured(family, a, b)
    outcomes = {clearly(pair.ratio) for pair in pairs}
    fields = {"ratio": family_text([pair.ratio for pair in pairs])}
    fields |= {f"instruction_{side}": plain(getattr(pairs[0], side).get("instruction")) or "?" for side in "ab"}
    worst = min(pairs, key=lambda pair: pair.ratio.value).ratio
    outcome = "open" if outcomes <= {"open", "same"} and "open" in outcomes else "varies"
    fields["open"] = f"{' against '.join(_sides(question))}, {fields['ratio']}"
    outcome = outcomes.pop() if len(outcomes) == 1 else outcome
    return [answered(question, outcome, fields, pairs, worst, _both(question, pairs))]


def _enough(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    axis = question["axis"]
    answers = []
    for pairs in _groups(matched_pairs(family, benchmarks[0], {axis: {}}, {axis: {}})):
        ratios = {(plain(pair.a[axis]), plain(pair.b[axis])): pair for pair in pairs}
        values = sorted({value for value, _ in ratios})
        base = values[0]
        best = max(values[1:], key=lambda value: ratios[value, base].ratio.value)
        # Enough: that the fastest is clearly faster cannot be said of it.
        choice = next(value for value in values if value == best or not _is_better(ratios[best, value].ratio))
        if choice != base:
            outcome = "most" if choice == values[-1] else "better"
        else:
            outcome = clearly(ratios[best, base].ratio)
        decides = ratios[best if choice == base else choice, base]
        fields = {
            "ratio": family_text([decides.ratio]),
            "choice": amount_text(axis, choice),
            "base": amount_text(axis, base),
            "best": amount_text(axis, best),
            "ratio_best": family_text([ratios[best, base].ratio]),
        }
        fields["open"] = f"against {value_text(axis, base)}, {value_text(axis, best)} {fields['ratio_best']}"
        sides = {value_text(axis, plain(row[axis])): [row] for row in (decides.b, decides.a)}
        answers.append(answered(question, outcome, fields, [decides], decides.ratio, sides))
    return answers or not_measured(family, {}, {})


def _crossover(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    axis = question["axis"]
    answers = []
    for pairs in _groups(matched_pairs(family, benchmarks[0], question["a"], question["b"]), axis):
        values = _values(pairs, axis)
        start = crossover(pairs, axis, _is_better)
        at = {value: [pair.ratio for pair in pairs if pair.same[axis] == value] for value in values}
        decides = at[values[-1] if start is None else start]
        below = [ratio for value in values if start is not None and value < start for ratio in at[value]]
        fields = {
            "ratio": family_text(decides),
            "from": amount_text(axis, start),
            "bottom": amount_text(axis, values[0]),
            "top": amount_text(axis, values[-1]),
            "ratio_bottom": family_text(at[values[0]]),
            "ratio_top": family_text(at[values[-1]]),
            "ratio_below": family_text(below) if below else "",
            "open": f"{' against '.join(_sides(question))}, {family_text(decides)} with "
            f"{value_text(axis, values[-1])}, the most measured",
        }
        if start is None:
            # That it never pays is not said where the largest value leaves it open.
            outcome = "open" if any(clearly(ratio) == "open" for ratio in decides) else "never"
        else:
            outcome = "always" if start == values[0] else "last" if start == values[-1] else "from"
        least = min(decides, key=lambda ratio: ratio.value)
        answers.append(answered(question, outcome, fields, pairs, least, _both(question, pairs)))
    return answers or not_measured(family, question["a"], question["b"])


def _groups(pairs: Sequence[Pair], axis: str | None = None) -> list[list[Pair]]:
    """The pairs by toolchain and by the parameters they share, but for the axis; in the order they come."""
    found: dict[tuple, list[Pair]] = {}
    for pair in pairs:
        key = (pair.a["toolchain"], *(value for name, value in pair.same.items() if name != axis))
        found.setdefault(key, []).append(pair)
    return list(found.values())


def _best(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    own, rival = benchmarks
    a, b = ({"benchmark": one.name, **question[side]} for side, one in (("a", own), ("b", rival)))
    pairs = rival_pairs(family, own, rival, a, b)
    if not pairs:
        return not_measured(family, a, b)
    axis = question["axis"]
    by_value = {value: [pair.ratio for pair in pairs if pair.same[axis] == value] for value in _values(pairs, axis)}
    items = [f"{family_text(ratios)} with {value_text(axis, value)}" for value, ratios in by_value.items()]
    outcome = outcome_of({clearly(pair.ratio) for pair in pairs})
    fields = {"items": ", ".join(items), "open": f"{own.name} against {rival.name}, {', '.join(items)}"}
    return [answered(question, outcome, fields, pairs, farthest(pairs), {})]


def _values(pairs: Sequence[Pair], axis: str) -> list[Any]:
    return sorted({pair.same[axis] for pair in pairs})


Kind = Callable[[Mapping[str, Any], Sequence[Benchmark], Rows], list[Answer]]
KINDS: dict[str, Kind] = {
    "ratio": _ratio,
    "each": each,
    "ranked": ranked,
    "kept": kept,
    "enough": _enough,
    "crossover": _crossover,
    "best": _best,
}
