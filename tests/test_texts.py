"""Tables in plain text, and the published values beside them."""

import json
import re

import pandas as pd
import pytest

from helpers import ROOT
from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.figures.data import Results, load_figure, load_results
from scopemark.report.format import fact, interval, published_value
from scopemark.report.parts import text_parts
from scopemark.report.results import ROWS, result_parts
from scopemark.report.templates import environment
from scopemark.report.text import lined_up

SAMPLE = load_figure(ROOT / "workflow/report/texts/atomic_intrinsics/sample.py")
BENCHMARK = load_experiment("atomic_intrinsics").benchmark("sample")
PUBLISHED = pd.read_csv(ROOT / "workflow/report/published.csv")


def row(operation, api, milliseconds, *, lost=(0, 0, 0), kind="gpu", sampling="cold_shots_3", **changes):
    """A case of the sample: least, median and most milliseconds, and least, median and most updates lost."""
    refs = api not in ("plain", "intrinsic")
    order = {"order": "seq_cst", "scope": "system"} if refs else {}
    axes = {axis.name: axis.default for axis in BENCHMARK.all_axes} | {"cache": "warm", "sampling": sampling} | order
    low, middle, high = (value / 1e3 for value in milliseconds)
    found = {"minimum_seconds": low, "median_seconds": middle, "maximum_seconds": high}
    if sampling == "adaptive":
        found |= {"low_seconds": low, "high_seconds": high}
    names = ("lost_updates_least", "lost_updates_median", "lost_updates_most")
    common = {"run": "here", "case": f"{operation}{api}{sampling}", "target": kind, "target_kind": kind}
    common |= {"experiment": "atomic_intrinsics", "benchmark": "sample", "toolchain": "t", "kernel": "k"}
    common |= {"status": "ok", "samples": 3, "discarded": 0, "launch_blocks": 1000, "launch_threads": 1000}
    return common | axes | {"operation": operation, "api": api} | found | dict(zip(names, lost, strict=True)) | changes


def text(*rows):
    """The text of rows, which read as the figures' are: from a summary."""
    frame = tables.make("summary", rows, [axis.name for axis in BENCHMARK.all_axes])
    frame = frame.assign(machine=frame["target"] + " machine", device=0)
    return SAMPLE.text(Results(frame, {}, PUBLISHED))


def line(text, name, after):
    """The cells of the line of a way, below a heading."""
    (found,) = re.findall(rf"^  {re.escape(name)} +(.*)$", text.split(f"[{after}]")[1].split("\n[")[0], re.M)
    return re.split(r"  +", found)


def test_an_operation_is_listed_with_what_it_left_and_its_times():
    shots = row("add", "plain", (1.0, 2.0, 4.0), lost=(10, 20, 30))
    warm = row("add", "plain", (0.5, 0.6, 0.7), lost=(250_000, 500_000, 900_000), sampling="adaptive", samples=40)
    found = text(shots, warm, row("max", "plain", (1.0, 1.0, 1.0), lost=(0, 99_999.45, 999_994.5)))
    assert "[add] expected: every element = 100,000; in sum 1,000,000" in found
    # 999,990 + 999,991 + … + 999,999 = 10 × 999,994.5
    assert "[max] expected: element i = 999,990 + i; in sum 9,999,945" in found
    cells = ["500,000", "500,000", "50.000%", "250,000 … 900,000", "40"]
    times = ["2.00 (1.00 … 4.00)", "0.600 [0.500, 0.700]", "0.19"]
    assert line(found, "non-atomic", "add") == cells + times
    assert line(found, "non-atomic", "max")[2] == "1.000%"
    assert "median (least … most) of 3 runs of the program" in found


def test_the_numbers_of_runs_are_told():
    few = row("cas", "intrinsic", (1, 2, 3), sampling="cold_shots_5", samples=5)
    found = text(row("cas", "plain", (1, 2, 3), sampling="cold_shots_49", samples=49), few)
    assert "of 49 or 5 runs of the program" in found


def test_the_samples_own_figures_stand_beside_its_ways():
    found = text(*(row(operation, "intrinsic", (1, 1, 1)) for operation in ("add", "max", "cas")))
    published = {
        ("add", "non-atomic"): "0.19",
        ("add", "atomicAdd()"): "0.19",
        ("add", "cuda::std::atomic_ref::fetch_add()"): "0.26",
        ("add", "cuda::atomic_ref::fetch_add()"): "–",
        ("max", "atomicMax()"): "0.18",
        ("max", "cuda::std::atomic_ref::compare_exchange_weak()"): "1",
        ("CAS", "atomicCAS()"): "1,716",
        ("CAS", "cuda::std::atomic_ref::compare_exchange_weak()"): "9,934",
    }
    assert {key: line(found, key[1], key[0])[-1] for key in published} == published


def test_only_the_samples_point_is_in_its_table():
    others = [
        row("add", "intrinsic", (1, 1, 1), updates=65536),
        row("add", "intrinsic", (1, 1, 1), order="seq_cst"),
        row("add", "atomic_ref", (1, 1, 1), order="relaxed"),
    ]
    assert text(*others) == ""


