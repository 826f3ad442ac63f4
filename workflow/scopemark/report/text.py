"""Tables in plain text: columns that line up, for a terminal as for the page.

A text is a module in `workflow/report/texts/<experiment>/` with
    TITLE                    what the text shows, in a few words;
    text(results) -> str     the text, from the same `Results` as a figure's; empty where no run has what it shows.
    PROSE                    optional: true for answers in reStructuredText, which the page sets before the figures.
It is written to `reports/tables/<name>.txt` and stands in the page.
"""

from __future__ import annotations

from collections.abc import Sequence

GAP = "  "


def lined_up(rows: Sequence[Sequence[str]], alignment: str) -> list[str]:
    """The rows as lines in which every column has the width of its widest cell. alignment: l or r for each column.

    >>> lined_up([["add", "1"], ["maximum", "20"]], "lr")
    ['add       1', 'maximum  20']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = {"l": str.ljust, "r": str.rjust}
    lines = []
    for row in rows:
        cells = [sides[side](cell, width) for cell, width, side in zip(row, widths, alignment, strict=True)]
        lines.append(GAP.join(cells).rstrip())
    return lines
