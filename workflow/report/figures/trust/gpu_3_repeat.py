"""Two runs in separate processes: how far the median of a case moved, by how long the case takes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from scopemark import style
from scopemark.figures.plots import panels
from scopemark.trust_report.repeat import class_names, measured_twice

TITLE = "The second run against the first"


def data(runs):
    """A row per case, ordered within its class of duration; share: of the class's cases up to this one, in per cent."""
    frames = []
    for run in runs:
        frame = measured_twice(run.repeat)
        for name in class_names():
            own = frame[frame["class"] == name].sort_values(["ratio", "case"], kind="stable")
            columns = {"machine": run.name, "device": run.device, "launch": "", "panel": "", "series": name}
            columns |= {"case": own["case"], "percent": (own["ratio"] - 1) * 100}
            columns["share"] = np.arange(1, len(own) + 1) / max(1, len(own)) * 100
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def draw(frame):
    """Cumulative shares, a line per class of duration."""
    names = [name for name in class_names() if (frame["series"] == name).any()]
    reach = max(1.0, float(np.ceil(frame["percent"].abs().max() * 1.05)))
    figure, each = panels(frame, (7.2, 3.0), left=0.8)
    for ax, own, _, colour in each:
        ax.axvspan(-1, 1, color="#e8e8e8", zorder=0, linewidth=0)
        ax.axvline(0, color=style.NEUTRAL, linewidth=0.8, zorder=1)
        ax.axhline(50, color=style.NEUTRAL, linewidth=0.6, linestyle=":", zorder=1)
        for index, (name, shade) in enumerate(zip(names, style.shades(colour, len(names)), strict=True)):
            points = own[own["series"] == name]
            if points.empty:
                continue
            x = [-reach, *points["percent"], reach]
            ax.step(x, [0.0, *points["share"], 100.0], where="post", color=shade, linestyle=style.dash(index), zorder=3)
        ax.set(xlim=(-reach, reach), ylim=(0, 100), xlabel="second run's median over the first's, minus 1 [%]")
        ax.set_ylabel("share of the cases [%]")
    shades = style.shades("#777777", len(names))
    handles = [
        plt.Line2D([], [], color=shade, linestyle=style.dash(index), label=name)
        for index, (name, shade) in enumerate(zip(names, shades, strict=True))
    ]
    handles.append(plt.Rectangle((0, 0), 1, 1, color="#e8e8e8", label="1 %"))
    figure.legend(handles=handles, loc="outside lower left", ncols=5, handlelength=2.6)
    return figure
