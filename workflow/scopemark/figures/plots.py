"""The two drawings that the figures share: rows of dots, and lines over an ordered axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from scopemark import style

_PREFIXES = ((1e12, "T", "10¹² "), (1e9, "G", "10⁹ "), (1e6, "M", "10⁶ "), (1e3, "k", "10³ "), (1.0, "", ""))
_LETTER_INCHES = 0.075  # of a tick label, on average
_MISSING_X = 0.02  # of the axis: where a case without a number is marked
_TICKS = (
    (1.8, (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)),
    (8.0, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)),
    (100.0, (1.0, 2.0, 5.0)),
)
"""How far a logarithmic axis spans at the most, as a ratio, and the multiples of a power of ten that are its ticks."""
_MARKS = ((0, (1, 1)), (0, (4, 2)), (0, (4, 1, 1, 1)))
"""The dashes of lines that mark a value, in their order."""

Marks = Mapping[str, str]
"""Columns that hold one value per panel, which a line marks, and what the legend says of it."""


def prefix(values: Sequence[float]) -> tuple[float, str, str]:
    """The factor, letter and power of the SI prefix in which the middle of positive values reads best."""
    finite = np.array([value for value in values if value > 0])
    typical = float(np.exp(np.log(finite).mean())) if len(finite) else 1.0
    return next((entry for entry in _PREFIXES if typical >= entry[0]), _PREFIXES[-1])


def nothing(title: str) -> Figure:
    """A figure that says that it has no data."""
    figure = plt.figure(figsize=(7.5, 1.2))
    text = f"{title}:\nno data. No run of this report holds the cases that this figure compares."
    figure.text(0.02, 0.5, text, va="center", color=style.NEUTRAL)
    return figure


def panels(frame: pd.DataFrame, panel_size: tuple[float, float], left: float) -> tuple[Figure, Iterator]:
    """A row of panels per machine, headed by its name and launch. Yields (axes, points, column, colour) of every panel.

    panel_size: width and height of one panel, and left: what the labels beside the first one take, in inches.
    """
    names = list(dict.fromkeys(frame["panel"]))
    machines = list(dict.fromkeys(frame["machine"]))
    width, height = panel_size
    figure = plt.figure(
        figsize=(width * len(names) + left, (height + 0.75) * len(machines) + 0.5), layout="constrained"
    )
    figure.get_layout_engine().set(h_pad=0.05, hspace=0.04)
    rows = figure.subfigures(len(machines), 1, squeeze=False)[:, 0]

    def each():
        for row, machine in zip(rows, machines, strict=True):
            own = frame[frame["machine"] == machine]
            colour = style.device_colour(int(own["device"].iloc[0]))
            launches = list(dict.fromkeys(own["launch"]))
            heading = machine + (f"\n{launches[0]}" if len(launches) == 1 and launches[0] else "")
            row.suptitle(heading, x=0.01, ha="left", fontsize=10, color=style.shades(colour, 3)[0], weight="bold")
            axes = row.subplots(1, len(names), squeeze=False, sharey=True)[0]
            for column, (ax, name) in enumerate(zip(axes, names, strict=True)):
                ax.set_title(name, loc="left")
                yield ax, own[own["panel"] == name], column, colour

    return figure, each()


def log_ticks(axis, span: float) -> None:
    """Label a logarithmic axis; the less it spans, the more of each decade."""
    subs = next((found for most, found in _TICKS if span < most), (1.0,))
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def limits(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """The range of a logarithmic axis that holds the columns' values, with some air."""
    values = pd.concat([frame[name] for name in columns if name in frame]).dropna()
    values = values[values > 0]
    if values.empty:
        return 0.1, 10.0
    low, high = values.min(), values.max()
    air = max(1.1, (high / low) ** 0.06)
    return low / air, high * air