def test_a_cpu_has_a_table_of_its_own_without_shots():
    plain = row("add", "plain", (1.0, 2.0, 3.0), kind="cpu", sampling="adaptive", status="unstable", launch_threads=2)
    found = text(plain, row("add", "builtin", (2.0, 4.0, 8.0), kind="cpu", sampling="adaptive", launch_threads=2))
    assert found.startswith("2 CPU threads, 1,000,000 updates of 10 ints")
    assert "one shot" not in found
    assert line(found, "non-atomic", "add")[-2:] == ["2.00 [1.00, 3.00]", "unstable"]
    assert line(found, "__atomic_fetch_add()", "add")[-1] == "4.00 [2.00, 8.00]"
    both = text(plain, row("add", "intrinsic", (1, 1, 1)))
    assert both.index("gpu machine") < both.index("2 CPU threads") < both.index("cpu machine")


def test_the_text_of_the_recorded_runs_is_the_same_each_time(tmp_path):
    machines = tmp_path / "machine.json"
    host = {"machine": "m", "kernel": "k", "usable_cpus": 1, "python": "3"}
    machines.write_text(json.dumps({"target": "cpu", "kind": "cpu", "described_at": "2026-01-02", "host": host}))
    frame = tables.make("summary", [row("cas", "intrinsic", (1, 2, 3))], [axis.name for axis in BENCHMARK.all_axes])
    tables.write("summary", frame, tmp_path / "s.csv")
    texts = {
        SAMPLE.text(load_results(tmp_path / "s.csv", [machines], ROOT / "workflow/report/published.csv")) for _ in "12"
    }
    assert len(texts) == 1
    assert "2.00 (1.00 … 3.00)" in texts.pop()


def test_columns_line_up():
    assert lined_up([["a", "10"], ["bcd", "2"]], "lr") == ["a    10", "bcd   2"]


def test_a_text_that_shows_nothing_has_no_part(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ROOT / "workflow/report/texts/atomic_intrinsics/sample.py"
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/sample.txt").write_text("")
    assert text_parts([str(module)], ["reports/sample.txt"]) == []
    (tmp_path / "reports/sample.txt").write_text("a <b>")
    (part,) = text_parts([str(module)], ["reports/sample.txt"])
    experiment = {"about": BENCHMARK, "opening": [], "figures": [], "texts": [part], "published": [], "results": []}
    html = environment().from_string("{% include 'experiment.html.j2' %}")
    page = html.render(experiment=experiment | {"about": load_experiment("atomic_intrinsics")})
    assert ">a &lt;b&gt;</pre>" in page
    assert 'href="sample.txt"' in page


def test_an_experiment_without_figures_shows_its_results():
    many = [row("add", "plain", (0.5, 0.6, 0.7), sampling="adaptive", updates=1000 + n) for n in range(ROWS + 3)]
    broken = row("add", "plain", (0.5, 0.6, 0.7), sampling="adaptive", target="b", status="failed")
    frame = tables.make("summary", [*many, broken], [axis.name for axis in BENCHMARK.all_axes])
    rates = {"": 2e9, "_low": 1.9e9, "_high": 2.1e9}
    frame = frame.assign(**{f"operations_per_second{end}": value for end, value in rates.items()})
    parts = result_parts(load_experiment("atomic_intrinsics"), frame, {})
    assert [(part["axes"], part["cases"], len(part["rows"])) for part in parts] == [
        (["updates"], ROWS + 3, ROWS),
        ([], 1, 1),
    ]
    experiment = {"about": load_experiment("atomic_intrinsics"), "figures": [], "texts": [], "published": []}
    experiment |= {"opening": [], "results": parts, "most_rows": ROWS, "file": "all.csv"}
    page = environment().from_string("{% include 'experiment.html.j2' %}").render(experiment=experiment)
    assert "<details open>" in page
    assert f"{ROWS} of {ROWS + 3}" in page
    assert "<code>all.csv</code> has all" in page
    assert "600 [500, 700] µs" in page
    assert "2.00 [1.90, 2.10] Gop/s" in page
    assert '<span class="tag failed">failed</span> –' in page


def test_durations_and_machine_facts_have_their_units():
    assert interval(3.5e-9, 3e-9, 4e-9, "s") == "3.50 [3.00, 4.00] ns"
    assert [fact("l1_cache", "48K"), fact("l3_cache", "307200K"), fact("l3_cache", "32M")] == [
        "48 KiB",
        "300 MiB",
        "32 MiB",
    ]
    assert [fact("integrated", 0), fact("managed_memory", 1), fact("cpus", 1)] == ["no", "yes", "1"]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(9, "ratio", "9×"), (0.19, "ms", "0.19 ms"), (9934, "ms", "9,934 ms"), (54.8e9, "ops/s", "54.8 Gop/s")],
)
def test_published_values_keep_their_digits(value, unit, shown):
    assert published_value(value, unit) == shown


def test_published_values_name_an_experiment_and_are_there_once():
    for name in set(PUBLISHED["experiment"]):
        load_experiment(name)
    assert not PUBLISHED.duplicated(["experiment", "machine", "quantity"]).any()
    assert PUBLISHED[["machine", "quantity", "value", "unit", "source"]].notna().all(axis=None)
