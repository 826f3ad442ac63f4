"""Advice: what a reader should do on a machine, as sentences that the measured ratios choose.

`workflow/report/advice/<experiment>.yaml` maps ids to questions. Each kind of question has outcomes, which are the
keys of its answers; in braces stand the fields a sentence may use besides {ratio}, a ratio with its 95 % interval:

    ratio      a against b: better, same, worse. {instruction_a}, {instruction_b}
    each       every value of an axis against the first: same if all are; better or worse if some are and none is the
               other; mixed. {items}
    enough     the smallest value of an axis beyond which no other is clearly faster, against the smallest measured:
               better; most where that is the largest measured, so that more may gain more; same; worse where every
               other value is clearly slower. {choice}, {base}, {best}: the fastest but the smallest, {ratio_best}
    crossover  from which value of an axis on a is clearly better than b: always; from; last, if that is the largest
               value measured; never. {from}, {bottom}, {top}, {ratio_bottom}, {ratio_top}, {ratio_below}

Better and worse mean clearly so: the interval lies outside the equality band. An interval inside it is the same; where
one reaches across its edge it cannot be told, and that is the answer.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scopemark.benchmark import Benchmark
from scopemark.claims_definitions import benchmark_of, check_condition, check_family, lacking, read_definitions
from scopemark.claims_text import family_text, sentence, shown
from scopemark.claims_verdict import BAND, inside_band
from scopemark.errors import UserError
from scopemark.experiment import Experiment, load_experiment
from scopemark.layout import REPORT
from scopemark.quantities import Pair, crossover, differing, matched_pairs, plain, select, why_no_pairs
from scopemark.statistics import Interval

OUTCOMES = {
    "ratio": ("better", "same", "worse"),
    "each": ("better", "same", "worse", "mixed"),
    "enough": ("better", "most", "same", "worse"),
    "crossover": ("always", "from", "last", "never"),
}
FIELDS = {
    "ratio": ("ratio", "instruction_a", "instruction_b"),
    "each": ("items",),
    "enough": ("ratio", "choice", "base", "best", "ratio_best"),
    "crossover": ("ratio", "from", "bottom", "top", "ratio_bottom", "ratio_top", "ratio_below"),
}
_WORDS = {
    "address": "{} address",
    "bins": "{} bin{s}",
    "cache": "{} cache",
    "counters_per_block": "{} counter{s} per block",
    "density": "density {}",
    "elements": "{} element{s}",
    "iterations": "{} operation{s} per thread",
    "mapping": "mapping {}",
    "order": "{} order",
    "placement": "{} memory",
    "result": "result {}",
    "scope": "{} scope",
    "skew": "Zipf exponent {}",
    "slots": "{} slot{s}",
    "stride_bytes": "{} byte{s} apart",
    "updates": "{} update{s}",
}
"""Axis to how a sentence's conditions say its value; the others are said as they are."""

CANNOT_TELL = f"Too noisy, or too small, to tell within {100 * (BAND[1] - 1):.0f} %"
VARIES = "Not the same in every case"

Answer = tuple[str, Interval | None]


def load_advice(experiment: str, file: Path | None = None) -> dict[str, dict[str, Any]]:
    """Id to question, in the file's order; none if the experiment has no file. UserError for the first mistake."""
    file = file or REPORT / "advice" / f"{experiment}.yaml"
    if not file.exists():
        return {}
    questions = read_definitions(file, "advice")["questions"]
    for name, question in questions.items():
        _check(question, load_experiment(experiment), f"{file}: questions.{name}")
    return questions


def _check(question: Mapping[str, Any], experiment: Experiment, where: str) -> None:
    benchmark = benchmark_of(experiment, question, where)
    check_family(question, [benchmark], where)
    for axis in [*question.get("conditions", []), *filter(None, [question.get("axis")])]:
        check_condition({axis: question.get("values", []) if axis == question.get("axis") else []}, [benchmark], where)
    outcomes, fields = OUTCOMES[question["kind"]], FIELDS[question["kind"]]
    if set(question["answers"]) != set(outcomes):
        raise UserError(
            f"{where}.answers: has {', '.join(question['answers'])}; a question of the kind {question['kind']} needs "
            f"exactly: {', '.join(outcomes)}"
        )
    for outcome, text in question["answers"].items():
        try:
            used = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        except ValueError as error:
            raise UserError(f"{where}.answers.{outcome}: {error}") from None
        if used - set(fields):
            raise UserError(
                f"{where}.answers.{outcome}: there is no field {min(used - set(fields))!r}; there are: "
                f"{', '.join(fields)}"
            )


