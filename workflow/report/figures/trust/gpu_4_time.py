"""Where the wall time of a job goes: the whole, and what is not the GPU's."""

import matplotlib.pyplot as plt
import pandas as pd

from scopemark import style
from scopemark.figures.plots import panels
from scopemark.trust_report.repeat import where_time_goes

TITLE = "Where the wall time goes"
WHOLE, REST = "all of it", "without the GPU's own time"
DEVICE = "GPU in samples"
PARTS = {
    "waiting": "around samples",
    "start": "start of workers",
    "prepare": "preparing cases",
    "exchange": "asking the worker",
    "record": "recording",
}


def data(runs):
    """A row per run, panel and part; seconds, and the place in the stack where the part begins."""
    rows = []
    for run in runs:
        for spent in where_time_goes(run.timing):
            seconds = {DEVICE: spent["device"]}
            seconds |= {word: spent["parts"].get(name, spent["waiting"]) for name, word in PARTS.items()}
            for panel in (WHOLE, REST):
                begin = 0.0
                for part, length in seconds.items():
                    if (panel, part) == (REST, DEVICE):
                        continue
                    common = {"machine": run.name, "device": run.device, "launch": "", "panel": panel}
                    rows.append(common | {"x": spent["run"], "series": part, "begin": begin, "seconds": length})
                    begin += length
    return pd.DataFrame(rows)


def draw(frame):
    """A bar per run, the parts in one order; numbers stand in the parts that have room for them."""
    names = [DEVICE, *PARTS.values()]
    numbers = sorted(set(frame["x"]))
    figure, each = panels(frame, (4.0, 0.5 + 0.45 * len(numbers)), left=0.8)
    for ax, own, _, colour in each:
        shades = dict(zip(names, style.shades(colour, len(names)), strict=True))
        end = (own["begin"] + own["seconds"]).max()
        for row in own.to_dict("records"):
            place = numbers.index(row["x"])
            shade = shades[row["series"]]
            ax.barh(place, row["seconds"], left=row["begin"], height=0.7, color=shade, edgecolor="white", linewidth=0.8)
            if row["seconds"] > 0.1 * end:
                ink = "white" if sum(shade) < 1.7 else "black"
                middle = row["begin"] + row["seconds"] / 2
                ax.text(middle, place, f"{row['seconds']:.3g}", color=ink, ha="center", va="center", fontsize=9)
        ax.set(xlim=(0, end * 1.02), ylim=(len(numbers) - 0.5, -0.5), xlabel="seconds")
        ax.set_yticks(range(len(numbers)), [f"run {number}" for number in numbers])
        ax.grid(False, axis="y")
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=shade, label=name)
        for name, shade in zip(names, style.shades("#777777", len(names)), strict=True)
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=6, handlelength=1.2, columnspacing=1.2)
    return figure