def dots(
    frame: pd.DataFrame,
    value: str,
    axis_label: str,
    width: float = 3.6,
    scale: float | None = None,
    legend_columns=3,
    marks: Marks | None = None,
    linear: bool = False,
) -> Figure:
    """A row of dots per `x`, one dot per `series`, with its interval; the value runs along a logarithmic axis.

    axis_label: may hold {prefix} or {power}, which are replaced by the SI prefix chosen for the values: G or 10⁹.
    marks: values on that axis. linear: an axis from 0 instead.
    """
    marks = marks or {}
    xs, names = list(dict.fromkeys(frame["x"])), list(dict.fromkeys(frame["series"]))
    factor, letter, power = (scale, "", "") if scale else prefix(frame[value].dropna())
    columns = [value, f"{value}_low", f"{value}_high", *marks]
    scaled = frame.assign(**{name: frame[name] / factor for name in columns})
    bounds = limits(scaled, columns)
    labels = [style.word(x) for x in xs]
    left = 0.3 + _LETTER_INCHES * max(map(len, labels))
    figure, each = panels(scaled, (width, 0.35 + len(xs) * max(0.3, 0.15 * len(names))), left)
    for ax, own, _, colour in each:
        shades = style.shades(colour, len(names))
        for index, name in enumerate(names):
            shift = 0.66 * ((index + 0.5) / len(names) - 0.5)
            points = own[own["series"] == name]
            _series(
                ax, points, points["x"].map(xs.index) + shift, value, (style.marker(name, index), shades[index], None)
            )
        for dash, column in zip(_MARKS, marks, strict=False):
            for marked in own[column].dropna().unique():
                ax.axvline(marked, color=style.NEUTRAL, linestyle=dash, linewidth=1.2, zorder=1)
        for boundary in range(1, len(xs)):
            ax.axhline(boundary - 0.5, color="#eeeeee", linewidth=0.8, zorder=0)
        ax.set(ylim=(len(xs) - 0.5, -0.5), xlabel=axis_label.format(prefix=letter, power=power))
        ax.set_yticks(range(len(xs)), labels)
        ax.grid(False, axis="y")
        if linear:
            ax.set(xlim=(0, 1.05 * scaled[columns].max(axis=None)))
        else:
            ax.set(xscale="log", xlim=bounds)
            log_ticks(ax.xaxis, bounds[1] / bounds[0])
    legend(figure, names, scaled, legend_columns, marks=marks)
    return figure


def lines(
    frame: pd.DataFrame,
    value: str,
    x_label: str,
    axis_label: str,
    width: float = 3.6,
    height: float = 2.7,
    legend_columns=3,
    scale: float | None = None,
    marks: Marks | None = None,
    places: Marks | None = None,
    shares: str = "% of peak",
    x_word: Callable[[float], str] = "{:g}".format,
    notes: str | None = None,
) -> Figure:
    """A line per `series` over the ordered values of `x`, with intervals; the value's axis is logarithmic.

    The places on the x axis are equal, which keeps 0 on an axis of densities and equals a log axis for powers of two.
    marks: values; a ceiling gets a scale in per cent of it, called `shares`. places: values of `x`, and x_word what is
    said of them. notes: the column of what is said at a point, empty for most.
    """
    marks, places = marks or {}, places or {}
    xs, names = sorted(set(frame["x"])), list(dict.fromkeys(frame["series"]))
    factor, letter, power = (scale, "", "") if scale else prefix(frame[value].dropna())
    columns = [value, f"{value}_low", f"{value}_high", *marks]
    scaled = frame.assign(**{name: frame[name] / factor for name in columns})
    bounds = limits(scaled, columns)
    figure, each = panels(scaled, (width, height), left=0.9)
    for ax, own, column, colour in each:
        shades = style.shades(colour, len(names))
        for index, name in enumerate(names):
            points = own[own["series"] == name].sort_values("x")
            look = (style.marker(name.split("|")[0], index), shades[index], style.dash(index))
            _series(ax, points, points["x"].map(xs.index), value, look, upright=True)
        if notes:
            _say(ax, own[own[notes].fillna("") != ""], xs, value, notes)
        for dash, name in zip(_MARKS, [*marks, *places], strict=False):
            for marked in own[name].dropna().unique():
                draw, at = (ax.axvline, xs.index(marked)) if name in places else (ax.axhline, marked)
                draw(at, color=style.NEUTRAL, linestyle=dash, linewidth=1.2, zorder=1)
        if "ceiling" in marks and ax is ax.figure.axes[-1] and own["ceiling"].notna().any():
            _shares(ax, own["ceiling"].iloc[0], bounds[1] / bounds[0], shares)
        ax.set(yscale="log", ylim=bounds, xlim=(-0.3, len(xs) - 0.7), xlabel=x_label)
        if column == 0:
            ax.set_ylabel(axis_label.format(prefix=letter, power=power))
        ax.set_xticks(range(len(xs)), [x_word(x) for x in xs])
        log_ticks(ax.yaxis, bounds[1] / bounds[0])
    legend(figure, names, scaled, legend_columns, dashed=True, marks={**marks, **places})
    return figure


