"""The drawing of ratios as bars from 1: ranked, a panel per group, losses as plain to see as gains."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from scopemark import style
from scopemark.figures.data import counted
from scopemark.figures.plots import limits, log_ticks
from scopemark.report.format import digits

_BAR_INCHES = 0.27
_LETTER_INCHES = 0.073
_LOOKS = {
    "gain": "a gain: the interval lies above 1",
    "open": "neither: the interval holds 1",
    "loss": "a loss: the interval lies below 1",
    "short": "cut short by its budget: too few samples for an interval",
    "missing": "no valid number: see the list of cases",
}


def outcome(row) -> str:
    """What a ratio says: gain, loss, open; short where it has no interval, and missing where it has no number."""
    if pd.isna(row.ratio):
        return "missing"
    if pd.isna(row.ratio_low):
        return "short"
    if row.ratio_low > 1:
        return "gain"
    return "loss" if row.ratio_high < 1 else "open"


def said(ratio: float, samples: int = 0) -> str:
    """A ratio as it stands beside its bar; what is small as a fraction, which tells how many times as slow.

    >>> said(2), said(0.5), said(0.004), said(0.5, 2)
    ('2.00×', '0.500×', '1/250', '1/2.00, 2 samples')
    """
    text = f"{digits(ratio)}×" if ratio >= (1 if samples else 0.1) else f"1/{digits(1 / ratio)}"
    return text + (f", {counted(samples, 'sample')}" if samples else "")


def bars(frame: pd.DataFrame, axis_label: str, columns: int = 2, width: float = 3.6) -> Figure:
    """A bar per `x`, from 1 to its `ratio`, the largest on top of each `panel`; a row of panels per machine or several.

    A ratio without an interval is told with the number of `samples` of the case that has too few.
    columns: the most panels beside one another. width: of the bars' part of one panel, in inches.
    """
    machines = list(dict.fromkeys(frame["machine"]))
    groups = {name: list(dict.fromkeys(frame.loc[frame["machine"] == name, "panel"])) for name in machines}
    columns = min(columns, max(map(len, groups.values())))
    rows = {name: -(-len(panels) // columns) for name, panels in groups.items()}
    height = 0.8 + _BAR_INCHES * frame.groupby(["machine", "panel"]).size().max()
    left = 0.2 + _LETTER_INCHES * frame["x"].map(lambda x: len(style.word(x))).max()
    size = (columns * (width + left), sum(height * number_of + 0.4 for number_of in rows.values()) + 0.5)
    figure = plt.figure(figsize=size, layout="constrained")
    figure.get_layout_engine().set(h_pad=0.06, hspace=0.04)
    low, high = limits(frame, ["ratio", "ratio_low", "ratio_high"])
    low, high = min(low, 0.8), max(high, 1.25)
    bounds = low, high * max(1.5, (high / low) ** 0.2)  # room for the number at the end of the longest bar
    parts = figure.subfigures(len(machines), 1, squeeze=False, height_ratios=list(rows.values()))[:, 0]
    for part, name in zip(parts, machines, strict=True):
        own = frame[frame["machine"] == name]
        colour = style.device_colour(int(own["device"].iloc[0]))
        part.suptitle(name, x=0.01, ha="left", fontsize=10, color=style.shades(colour, 3)[0], weight="bold")
        axes = list(part.subplots(rows[name], columns, squeeze=False).flat)
        for ax, panel in zip(axes, groups[name], strict=False):
            _panel(ax, own[own["panel"] == panel], colour, bounds)
            ax.set_title(panel, loc="left")
            ax.set_xlabel(axis_label)
        for ax in axes[len(groups[name]) :]:
            ax.axis("off")
    _legend(figure, frame)
    return figure


def _panel(ax: Axes, points: pd.DataFrame, colour: str, bounds: tuple[float, float]) -> None:
    points = points.sort_values("ratio", ascending=False, na_position="last", kind="stable")
    for place, row in enumerate(points.itertuples()):
        found = outcome(row)
        if found == "missing":
            ax.plot(0.02, place, marker="x", color=style.FAILED, transform=ax.get_yaxis_transform(), clip_on=False)
            continue
        ax.barh(place, row.ratio - 1, left=1, height=0.7, **_look(found, colour))
        end, few = row.ratio, 0
        if found == "short":
            few = int(row.samples)
        else:
            error = np.array([[row.ratio - row.ratio_low], [row.ratio_high - row.ratio]])
            ax.errorbar(row.ratio, place, xerr=error, color=style.NEUTRAL, elinewidth=1.2, capsize=2, fmt="none")
            end = row.ratio_high
        ax.annotate(
            said(row.ratio, few),
            (max(end, 1), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            size=8,
        )
    ax.axvline(1, color=style.NEUTRAL, linewidth=1)
    ax.set(xscale="log", xlim=bounds, ylim=(len(points) - 0.5, -0.5))
    ax.set_yticks(range(len(points)), [style.word(x) for x in points["x"]])
    ax.grid(False, axis="y")
    log_ticks(ax.xaxis, bounds[1] / bounds[0])


def _look(found: str, colour: str) -> dict:
    dark, middle, light = style.shades(colour, 3)
    return {
        "gain": {"facecolor": middle, "edgecolor": middle},
        "open": {"facecolor": light, "edgecolor": middle},
        "loss": {"facecolor": "white", "edgecolor": dark, "hatch": "/////"},
        "short": {"facecolor": "white", "edgecolor": dark, "linestyle": (0, (3, 2))},
    }[found]


def _legend(figure: Figure, frame: pd.DataFrame) -> None:
    found = {outcome(row) for row in frame.itertuples()}
    handles = [
        Patch(**_look(name, "#777777"), label=text) for name, text in _LOOKS.items() if name in found - {"missing"}
    ]
    if "missing" in found:
        handles.append(Line2D([], [], marker="x", color=style.FAILED, linestyle="", label=_LOOKS["missing"]))
    figure.legend(handles=handles, loc="outside lower left", ncols=2)
