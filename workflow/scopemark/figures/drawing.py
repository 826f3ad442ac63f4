"""Drawing figures: write the points that each shows, read them back, and draw those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt

from scopemark import style
from scopemark.figures.data import load_figure
from scopemark.figures.plots import nothing
from scopemark.figures.save import read_points, save, write_points


def draw_figures(modules: Sequence[str], results: Any, files: Mapping[str, Sequence[str]]) -> None:
    """Draw the figures of some modules from the results that their `data` takes.

    files: those to write, as parallel lists by format: csv, pdf, svg and png. An error has a note with the figure.
    """
    style.apply()
    written = zip(*(files[name] for name in ("csv", "pdf", "svg", "png")), strict=True)
    for module_file, (csv, *pictures) in zip(modules, written, strict=True):
        try:
            module = load_figure(module_file)
            write_points(module.data(results), csv)
            points = read_points(csv)
            figure = nothing(module.TITLE) if points.empty else module.draw(points)
            save(figure, *pictures)
            plt.close(figure)  # or else matplotlib keeps it
        except Exception as error:
            error.add_note(f"This was in the figure {module_file}")
            raise