def _say(ax: Axes, points: pd.DataFrame, xs: list, value: str, notes: str) -> None:
    """What is noted at points, above them; of several at one place what is said of the highest."""
    for row in points.sort_values(value, ascending=False).drop_duplicates("x").to_dict("records"):
        top = row[value] if pd.isna(row[f"{value}_high"]) else row[f"{value}_high"]
        place = xs.index(row["x"])
        side = "right" if place == len(xs) - 1 else "center"
        ax.annotate(row[notes], (place, top), (0, 5), textcoords="offset points", ha=side, va="bottom", size=8)


def _shares(ax: Axes, ceiling: float, span: float, name: str) -> None:
    """A second scale on the right: the value as a share of its physical ceiling, in per cent."""
    shares = ax.secondary_yaxis(
        "right", functions=(lambda value: value / ceiling * 100, lambda share: share * ceiling / 100)
    )
    shares.set_ylabel(name)
    shares.tick_params(axis="y", which="minor", length=0)
    log_ticks(shares.yaxis, span)


def _series(ax: Axes, points: pd.DataFrame, place: pd.Series, value: str, look: tuple, upright: bool = False) -> None:
    """One series: interval bars, a line if `look` has a dash, filled markers, hollow ones where unstable."""
    mark, colour, dash = look
    measured = points[value].notna()
    if dash is not None and measured.any():
        ax.plot(place[measured], points.loc[measured, value], color=colour, linestyle=dash, zorder=2)
    for status, face in {"ok": colour, "unstable": "white"}.items():
        chosen = measured & (points["status"] == status)
        if not chosen.any():
            continue
        middle, at = points.loc[chosen, value], place[chosen]
        error = np.array([middle - points.loc[chosen, f"{value}_low"], points.loc[chosen, f"{value}_high"] - middle])
        x, y, bars = (at, middle, {"yerr": error}) if upright else (middle, at, {"xerr": error})
        hollow = face == "white"
        edge = {"markeredgecolor": colour if hollow else "white", "markeredgewidth": 1.2 if hollow else 0.5}
        look = {"fmt": mark, "color": colour, "markerfacecolor": face, "ecolor": colour, **edge}
        ax.errorbar(x, y, **bars, **look, elinewidth=1.2, capsize=2, zorder=3)
    for at in place[~measured]:
        where, transform = (
            ((at, _MISSING_X), ax.get_xaxis_transform()) if upright else ((_MISSING_X, at), ax.get_yaxis_transform())
        )
        ax.plot(*where, marker="x", color=style.FAILED, transform=transform, clip_on=False, zorder=4)


def legend(
    figure: Figure,
    names: Sequence[str],
    frame: pd.DataFrame,
    columns: int,
    dashed: bool = False,
    marks: Marks | None = None,
) -> None:
    """A legend under the panels, in neutral grey since the colours are the devices'."""
    handles = []
    if len(names) > 1 or names[0]:
        for index, (name, shade) in enumerate(zip(names, style.shades("#777777", len(names)), strict=True)):
            line = style.dash(index) if dashed else ""
            text = ", ".join(style.word(part) for part in name.split("|"))
            mark = style.marker(name.split("|")[0] if dashed else name, index)
            handles.append(Line2D([], [], marker=mark, color=shade, linestyle=line, label=text))
    if (frame["status"] == "unstable").any():
        text = "hollow: unstable, interval wider than the bound"
        handles.append(
            Line2D([], [], marker="o", color=style.NEUTRAL, markerfacecolor="white", linestyle="", label=text)
        )
    if (~frame["status"].isin(["ok", "unstable"])).any():
        text = "no valid number: see the list of cases"
        handles.append(Line2D([], [], marker="x", color=style.FAILED, linestyle="", label=text))
    for dash, (column, text) in zip(_MARKS, (marks or {}).items(), strict=False):
        if frame[column].notna().any():
            handles.append(Line2D([], [], color=style.NEUTRAL, linestyle=dash, label=text))
    if handles:
        figure.legend(
            handles=handles, loc="outside lower left", ncols=columns, handlelength=2.6 if dashed or marks else 1
        )
