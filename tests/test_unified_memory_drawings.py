"""Every figure of unified memory: without data, with a point or two, and with its caption."""

from __future__ import annotations

from dataclasses import replace

import matplotlib
import pytest

matplotlib.use("agg")

from helpers import ROOT
from memory_rows import MIB, access, back, counter, hint, results, row
from scopemark import style, tables
from scopemark.figures.data import load_figure
from scopemark.figures.save import read_points, write_points

DIRECTORY = ROOT / "workflow/report/figures/unified_memory"
FIGURES = sorted(path.stem for path in DIRECTORY.glob("*.py"))

ONE_OF_EACH = [
    access("managed", "gpu", 1, 0.01),
    access("managed", "gpu", 1, 0.01, stride_bytes=4096, operations=16384),
    access("managed", "gpu", 2, 0.01, pattern="random", operations=2**20),
    row("access", 0.01, kind="cpu", processor="cpu", allocator="malloc", bytes=64 * MIB),
    row("access", 0.01, kind="cpu", processor="cpu", allocator="malloc", pattern="random", operations=2**20),
    row("allocation", 1e-6),
    row("allocation", 1e-6, kind="cpu", allocator="malloc"),
    row("transfer", 0.01, way="pinned_copy", direction="to_gpu"),
    hint("none", 0.02),
    hint("prefetch", 0.01),
    hint("prefetch_away", 0.04),
    hint("read_mostly", 0.02, status="failed"),
    hint("preferred_host", (0.5, None, None), status="skipped", samples=2),
    row("hint_call", 1e-6),
    back("explicit_copy", 4, 20),
    back("device_write", 4, 30),
    row("pattern", 0.01, way="explicit_pinned"),
    row("pattern", 0.02, way="managed"),
    row("ping_pong", 0.01, major_faults_median=1),
    row("ping_pong", 0.01, iteration=2, major_faults_median=16),
    row("read_mostly", 0.01),
    counter("both", "device", 1e-3, (10, 250, 1000)),
    row("signal", 1e-3),
    row("copy", 1e-3),
    row("fill", 1e-3),
    row("small_writes", 1e-3),
    row("overlap", 1e-3),
]


@pytest.mark.parametrize("others", ["none", "kind", "benchmark"])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_data_is_an_empty_table(name, others, tmp_path):
    """With no rows, with those of the other kind of target, or of other benchmarks, as they come from a file."""
    drawn = load_figure(DIRECTORY / f"{name}.py").data(results(*ONE_OF_EACH))["case"]
    shown = {one["benchmark"] for one in ONE_OF_EACH if one["case"] in set(drawn)}
    kept = {
        "none": [],
        "kind": [one for one in ONE_OF_EACH if one["target_kind"] != name[:3]],
        "benchmark": [one for one in ONE_OF_EACH if one["benchmark"] not in shown],
    }
    made = results(*kept[others])
    tables.write("summary", made.summary.drop(columns=["machine", "device"]), tmp_path / "summary.csv")
    read = tables.read("summary", tmp_path / "summary.csv").assign(machine="m", device=0)
    frame = load_figure(DIRECTORY / f"{name}.py").data(replace(made, summary=read))
    assert frame.empty
    write_points(frame, tmp_path / "points.csv")
    assert list(read_points(tmp_path / "points.csv")) == list(frame)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_caption(name):
    assert (ROOT / f"workflow/report/captions/unified_memory/{name}.rst").read_text().strip()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_that_has_points_is_drawn(name):
    style.apply()
    module = load_figure(DIRECTORY / f"{name}.py")
    frame = module.data(results(*ONE_OF_EACH))
    assert len(frame)
    drawn = module.draw(frame)
    drawn.draw_without_rendering()
    matplotlib.pyplot.close(drawn)


def texts(name, tmp_path):
    """What is written in the panels of a figure that is drawn from its file, beside titles and labels."""
    module = load_figure(DIRECTORY / f"{name}.py")
    write_points(module.data(results(*ONE_OF_EACH)), tmp_path / "points.csv")
    drawn = module.draw(read_points(tmp_path / "points.csv"))
    found = [text.get_text() for part in drawn.subfigs for ax in part.axes for text in ax.texts]
    matplotlib.pyplot.close(drawn)
    return found


def test_a_bar_of_few_samples_says_of_how_many(tmp_path):
    # Gains first; the failed one has a cross and no text.
    assert texts("gpu_03_hints", tmp_path) == ["2.00×", "0.500×", "1/25.0, 2 samples"]


def test_a_turn_with_many_page_faults_says_so(tmp_path):
    assert texts("gpu_07_ping_pong", tmp_path) == ["CPU: 16 page faults"]
