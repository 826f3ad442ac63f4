"""Kernels that clock themselves: what is measured beyond what they clock."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from scopemark import style
from scopemark.figures.plots import limits, log_ticks, panels
from scopemark.trust_report.null import deviations
from scopemark.trust_report.nvbench import BOUNDS, bound

TITLE = "Known durations"


def data(runs):
    """A row per kernel; deviations from the common offset in nanoseconds. The empty kernel clocks nothing."""
    frames = []
    for run in runs:
        frame = deviations(run.durations)
        columns = {"machine": run.name, "device": run.device, "panel": "", "series": frame["kernel"]}
        offset = frame["common"].iloc[0] * 1e6
        columns["launch"] = f"common offset {offset:.3f} µs"
        columns["offset_seconds"] = frame["common"]
        columns["microseconds"] = frame["clocked_seconds"] * 1e6
        for name, column in {"": "measured", "_low": "low", "_high": "high"}.items():
            columns[f"nanoseconds{name}"] = frame[f"deviation_{column}"] * 1e9
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def draw(frame):
    """A dot per duration; the empty kernel is a line, for its place on a logarithmic axis is nowhere."""
    spin = frame[frame["series"] == "spin"]
    bounds = limits(spin, ["microseconds"])
    values = frame[["nanoseconds", "nanoseconds_low", "nanoseconds_high"]].abs().max().max()
    reach = 25 * np.ceil(max(100.0, 1.15 * float(values)) / 25)
    figure, each = panels(frame, (7.2, 2.5), left=0.8)
    grid = np.geomspace(*bounds, 400)
    for ax, own, _, colour in each:
        # As in the verdict, the bound is a share of what is measured, which has the offset in it.
        whole = grid * 1e-6 + own["offset_seconds"].iloc[0]
        allowed = np.array([bound(seconds) * seconds * 1e9 for seconds in whole])
        ax.fill_between(grid, -allowed, allowed, color="#e8e8e8", zorder=0, linewidth=0)
        ax.axhline(0, color=style.NEUTRAL, linewidth=0.8, zorder=1)
        points = own[own["series"] == "spin"]
        error = np.array(
            [
                points["nanoseconds"] - points["nanoseconds_low"],
                points["nanoseconds_high"] - points["nanoseconds"],
            ]
        ).clip(min=0)
        look = {"fmt": "o", "color": colour, "markeredgecolor": "white", "markeredgewidth": 0.5}
        ax.errorbar(
            points["microseconds"], points["nanoseconds"], yerr=error, elinewidth=1.2, capsize=2, zorder=3, **look
        )
        for empty in own.loc[own["series"] == "empty", "nanoseconds"]:
            ax.axhline(empty, color=style.shades(colour, 3)[0], linestyle="--", linewidth=1.2, zorder=2)
        ax.set(xscale="log", xlim=bounds, ylim=(-reach, reach), xlabel="duration that the kernel clocks [µs]")
        ax.set_ylabel("measured less clocked and offset [ns]")
        log_ticks(ax.xaxis, bounds[1] / bounds[0])
    words = [f"{allowed * 100:g} % from {start * 1e6:g} µs" for start, allowed in reversed(BOUNDS)]
    handles = [
        plt.Line2D([], [], linestyle="", marker="o", color="#777777", label="spins for a known time"),
        plt.Line2D([], [], linestyle="--", color="#444444", label="empty kernel"),
        plt.Rectangle((0, 0), 1, 1, color="#e8e8e8", label=f"the bound on what is measured: {', '.join(words)}"),
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, handlelength=2)
    return figure
