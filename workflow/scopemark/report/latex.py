"""Tables and numbers for a paper: LaTeX that needs only booktabs, and macros for the numbers in its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from scopemark.report.format import digits, missing

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "×": r"$\times$", "…": r"\ldots{}", "²": r"$^2$",
}  # fmt: skip
_ONES = [
    *("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"),
    *("Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen"),
]
_TENS = ["_", "_", "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"]


def escape(text: object) -> str:
    """A text as LaTeX prints it; empty for a missing value."""
    return "" if missing(text) else "".join(_SPECIAL.get(letter, letter) for letter in str(text))


def table(frame: pd.DataFrame, headings: Sequence[str], alignment: str, code: Sequence[str] = ()) -> str:
    """A tabular with rules by booktabs. `alignment`: one letter per column; `code`: the columns in typewriter type."""
    body = []
    for row in frame.to_dict("records"):
        cells = [r"\texttt{" + escape(v) + "}" if k in code and escape(v) else escape(v) for k, v in row.items()]
        body.append(" & ".join(cells) + r" \\")
    heading = " & ".join(map(escape, headings)) + r" \\"
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", heading, r"\midrule", *body]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def spelled(number: int) -> str:
    """A number in words, as macro names have no digits: 200 is TwoHundred, 3060 ThreeThousandSixty."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (spelled(number % 10) if number % 10 else "")
    for size, name in ((1_000_000_000, "Billion"), (1_000_000, "Million"), (1000, "Thousand"), (100, "Hundred")):
        if number >= size:
            return spelled(number // size) + name + (spelled(number % size) if number % size else "")
    raise ValueError(number)


def macro_name(*words: str) -> str:
    """The name of a macro: scopemark and the words in camel case, numbers spelled out, without the backslash."""
    parts = re.findall(r"[A-Za-z]+|[0-9]+", " ".join(words))
    return "scopemark" + "".join(spelled(int(part)) if part.isdigit() else part.capitalize() for part in parts)


def macros(numbers: pd.DataFrame) -> str:
    """Three macros per number: the value, and its interval's bounds as ...Low and ...High; units in the comment.

    numbers: columns run, target, machine, quantity, unit, value, low, high. A rate is in 10^9 per second, and a time in
    µs. Names must differ, or the paper would quote one number for another: ValueError if two are alike.
    """
    lines = ["% Written by scopemark from the points of the figures. Rates are in 10^9 per second, times in 10^-6 s."]
    seen: set[str] = set()
    for row in numbers.itertuples():
        recorded = [] if row.run == "here" else ["recorded"]
        name = macro_name(*recorded, row.target, row.quantity)
        if name in seen:
            raise ValueError(f"two numbers would have the name {name}")
        seen.add(name)
        scale, unit = {"ratio": (1.0, ""), "s": (1e-6, ", 10^-6 s")}.get(row.unit, (1e9, f", 10^9 {row.unit}"))
        lines.append(f"% {row.machine}: {row.quantity}{unit}")
        for ending, value in (("", row.value), ("Low", row.low), ("High", row.high)):
            if not missing(value):
                lines.append(rf"\newcommand{{\{name}{ending}}}{{{_plain(value / scale)}}}")
    return "\n".join([*lines, ""])


def _plain(value: float) -> str:
    """Four significant digits, without the separators of thousands that a paper sets in its own way."""
    return digits(value, 4).replace(",", "")
