"""Drawing several figures in one go: each from its own points, and an error with the figure that it was in."""

import matplotlib
import matplotlib.pyplot as plt
import pytest

from scopemark.figures.drawing import draw_figures

matplotlib.use("agg")

EMPTY = """
import pandas as pd
TITLE = "Nothing yet"
def data(results):
    return pd.DataFrame({"x": []})
def draw(frame):
    raise AssertionError("there is nothing to draw")
"""
WRONG = "TITLE = 'Wrong'\ndef data(results):\n    return results.no_such_thing\n"


def files(directory, names):
    return {ending: [str(directory / f"{name}.{ending}") for name in names] for ending in ("csv", "pdf", "svg", "png")}


def test_figures_without_data_are_drawn_as_such(tmp_path):
    (tmp_path / "one.py").write_text(EMPTY)
    (tmp_path / "two.py").write_text(EMPTY.replace("Nothing yet", "Nothing either"))
    written = files(tmp_path, ["one", "two"])
    draw_figures([str(tmp_path / "one.py"), str(tmp_path / "two.py")], None, written)
    assert plt.get_fignums() == []  # no figure is kept once it is written
    assert (tmp_path / "one.csv").read_text() == "x\n"
    assert (tmp_path / "one.svg").read_bytes() != (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "two.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "two.png").read_bytes().startswith(b"\x89PNG")


def test_an_error_says_which_figure_it_was_in(tmp_path):
    (tmp_path / "fine.py").write_text(EMPTY)
    (tmp_path / "wrong.py").write_text(WRONG)
    modules = [str(tmp_path / "fine.py"), str(tmp_path / "wrong.py")]
    with pytest.raises(AttributeError) as raised:
        draw_figures(modules, None, files(tmp_path, ["fine", "wrong"]))
    assert raised.value.__notes__ == [f"This was in the figure {modules[1]}"]