def clearly(ratio: Interval) -> str:
    """better, same, worse, or open where the interval reaches across the edge of the equality band."""
    if inside_band(ratio):
        return "same"
    if ratio.low > BAND[1]:
        return "better"
    return "worse" if ratio.high < BAND[0] else "open"


def _is_better(ratio: Interval) -> bool:
    return clearly(ratio) == "better"


def answer(
    question: Mapping[str, Any], experiment: Experiment, machine: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> list[Answer]:
    """The answers to a question from the rows of one run and target, each with the ratio that decides.

    None where the question is not about this machine; several where what was measured falls into separate families.
    """
    if lacking(question["needs"], machine) is not None:
        return []
    benchmark = experiment.benchmark(question["benchmark"])
    family = select([row for row in rows if row["benchmark"] == benchmark.name], question.get("where", {}))
    return _KINDS[question["kind"]](question, benchmark, family)


def _not_measured(family: Sequence[Mapping[str, Any]], a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Answer]:
    return [(sentence([f"not measured here: {why_no_pairs(family, a, b)}"]), None)]


def _ratio(question: Mapping[str, Any], benchmark: Benchmark, family: Sequence[Mapping[str, Any]]) -> list[Answer]:
    a, b = question["a"], question["b"]
    pairs = matched_pairs(family, benchmark, a, b)
    if not pairs:
        return _not_measured(family, a, b)
    outcomes = {clearly(pair.ratio) for pair in pairs}
    fields = {"ratio": family_text([pair.ratio for pair in pairs])}
    fields |= {f"instruction_{side}": plain(getattr(pairs[0], side).get("instruction")) or "?" for side in "ab"}
    worst = min(pairs, key=lambda pair: pair.ratio.value).ratio
    outcome = "open" if outcomes <= {"open", "same"} and "open" in outcomes else "varies"
    fields["open"] = f"{_side(a)} against {_side(b)}, {fields['ratio']}"
    return [(_say(question, outcomes.pop() if len(outcomes) == 1 else outcome, fields, pairs), worst)]


def _each(question: Mapping[str, Any], benchmark: Benchmark, family: Sequence[Mapping[str, Any]]) -> list[Answer]:
    axis, (first, *others) = question["axis"], question["values"]
    found = {value: matched_pairs(family, benchmark, {axis: value}, {axis: first}) for value in others}
    found = {value: pairs for value, pairs in found.items() if pairs}
    if not found:
        return _not_measured(family, {axis: others}, {axis: first})
    words = question.get("words", {})
    items = [
        f"{words.get(str(value), value)} {family_text([pair.ratio for pair in pairs])}"
        for value, pairs in found.items()
    ]
    pairs = [pair for several in found.values() for pair in several]
    outcomes = {clearly(pair.ratio) for pair in pairs}
    clear = outcomes & {"better", "worse"}
    outcome = "mixed" if len(clear) == 2 else clear.pop() if clear else "same" if outcomes == {"same"} else "open"
    against = words.get(str(first)) or _value(axis, first)
    fields = {"items": ", ".join(items), "open": f"against {against}, {', '.join(items)}"}
    farthest = max(pairs, key=lambda pair: abs(math.log(pair.ratio.value)))
    return [(_say(question, outcome, fields, pairs), farthest.ratio)]


def _enough(question: Mapping[str, Any], benchmark: Benchmark, family: Sequence[Mapping[str, Any]]) -> list[Answer]:
    axis = question["axis"]
    answers = []
    for pairs in _groups(matched_pairs(family, benchmark, {axis: {}}, {axis: {}})):
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
            "choice": shown(choice),
            "base": shown(base),
            "best": shown(best),
            "ratio_best": family_text([ratios[best, base].ratio]),
            "open": f"against {_value(axis, base)}, {_value(axis, best)} {family_text([ratios[best, base].ratio])}",
        }
        answers.append((_say(question, outcome, fields, [decides]), decides.ratio))
    return answers or _not_measured(family, {}, {})


