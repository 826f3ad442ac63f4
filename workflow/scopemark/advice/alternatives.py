"""Questions about several alternatives: each of them against the first, the best and the worst, and what they lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.advice.code import Rows
from scopemark.advice.finding import Answer, answered, clearly, farthest, not_measured, outcome_of, ratios
from scopemark.benchmark import Benchmark
from scopemark.claims.text import TIMES
from scopemark.claims.verdict import BAND
from scopemark.parameter_words import value_text
from scopemark.quantities import USABLE, Pair, matched_pairs, plain, select
from scopemark.report.format import digits
from scopemark.statistics import geometric_mean


def each(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    """Every value of an axis against the first."""
    found, against = _against_the_first(question, benchmarks[0], family)
    if not found:
        return _no_alternatives(question, family)
    items = [f"{value} {ratios(pairs)}" for value, pairs in found.items()]
    pairs = [pair for several in found.values() for pair in several]
    fields = {"items": ", ".join(items), "open": f"against {against}, {', '.join(items)}"}
    sides = {against: [pair.b for pair in pairs]}
    sides |= {value: [pair.a for pair in own] for value, own in found.items()}
    outcome = outcome_of({clearly(pair.ratio) for pair in pairs})
    return [answered(question, outcome, fields, pairs, farthest(pairs), sides)]


def ranked(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    """The best of them, with all that cannot be told from it; the next; and the worst."""
    found, against = _against_the_first(question, benchmarks[0], family)
    if not found:
        return _no_alternatives(question, family)
    ranks = {value: geometric_mean([pair.ratio.value for pair in pairs]) for value, pairs in found.items()}
    order = sorted(ranks, key=ranks.__getitem__, reverse=True)
    best, worst = order[0], order[-1]
    fields = {"choice": best, "ratio": ratios(found[best]), "worst": worst, "ratio_worst": ratios(found[worst])}
    top = _level_with_the_best(question["axis"], benchmarks[0], family, [found[value] for value in order])
    fields["then"] = f", then {order[top]}, {ratios(found[order[top]])}" if top < len(order) - 1 else ""
    pairs = [*found[best], *found[worst]]
    clear = {clearly(pair.ratio) for pair in pairs}
    for value, (ratio, text) in _cut_short(question, benchmarks[0], family).items():
        if ratio < ranks[worst]:
            worst, ranks[value] = value, ratio
            fields |= {"worst": value, "ratio_worst": text}
            clear.add("worse")
    ends = dict.fromkeys(f"{value} {ratios(found[value])}" for value in (best, order[-1]))
    fields["open"] = f"against {against}, {', '.join(ends)}"
    sides = {against: [pair.b for pair in pairs]}
    sides |= {value: [pair.a for pair in found[value]] for value in dict.fromkeys((best, order[-1]))}
    outcome = outcome_of(clear)
    if outcome in ("better", "worse", "mixed") and top > 1:
        level = order[:top]
        named = f"{', '.join(level[:-1])} or {level[-1]}"
        fields |= {"choice": named, "ratio": ratios([pair for value in level for pair in found[value]])}
    return [answered(question, outcome, fields, pairs, farthest(found[best]), sides)]


def _level_with_the_best(axis: str, benchmark: Benchmark, family: Rows, order: Sequence[Sequence[Pair]]) -> int:
    """How many of the values, whose pairs are in the order of their speed, nothing tells from the first.

    They stand on the same side of what they are all compared with, and the interval of the ratio of the two contains 1.
    """
    best, sides = order[0][0].a[axis], {clearly(pair.ratio) for pair in order[0]}
    for place, pairs in enumerate(order[1:], 1):
        between = matched_pairs(family, benchmark, {axis: plain(best)}, {axis: plain(pairs[0].a[axis])})
        if all(pair.ratio.low > 1 for pair in between) or {clearly(pair.ratio) for pair in pairs} != sides:
            return place
    return len(order)


def _against_the_first(
    question: Mapping[str, Any], benchmark: Benchmark, family: Rows
) -> tuple[dict[str, list[Pair]], str]:
    """The pairs of every value of an axis with the first, by what the value is called; and what the first is."""
    axis, (first, *others) = question["axis"], question["values"]
    found = {value: matched_pairs(family, benchmark, {axis: value}, {axis: first}) for value in others}
    against = question.get("words", {}).get(str(first)) or value_text(axis, first)
    return {_called(question, value): pairs for value, pairs in found.items() if pairs}, against


def _called(question: Mapping[str, Any], value: Any) -> str:
    return question.get("words", {}).get(str(value), str(value))


def _no_alternatives(question: Mapping[str, Any], family: Rows) -> list[Answer]:
    axis, (first, *others) = question["axis"], question["values"]
    return not_measured(family, {axis: others}, {axis: first})


def _cut_short(question: Mapping[str, Any], benchmark: Benchmark, family: Rows) -> dict[str, tuple[float, str]]:
    """What was too slow for its time budget: by what it is called, its ratio to the first, and that in words.

    Too few samples have no interval: of these count the ones whose fastest sample is clearly slower than the first.
    """
    axis, (first, *others) = question["axis"], question["values"]
    shared = [one.name for one in benchmark.all_axes if one.name != axis]
    found = {}
    for base in select(family, {axis: first}):
        same = {name: base[name] for name in shared if plain(base.get(name)) is not None}
        for row in select(family, {**same, axis: others}):
            times = [plain(one.get(f"{name}_seconds")) for one, name in ((base, "high"), (row, "minimum"))]
            if base["status"] in USABLE and row["status"] == "skipped" and None not in times:
                ratio, samples = float(base["median_seconds"]) / float(row["median_seconds"]), int(row["samples"])
                if float(times[0]) / float(times[1]) < BAND[0]:
                    counted = f"{samples:,} samples" if samples > 1 else "one sample"
                    text = f"{digits(ratio)}{TIMES}, {digits(1 / ratio)} times as long"
                    found[_called(question, row[axis])] = ratio, f"{text}, in the {counted} that it had time for"
    return found


def kept(question: Mapping[str, Any], benchmarks: Sequence[Benchmark], family: Rows) -> list[Answer]:
    """The fastest of those that lose no update, and what the others lose; if all lose some, the fastest of them."""
    axis, values = question["axis"], question["values"]
    rows = {value: row for value in values for row in select(family, {axis: value}) if _lost(row) is not None}
    if len(rows) < 2:
        return _no_alternatives(question, family)
    losing = [value for value, row in rows.items() if _lost(row)[-1] > 0]
    keeping = [value for value in rows if value not in losing]
    choice = max(keeping or losing, key=lambda value: float(rows[value]["operations_per_second"]))
    others = [value for value in (losing if keeping and losing else rows) if value != choice]
    pairs = matched_pairs(list(rows.values()), benchmarks[0], {axis: choice}, {axis: others})
    fields = {
        "choice": _called(question, choice),
        "ratio": ratios(pairs),
        "others": " and ".join(_called(question, value) for value in others),
        "losing": " and ".join(f"{_called(question, value)} loses {_share(_lost(rows[value]))}" for value in losing),
    }
    outcome = "none" if not keeping else "some" if losing else "all"
    sides = {_called(question, value): [row] for value, row in rows.items()}
    return [answered(question, outcome, fields, pairs, farthest(pairs), sides)]


def _lost(row: Mapping[str, Any]) -> list[float] | None:
    """The share of its updates that a case lost: the median, the least and the most of its samples."""
    values = [plain(row.get(f"lost_updates_{name}")) for name in ("median", "least", "most")]
    if row["status"] not in USABLE or None in values:
        return None
    return [float(value) / float(row["operations"]) for value in values]


def _share(lost: Sequence[float]) -> str:
    median, least, most = (f"{100 * share:.3g}" for share in lost)
    return f"{median} % [{least}, {most}]"
