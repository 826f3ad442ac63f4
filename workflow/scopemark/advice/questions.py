"""Advice: what a reader should do on a machine, as sentences that the measured ratios choose.

`workflow/report/advice/<experiment>.yaml` maps ids to questions. Each kind of question has outcomes, which are the
keys of its answers; in braces stand the fields a sentence may use besides {ratio}, a ratio with its 95 % interval:

    ratio      a against b: better, same, worse. {instruction_a}, {instruction_b}
    each       every value of an axis against the first: same if all are; better or worse if some are and none is the
               other; mixed. {items}
    ranked     the same, of which the fastest two and the slowest are told: mixed where the ends clearly differ from the
               first. {choice}: the fastest, and those that nothing tells from it, {ratio}, {then}: the next, if it is
               not the slowest, {worst}, {ratio_worst}
    kept       the values of an axis of which no update is lost: all, some, none. {choice}: the fastest of them, {ratio}
               to {others}: those that lose some or, if none does, the rest, {losing}: who loses how many
    enough     the smallest value of an axis beyond which no other is clearly faster, against the smallest measured:
               better; most where that is the largest measured, so that more may gain more; same; worse where every
               other value is clearly slower. {choice}, {base}, {best}: the fastest but the smallest, {ratio_best}
    crossover  from which value of an axis on a is clearly better than b: always; from; last, if that is the largest
               value measured; never. {from}, {bottom}, {top}, {ratio_bottom}, {ratio_top}, {ratio_below}
    best       at every point of the axes that the benchmark and its `rival` share, the fastest of a against the fastest
               of b, which is the rival's: better, same, worse, mixed. {items}: by the values of an axis
    paradigm   which paradigm of unified memory the GPU has, by its attributes. {attribute}: the one that decides,
               {lacking}: what keeps the GPU from paging

Better and worse mean clearly so: the interval lies outside the equality band. An interval inside it is the same; where
one reaches across its edge it cannot be told, and that is the answer. `expected` names the outcomes that one would have
guessed: beside any other that is clear stands what the kernels of both sides compiled to. `topic` groups questions, and
the answers to those that `lead` stand first.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scopemark.advice.answers import KINDS
from scopemark.advice.finding import Answer
from scopemark.advice.paradigm import by_paradigm
from scopemark.benchmark import Benchmark
from scopemark.claims.definitions import benchmark_of, check_condition, check_family, lacking, read_definitions
from scopemark.errors import UserError
from scopemark.experiment import Experiment, load_experiment
from scopemark.layout import REPORT
from scopemark.paradigm import PARADIGMS
from scopemark.quantities import select

OUTCOMES = {
    "ratio": ("better", "same", "worse"),
    "each": ("better", "same", "worse", "mixed"),
    "ranked": ("better", "same", "worse", "mixed"),
    "enough": ("better", "most", "same", "worse"),
    "crossover": ("always", "from", "last", "never"),
    "best": ("better", "same", "worse", "mixed"),
    "kept": ("all", "some", "none"),
    "paradigm": tuple(one.key for one in PARADIGMS),
}
FIELDS = {
    "ratio": ("ratio", "instruction_a", "instruction_b"),
    "each": ("items",),
    "ranked": ("choice", "ratio", "then", "worst", "ratio_worst"),
    "enough": ("ratio", "choice", "base", "best", "ratio_best"),
    "crossover": ("ratio", "from", "bottom", "top", "ratio_bottom", "ratio_top", "ratio_below"),
    "best": ("items",),
    "kept": ("choice", "ratio", "others", "losing"),
    "paradigm": ("attribute", "lacking"),
}


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
    benchmarks = _benchmarks(question, experiment, where)
    check_family(question, benchmarks, where)
    for axis in [*question.get("conditions", []), *filter(None, [question.get("axis")])]:
        check_condition({axis: question.get("values", []) if axis == question.get("axis") else []}, benchmarks, where)
    outcomes, fields = OUTCOMES[question["kind"]], FIELDS[question["kind"]]
    if set(question["answers"]) != set(outcomes):
        raise UserError(
            f"{where}.answers: has {', '.join(question['answers'])}; a question of the kind {question['kind']} needs "
            f"exactly: {', '.join(outcomes)}"
        )
    if unknown := set(question.get("expected", [])) - set(outcomes):
        raise UserError(f"{where}.expected: {min(unknown)!r} is no outcome; accepted: {', '.join(outcomes)}")
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


def answer(
    question: Mapping[str, Any], experiment: Experiment, machine: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> list[Answer]:
    """The answers to a question from the rows of one run and target, each with the ratio that decides.

    None where the question is not about this machine; several where what was measured falls into separate families.
    """
    if lacking(question["needs"], machine) is not None:
        return []
    if question["kind"] == "paradigm":
        return by_paradigm(question, machine)
    benchmarks = _benchmarks(question, experiment, question["question"])
    names = [benchmark.name for benchmark in benchmarks]
    family = select([row for row in rows if row["benchmark"] in names], question.get("where", {}))
    return KINDS[question["kind"]](question, benchmarks, family)


def _benchmarks(question: Mapping[str, Any], experiment: Experiment, where: str) -> list[Benchmark]:
    """The benchmark that a question is about, and its rival if it has one."""
    names = filter(None, [question.get("benchmark"), question.get("rival")])
    return [benchmark_of(experiment, {"benchmark": name}, where) for name in names]
