"""The trust page, rendered from tables as a trust run writes them."""

import os

import matplotlib

matplotlib.use("agg")

import pandas as pd
import pytest

from helpers import ROOT, copy_repository, snakemake
from scopemark import style, tables
from scopemark.errors import UserError
from scopemark.figures.data import load_figure
from scopemark.figures.save import read_points, save, write_points
from scopemark.layout import figures
from scopemark.trust_report import page
from scopemark.trust_report.runs import TABLES, load_runs
from trust_rows import MACHINE, batched, cold, durations_table, nvbench_table, pairs_table, repeat_table, timing_table


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The input files of the page: one recorded run, its figures drawn."""
    monkeypatch.chdir(ROOT)
    made = {
        "nvbench": nvbench_table(
            cold("a", 4e-6, 0.97, half=0.01),
            batched("a", 20e-6, 0.2),
            cold("b", 1e-3, 1.001, half=0.01, noise=0.01, nvbench_half=0.001),
            batched("b", 1e-3, 0.95),
        ),
        "durations": durations_table(),
        "pairs": pairs_table(2, 50),
        "repeat": repeat_table((5e-6, 1.02, False, False), (1e-3, 1.0, True, True)),
        "timing": timing_table(),
    }
    run = tmp_path / "reports/reference/nvidia-h200/trust"
    for name, table in made.items():
        tables.write(f"trust_{name}", table, run / f"{name}.csv")
    recorded = MACHINE.parent / "scoped_atomics.cases.csv"
    found = {name: [str(run / f"{name}.csv")] for name in TABLES} | {"machines": [str(MACHINE)]}
    found["source_cases"] = [str(recorded)]
    found["source_samples"] = [str(recorded).replace(".cases.csv", ".samples.csv.gz")]
    found["source_machines"] = [str(MACHINE)]
    return found


def render(files, directory, monkeypatch):
    """Draw the figures and render the page in a directory; its text."""
    monkeypatch.chdir(directory)
    style.apply()
    names = figures("trust")
    paths = {end: [f"reports/figures/trust/{name}.{end}" for name in names] for end in ("csv", "svg", "pdf", "png")}
    report = os.path.relpath(ROOT / "workflow/report")
    modules = [f"{report}/figures/trust/{name}.py" for name in names]
    for place, module in enumerate(map(load_figure, modules)):
        write_points(module.data(load_runs(files)), paths["csv"][place])
        save(module.draw(read_points(paths["csv"][place])), *(paths[end][place] for end in ("pdf", "svg", "png")))
    own = {"figures": paths["svg"], "points": paths["csv"], "modules": modules}
    own["captions"] = [f"{report}/captions/trust/{name}.rst" for name in names]
    outputs = {name: f"reports/tables/trust_{name}.csv" for name in ("goals", "source", *TABLES)}
    page.write(outputs | {"page": "reports/trust.html"}, files | own, {"minimum_samples": 12})
    return {path: path.read_bytes() for path in map(directory.__class__, sorted(_all(directory)))}


def _all(directory):
    return [str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()]


def test_the_page_renders_to_the_same_bytes(files, tmp_path, monkeypatch):
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        texts.append(render(files, tmp_path / name, monkeypatch))
    assert texts[0] == texts[1]
    by_name = {path.name: content for path, content in texts[0].items()}
    assert len([name for name in by_name if name.endswith(".svg")]) == len(figures("trust")) == 4
    text = by_name["trust.html"].decode()
    assert "Nothing was measured here" in text
    assert "1 of 2 kernels" in text
    assert "best of 5" in text
    assert 'src="http' not in text
    assert "<link" not in text
    assert "<script" not in text
    goals = tables.read("trust_goals", tmp_path / "one/reports/tables/trust_goals.csv")
    assert set(goals["verdict"]) <= {"met", "missed", "unclear", "no goal"}
    assert goals["goal"].is_unique
    copied = pd.read_csv(tmp_path / "one/reports/tables/trust_timing.csv")
    assert copied[["run", "target", "repetition"]].iloc[1].tolist()[1:] == ["nvidia-h200", 2]


def test_a_missing_or_empty_table_is_told_in_one_message(files, tmp_path):
    with pytest.raises(UserError, match=r"pairs\.csv: there is no such file; expected a trust_pairs table"):
        load_runs(files | {"pairs": [str(tmp_path / "pairs.csv")]})
    tables.write("trust_pairs", tables.make("trust_pairs", []), tmp_path / "pairs.csv")
    with pytest.raises(UserError, match=r"pairs\.csv: has no rows"):
        load_runs(files | {"pairs": [str(tmp_path / "pairs.csv")]})
    with pytest.raises(UserError, match="no trust run to show"):
        load_runs({"machines": []})


def test_without_a_gpu_and_without_a_recorded_run_there_is_nothing_to_trust(tmp_path):
    tree = copy_repository(tmp_path / "tree")
    for name in ("trust", "record_trust"):
        done = snakemake(tree, "-n", name, check=False, CUDA_VISIBLE_DEVICES="")
        assert done.returncode != 0
        said = done.stdout + done.stderr  # a dry run says it on stdout
        assert "there is no GPU among the targets" in said or "there is none among the targets" in said
        assert "Traceback (most recent" not in said