def _crossover(question: Mapping[str, Any], benchmark: Benchmark, family: Sequence[Mapping[str, Any]]) -> list[Answer]:
    axis = question["axis"]
    answers = []
    for pairs in _groups(matched_pairs(family, benchmark, question["a"], question["b"]), axis):
        values = sorted({pair.same[axis] for pair in pairs})
        start = crossover(pairs, axis, _is_better)
        at = {value: [pair.ratio for pair in pairs if pair.same[axis] == value] for value in values}
        decides = at[values[-1] if start is None else start]
        below = [ratio for value in values if start is not None and value < start for ratio in at[value]]
        fields = {
            "ratio": family_text(decides),
            "from": shown(start),
            "bottom": shown(values[0]),
            "top": shown(values[-1]),
            "ratio_bottom": family_text(at[values[0]]),
            "ratio_top": family_text(at[values[-1]]),
            "ratio_below": family_text(below) if below else "",
            "open": f"{_side(question['a'])} against {_side(question['b'])}, {family_text(decides)} at "
            f"{_value(axis, values[-1])}, the most measured",
        }
        if start is None:
            # That it never pays is not said where the largest value leaves it open.
            outcome = "open" if any(clearly(ratio) == "open" for ratio in decides) else "never"
        else:
            outcome = "always" if start == values[0] else "last" if start == values[-1] else "from"
        answers.append((_say(question, outcome, fields, pairs), min(decides, key=lambda ratio: ratio.value)))
    return answers or _not_measured(family, question["a"], question["b"])


_KINDS: dict[str, Callable[[Mapping[str, Any], Benchmark, Sequence[Mapping[str, Any]]], list[Answer]]] = {
    "ratio": _ratio,
    "each": _each,
    "enough": _enough,
    "crossover": _crossover,
}


def _groups(pairs: Sequence[Pair], axis: str | None = None) -> list[list[Pair]]:
    """The pairs by toolchain and by the parameters they share, but for the axis; in the order they come."""
    found: dict[tuple, list[Pair]] = {}
    for pair in pairs:
        key = (pair.a["toolchain"], *(value for name, value in pair.same.items() if name != axis))
        found.setdefault(key, []).append(pair)
    return list(found.values())


def _say(question: Mapping[str, Any], outcome: str, fields: Mapping[str, Any], pairs: Sequence[Pair]) -> str:
    """The sentence of an outcome, with the conditions it was measured under in brackets before its full stop."""
    if outcome in ("open", "varies"):
        text = f"{CANNOT_TELL if outcome == 'open' else VARIES}: {fields['open']}"
    else:
        text = question["answers"][outcome].format_map(fields)
    return f"{text.removesuffix('.')} ({'; '.join(_conditions(question, pairs))})."


def _conditions(question: Mapping[str, Any], pairs: Sequence[Pair]) -> list[str]:
    """How a family was launched and the values of the axes that a question names; a range is left out."""
    launches = {(int(pair.a["launch_blocks"]), int(pair.a["launch_threads"])) for pair in pairs}
    unit = "block" if pairs[0].a["target_kind"] == "gpu" else "team"
    said = [f"{_counted(blocks, unit)} of {_counted(threads, 'thread')}" for blocks, threads in sorted(launches)]
    for axis in question.get("conditions", []):
        if axis in pairs[0].same and axis not in differing(pairs):
            said.append(_value(axis, pairs[0].same[axis]))
    return said


def _value(axis: str, value: Any) -> str:
    """A value of an axis in words: relaxed order, 1 slot, 1,024 slots."""
    return _WORDS.get(axis, "{}").format(shown(value), s="" if plain(value) == 1 else "s")


def _side(condition: Mapping[str, Any]) -> str:
    """What one side of a comparison is, in words."""
    return ", ".join(
        " or ".join(_value(axis, one) for one in wanted) if isinstance(wanted, list) else _value(axis, wanted)
        for axis, wanted in condition.items()
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
