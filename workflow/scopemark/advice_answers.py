"""The kinds of questions: which sentence the ratios of matched pairs choose, and what they fill it with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scopemark.advice_code import Rows, reason
from scopemark.advice_words import say
from scopemark.benchmark import Benchmark
from scopemark.claims_text import family_text, sentence
from scopemark.claims_verdict import BAND, inside_band
from scopemark.parameter_words import amount_text, side_text, value_text
from scopemark.quantities import Pair, crossover, matched_pairs, plain, rival_pairs, why_no_pairs
from scopemark.statistics import Interval, geometric_mean


class Answer(NamedTuple):
    """A sentence, the ratio that decides, and where one would not have guessed it, what the tables know of why."""

    text: str
    ratio: Interval | None = None
    surprise: str = ""


def clearly(ratio: Interval) -> str:
    """better, same, worse, or open where the interval reaches across the edge of the equality band."""
    if inside_band(ratio):
        return "same"
    if ratio.low > BAND[1]:
        return "better"
    return "worse" if ratio.high < BAND[0] else "open"


def _is_better(ratio: Interval) -> bool:
    return clearly(ratio) == "better"


def _answer(
    question: Mapping[str, Any],
    outcome: str,
    fields: Mapping[str, Any],
    pairs: Sequence[Pair],
    ratio: Interval,
    sides: Mapping[str, Rows],
) -> Answer:
    """The sentence of an outcome, and beside one that is clear and not expected, the machine code of the sides."""
    surprising = outcome not in (*question.get("expected", [outcome]), "open", "varies")
    return Answer(say(question, outcome, fields, pairs), ratio, reason(sides) if surprising else "")


def _both(question: Mapping[str, Any], pairs: Sequence[Pair]) -> dict[str, Rows]:
    """The rows on both sides of a comparison."""
    return {side_text(question[side]): [getattr(pair, side) for pair in pairs] for side in "ab"}


def _not_measured(family: Rows, a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Answer]:
    return [Answer(sentence([f"not measured here: {why_no_pairs(family, a, b)}"]))]


def _ratio(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    a, b = question["a"], question["b"]
    pairs = matched_pairs(family, benchmarks[0], a, b)
    if not pairs:
        return _not_measured(family, a, b)
    outcomes = {clearly(pair.ratio) for pair in pairs}
    fields = {"ratio": family_text([pair.ratio for pair in pairs])}
    fields |= {f"instruction_{side}": plain(getattr(pairs[0], side).get("instruction")) or "?" for side in "ab"}
    worst = min(pairs, key=lambda pair: pair.ratio.value).ratio
    outcome = "open" if outcomes <= {"open", "same"} and "open" in outcomes else "varies"
    fields["open"] = f"{side_text(a)} against {side_text(b)}, {fields['ratio']}"
    outcome = outcomes.pop() if len(outcomes) == 1 else outcome
    return [_answer(question, outcome, fields, pairs, worst, _both(question, pairs))]


def _each(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    found, against = _against_the_first(question, benchmarks[0], family)
    if not found:
        return _no_alternatives(question, family)
    items = [f"{value} {_ratios(pairs)}" for value, pairs in found.items()]
    pairs = [pair for several in found.values() for pair in several]
    fields = {"items": ", ".join(items), "open": f"against {against}, {', '.join(items)}"}
    sides = {against: [pair.b for pair in pairs]}
    sides |= {value: [pair.a for pair in own] for value, own in found.items()}
    return [_answer(question, _of_several(pairs), fields, pairs, _farthest(pairs), sides)]


def _ranked(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    found, against = _against_the_first(question, benchmarks[0], family)
    if not found:
        return _no_alternatives(question, family)
    ranks = {value: geometric_mean([pair.ratio.value for pair in pairs]) for value, pairs in found.items()}
    best, worst = (pick(ranks, key=ranks.__getitem__) for pick in (max, min))
    fields = {"choice": best, "ratio": _ratios(found[best]), "worst": worst, "ratio_worst": _ratios(found[worst])}
    fields["open"] = f"against {against}, {best} {fields['ratio']}, {worst} {fields['ratio_worst']}"
    pairs = [*found[best], *found[worst]]
    sides = {against: [pair.b for pair in pairs]}
    sides |= {value: [pair.a for pair in found[value]] for value in (best, worst)}
    return [_answer(question, _of_several(pairs), fields, pairs, _farthest(found[best]), sides)]


def _against_the_first(
    question: Mapping[str, Any], benchmark: Benchmark, family: Rows
) -> tuple[dict[str, list[Pair]], str]:
    """The pairs of every value of an axis with the first, by what the value is called; and what the first is."""
    axis, (first, *others) = question["axis"], question["values"]
    words = question.get("words", {})
    found = {value: matched_pairs(family, benchmark, {axis: value}, {axis: first}) for value in others}
    named = {words.get(str(value), str(value)): pairs for value, pairs in found.items() if pairs}
    return named, words.get(str(first)) or value_text(axis, first)


def _no_alternatives(question: Mapping[str, Any], family: Rows) -> list[Answer]:
    axis, (first, *others) = question["axis"], question["values"]
    return _not_measured(family, {axis: others}, {axis: first})


def _ratios(pairs: Sequence[Pair]) -> str:
    return family_text([pair.ratio for pair in pairs])


def _of_several(pairs: Sequence[Pair]) -> str:
    """The outcome of ratios that may go either way."""
    outcomes = {clearly(pair.ratio) for pair in pairs}
    clear = outcomes & {"better", "worse"}
    return "mixed" if len(clear) == 2 else clear.pop() if clear else "same" if outcomes == {"same"} else "open"


def _farthest(pairs: Sequence[Pair]) -> Interval:
    """The ratio farthest from 1."""
    return max((pair.ratio for pair in pairs), key=lambda ratio: abs(math.log(ratio.value)))


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
        answers.append(_answer(question, outcome, fields, [decides], decides.ratio, sides))
    return answers or _not_measured(family, {}, {})


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
            "open": f"{side_text(question['a'])} against {side_text(question['b'])}, {family_text(decides)} at "
            f"{value_text(axis, values[-1])}, the most measured",
        }
        if start is None:
            # That it never pays is not said where the largest value leaves it open.
            outcome = "open" if any(clearly(ratio) == "open" for ratio in decides) else "never"
        else:
            outcome = "always" if start == values[0] else "last" if start == values[-1] else "from"
        least = min(decides, key=lambda ratio: ratio.value)
        answers.append(_answer(question, outcome, fields, pairs, least, _both(question, pairs)))
    return answers or _not_measured(family, question["a"], question["b"])


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
        return _not_measured(family, a, b)
    axis = question["axis"]
    by_value = {value: [pair.ratio for pair in pairs if pair.same[axis] == value] for value in _values(pairs, axis)}
    items = [f"{family_text(ratios)} with {value_text(axis, value)}" for value, ratios in by_value.items()]
    outcome = _of_several(pairs)
    fields = {"items": ", ".join(items), "open": f"{own.name} against {rival.name}, {', '.join(items)}"}
    return [_answer(question, outcome, fields, pairs, _farthest(pairs), {})]


def _values(pairs: Sequence[Pair], axis: str) -> list[Any]:
    return sorted({pair.same[axis] for pair in pairs})


Kind = Callable[[Mapping[str, Any], Sequence[Benchmark], Rows], list[Answer]]
KINDS: dict[str, Kind] = {
    "ratio": _ratio,
    "each": _each,
    "ranked": _ranked,
    "enough": _enough,
    "crossover": _crossover,
    "best": _best,
}
