"""Our time over NVBench's, kernel by kernel, against how long the kernel takes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from scopemark import style
from scopemark.figures.plots import limits, log_ticks, panels
from scopemark.trust_report.nvbench import BATCHED_FROM, BOUNDS, checks

TITLE = "Our time against NVBench's"
MODES = {"cold": "cold, L2 flushed", "batched": "batched, per launch"}


def data(runs):
    """A row per kernel and mode that has a bound; deviations of the ratio from 1 in per cent."""
    frames = []
    for run in runs:
        for mode, words in MODES.items():
            frame = checks(run.nvbench, mode)
            columns = {"machine": run.name, "device": run.device, "launch": "", "panel": words, "case": frame["case"]}
            columns |= {"series": np.where(frame["in_bound"], "within", np.where(frame["met"], "noise", "outside"))}
            columns |= {"microseconds": frame["nvbench_seconds"] * 1e6}
            for name, column in {"": "ratio", "_low": "ratio_low", "_high": "ratio_high"}.items():
                columns[f"percent{name}"] = (frame[column] - 1) * 100
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


LOOKS = {
    "within": ("o", True, "within the bound"),
    "noise": ("o", False, "inside both tools' stated noise"),
    "outside": ("X", True, "outside both"),
}


def draw(frame):
    """A panel per mode; the grey bands are the bounds."""
    bounds = limits(frame, ["microseconds"])
    values = frame[["percent", "percent_low", "percent_high"]]
    reach = max(2.5, float(np.ceil(2 * values.abs().max().max()) / 2))
    figure, each = panels(frame, (4.0, 2.9), left=0.8)
    for ax, own, column, colour in each:
        edge = bounds[1]
        # What takes no part in the batched comparison has no bound there.
        first = BATCHED_FROM if ax.get_title(loc="left") == MODES["batched"] else 0.0
        for start, allowed in BOUNDS:
            start = max(start, first)
            if start * 1e6 >= edge:
                break
            ax.fill_between([start * 1e6, edge], -allowed * 100, allowed * 100, color="#e8e8e8", zorder=0, linewidth=0)
            edge = start * 1e6
        ax.axhline(0, color=style.NEUTRAL, linewidth=0.8, zorder=1)
        for series, (mark, full, _) in LOOKS.items():
            points = own[own["series"] == series]
            if points.empty:
                continue
            error = np.array(
                [points["percent"] - points["percent_low"], points["percent_high"] - points["percent"]]
            ).clip(min=0)
            tint = style.FAILED if series == "outside" else colour
            ax.errorbar(
                points["microseconds"],
                points["percent"],
                yerr=error,
                fmt=mark,
                color=tint,
                markerfacecolor=tint if full else "white",
                markeredgecolor="white" if full else tint,
                markeredgewidth=0.5 if full else 1.2,
                elinewidth=1.2,
                capsize=2,
                zorder=3,
            )
        ax.set(xscale="log", xlim=bounds, ylim=(-reach, reach), xlabel="kernel's time by NVBench [µs]")
        if column == 0:
            ax.set_ylabel("ours over NVBench's, minus 1 [%]")
        log_ticks(ax.xaxis, bounds[1] / bounds[0])
    handles = [
        plt.Line2D(
            [],
            [],
            linestyle="",
            marker=mark,
            color=style.FAILED if series == "outside" else "#777777",
            markerfacecolor=(style.FAILED if series == "outside" else "#777777") if full else "white",
            label=text,
        )
        for series, (mark, full, text) in LOOKS.items()
        if (frame["series"] == series).any()
    ]
    handles.append(plt.Rectangle((0, 0), 1, 1, color="#e8e8e8", label="the bound"))
    figure.legend(handles=handles, loc="outside lower left", ncols=4, handlelength=1.2)
    return figure
