"""The words of a finding: numbers, ratios with their intervals, and what tells one comparison from its family."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scopemark.claims.verdict import CONTRADICTED, HOLDS, UNRESOLVED, FamilyVerdict
from scopemark.parameter_words import value_text
from scopemark.quantities import ESTIMATES, Condition, Pair, differing, plain
from scopemark.report.format import digits, interval
from scopemark.statistics import Interval

TIMES = "\N{MULTIPLICATION SIGN}"


def ratio_text(ratio: Interval) -> str:
    """A ratio with its interval, as 12.0 times [11.9, 12.1]; without one where it has none."""
    return interval(ratio.value, ratio.low, ratio.high)


def family_text(ratios: Sequence[Interval]) -> str:
    """One ratio, or the range of several with the widest bounds."""
    if len(ratios) == 1:
        return ratio_text(ratios[0])
    values = [digits(bound(ratio.value for ratio in ratios)) for bound in (min, max)]
    if values[0] == values[1]:
        values.pop()
    low, high = min(ratio.low for ratio in ratios), max(ratio.high for ratio in ratios)
    return f"{'…'.join(values)}{TIMES} [{digits(low)}, {digits(high)}]"


def phrase(pair: Pair, family: Sequence[Pair], a: Condition, b: Condition) -> str:
    """What tells a pair from the others of its family: the varied parameters, then the shared ones, that differ."""
    words = []
    for axis in {**a, **b}:
        sides = [{plain(getattr(other, side)[axis]) for other in family} for side in ("a", "b")]
        if max(map(len, sides)) > 1:
            words.append(f"{value_text(axis, pair.a[axis])} against {value_text(axis, pair.b[axis])}")
    words += [value_text(axis, pair.same[axis]) for axis in differing(family)]
    return ", ".join(words)


def assignments(values: Mapping[str, Any]) -> str:
    """Parameters as "scope=block order=relaxed"."""
    return " ".join(f"{name}={plain(value)}" for name, value in values.items())


def breakdown(keys: Sequence[str], verdicts: Sequence[str]) -> str:
    """How many comparisons of each key hold: "block 4/4, device 1/4"."""
    total = Counter(keys)
    holding = Counter(key for key, verdict in zip(keys, verdicts, strict=True) if verdict == HOLDS)
    return ", ".join(f"{key} {holding[key]:,}/{total[key]:,}" for key in total)


def ranges(keys: Sequence[str], ratios: Sequence[Interval], verdicts: Sequence[str]) -> str:
    """The ratios of each key, and what of them does not hold where others do: "block scope 0.980…1.02× (3 of 4 hold),
    device scope 1.10×, system scope 0.646× (contradicted)"."""
    mixed = len(set(verdicts)) > 1
    parts = []
    for key in dict.fromkeys(keys):
        own = [place for place, one in enumerate(keys) if one == key]
        ends = dict.fromkeys(digits(pick(ratios[place].value for place in own)) for pick in (min, max))
        holding = sum(verdicts[place] == HOLDS for place in own)
        beside = verdicts[own[0]] if len(own) == 1 else f"{holding:,} of {len(own):,} hold"
        parts.append(f"{key} {'…'.join(ends)}{TIMES}" + (f" ({beside})" if mixed and holding < len(own) else ""))
    return ", ".join(parts)


def counts(verdicts: Sequence[str]) -> str:
    """How a family's verdicts are spread: "holds in 3 of 5 comparisons, contradicted in 2"; or "holds in both"."""
    found = Counter(verdicts)
    if len(found) == 1:
        return f"{verdicts[0]} in {'both' if len(verdicts) == 2 else f'all {len(verdicts):,}'} comparisons"
    text = f"holds in {found[HOLDS]:,} of {len(verdicts):,} comparisons"
    for verdict in (CONTRADICTED, UNRESOLVED):
        text += f", {verdict} in {found[verdict]:,}" if found[verdict] else ""
    return text


_NOUNS = {"operations": "throughput", "bytes": "bandwidth", "seconds": "speed", "latency": "speed"}
_UNITS = {"bytes": "B/s", "seconds": "s", "latency": "s"}


def absolute(quantity: Mapping[str, Any], pair: Pair) -> str:
    """What both sides of a comparison measured, where that is worth telling: "50.1 GB/s against 55.2 GB/s"."""
    estimate = quantity.get("estimate", "operations")
    if estimate not in _UNITS:
        return ""
    values = [ESTIMATES[estimate](row).value for row in (pair.a, pair.b)]
    if _UNITS[estimate] == "s":
        values = [1 / value for value in values]
    return " against ".join(interval(value, math.nan, math.nan, _UNITS[estimate]) for value in values)


def ratio_finding(
    quantity: Mapping[str, Any], pairs: Sequence[Pair], verdicts: Sequence[str], family: FamilyVerdict
) -> str:
    """The finding on a family of ratios, without what stands beside it."""
    names = quantity["names"]
    pair = pairs[family.deciding]
    noun = _NOUNS[quantity.get("estimate", "operations")]
    if len(pairs) == 1:
        beside = f" ({absolute(quantity, pair)})" if absolute(quantity, pair) else ""
        return f"{names['a']} reaches {ratio_text(pair.ratio)} the {noun} of {names['b']}{beside}"
    label = "; ".join(filter(None, [phrase(pair, pairs, quantity["a"], quantity["b"]), absolute(quantity, pair)]))
    rank = "least favourable" if family.verdict == HOLDS else "worst"
    text = f"{names['a']} against {names['b']}, {noun}: {counts(verdicts)}; {rank}: {ratio_text(pair.ratio)} ({label})"
    if by := quantity.get("by"):
        keys = [" ".join(value_text(axis, one.a[axis]) for axis in by) for one in pairs]
        if len(set(keys)) > 1:
            text += f"; {ranges(keys, [one.ratio for one in pairs], verdicts)}"
    return text


def sentence(parts: Iterable[str]) -> str:
    """The parts of one sentence, from its capital to its full stop; what begins with a name of code keeps it.

    >>> sentence(["one case", "it holds"]), sentence(["cudaMemcpyDefault is slower"])
    ('One case; it holds.', 'cudaMemcpyDefault is slower.')
    """
    text = "; ".join(filter(None, parts))
    first = text.partition(" ")[0]
    code = first != first.lower() or "_" in first
    return f"{text if code else text[:1].upper() + text[1:]}."
