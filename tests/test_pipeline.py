"""The whole workflow on the CPU target, in a copy of the repository: what runs, and what does not run again."""

import json
import os
import re

import pytest
import yaml

from helpers import add_faults, copy_repository, executed, snakemake
from scopemark import tables

TINY = {
    "preset": "tiny",
    "targets": ["cpu"],
    "architectures": [90],
    "presets": {
        "tiny": {
            "relative_half_width": 0.5,
            "unstable_half_width": 1e9,
            "processes": 1,
            "minimum_samples": 6,
            "maximum_samples": 6,
            "budget_seconds": 60,
        }
    },
    "experiments": {
        "scoped_atomics": {
            "presets": {"tiny": ["tiny_counter", "tiny_matches"]},
            "grids": {
                "tiny_counter": {
                    "benchmark": "counter",
                    "kind": "cpu",
                    "api": ["atomic_ref", "builtin"],
                    "scope": "system",
                    "address": "opaque",
                    "cache": "warm",
                    "blocks": 1,
                    "threads_per_block": 1,
                    "iterations": [100, 200],
                },
                "tiny_matches": {
                    "benchmark": "match_count",
                    "kind": "cpu",
                    "api": "atomic_ref",
                    "form": "two_level",
                    "elements": 4096,
                    "density": 0.5,
                    "blocks": 1,
                    "threads_per_block": 1,
                    "cache": "warm",
                },
            },
        },
        "faults": {
            "presets": {"tiny": ["tiny_faults"]},
            "grids": {"tiny_faults": {"benchmark": "fault", "kind": "cpu", "step": ["exact", "crash"]}},
        },
    },
}
CASES = {"scoped_atomics": 2 * 2 + 1, "faults": 2}


class Run:
    """A copy of the repository with a small configuration."""

    def __init__(self, tree):
        self.tree = copy_repository(tree)
        add_faults(self.tree)
        self.configuration = json.loads(json.dumps(TINY))

    def snakemake(self, *arguments, **options):
        (self.tree / "tiny.yaml").write_text(yaml.safe_dump(self.configuration))
        return snakemake(self.tree, *arguments, "--cores", "1", "--configfile", "tiny.yaml", **options)

    def tables(self, *arguments, **options):
        """Run what leads to the tables, without the report."""
        return self.snakemake(*(f"results/tables/{name}.summary.csv" for name in CASES), *arguments, **options)

    def journal(self, experiment):
        (path,) = self.tree.glob(f"results/journal/cpu/*/{experiment}.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]

    def cases(self, experiment):
        return tables.read("cases", self.tree / f"results/collected/cpu/{experiment}.cases.csv")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A copy in which the workflow has run once."""
    run = Run(tmp_path_factory.mktemp("pipeline") / "tree")
    run.snakemake()
    return run


def test_every_case_has_its_row_and_a_crash_costs_one(run):
    for experiment, number in CASES.items():
        assert len(run.cases(experiment)) == number
    assert set(run.cases("scoped_atomics")["status"]) == {"ok"}
    faults = run.cases("faults").set_index("step")
    assert faults["status"].to_dict() == {"exact": "ok", "crash": "failed"}
    assert "SIGSEGV" in faults.loc["crash", "reason"]
    assert (run.tree / "reports/index.html").exists()


def test_a_second_run_does_nothing(run):
    assert "Nothing to be done" in run.snakemake().stderr


def test_a_dry_run_plans_nothing_then(run):
    assert "Nothing to be done" in run.snakemake("-n").stdout


def test_an_edited_figure_draws_its_experiments_figures_and_the_report_alone(run):
    before = run.journal("scoped_atomics")
    edited = sorted((run.tree / "workflow/report/figures/scoped_atomics").glob("*.py"))[0]
    edited.write_text(edited.read_text() + "\n# An edit.\n")
    done = run.snakemake()
    rules = executed(done)
    assert sorted(rules) == ["all", "figures_scoped_atomics", "paper", "report"]
    assert run.journal("scoped_atomics") == before


def test_an_edited_module_of_the_package_redoes_what_runs_it(run):
    """Planned, not done: the verdicts and what follows from them, and nothing that they are judged by."""
    module = run.tree / "workflow/scopemark/claims/verdict.py"
    text, written = module.read_bytes(), module.stat()
    module.write_bytes(text + b"\n# An edit.\n")
    planned = set(re.findall(r"^rule (\w+):", run.snakemake("-n").stdout, re.M))
    module.write_bytes(text)
    os.utime(module, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert planned == {"judge", "advise", "paper", "report", "all"}


def test_the_same_tables_give_the_same_report(run):
    reports = run.tree / "reports"
    first = {path: path.read_bytes() for path in sorted(reports.rglob("*")) if path.is_file()}
    one = next(path for path in first if path.suffix == ".pdf")
    run.snakemake(f"--forcerun={one.relative_to(run.tree)}", "report")
    assert {path: path.read_bytes() for path in sorted(reports.rglob("*")) if path.is_file()} == first


def test_what_was_deleted_of_a_report_is_written_again_as_it_was(run):
    """A figure and a table, beside a page that is still there; nothing is measured for them."""
    before = run.journal("scoped_atomics")
    figure = min(run.tree.glob("reports/figures/scoped_atomics/*.png"))
    deleted = [figure, run.tree / "reports/tables/numbers.tex"]
    first = [path.read_bytes() for path in deleted]
    for path in deleted:
        path.unlink()
    assert set(executed(run.snakemake())) == {"all", "figures_scoped_atomics", "paper", "report"}
    assert [path.read_bytes() for path in deleted] == first
    assert run.journal("scoped_atomics") == before


def test_a_new_value_measures_its_new_cases_alone(run):
    before, faults = run.journal("scoped_atomics"), run.journal("faults")
    known = {line["case"] for line in before}
    grid = run.configuration["experiments"]["scoped_atomics"]["grids"]["tiny_counter"]
    grid["iterations"] = [100, 200, 300]
    run.tables()
    after = run.journal("scoped_atomics")
    assert after[: len(before)] == before
    added = {line["case"] for line in after[len(before) :]}
    assert len(added) == 2  # two APIs
    assert added.isdisjoint(known)
    assert run.journal("faults") == faults
    assert len(run.cases("scoped_atomics")) == CASES["scoped_atomics"] + 2
    assert "Nothing to be done" in run.tables().stderr


def test_a_value_less_measures_nothing(run):
    before = run.journal("scoped_atomics")
    run.configuration["experiments"]["scoped_atomics"]["grids"]["tiny_counter"]["iterations"] = [100]
    run.tables()
    assert run.journal("scoped_atomics") == before
    assert len(run.cases("scoped_atomics")) == 2 + 1


def test_an_edited_kernel_measures_its_experiment_alone(run):
    before, faults = run.journal("scoped_atomics"), run.journal("faults")
    kernel = run.tree / "kernels/scoped_atomics.cu"
    kernel.write_text(kernel.read_text() + "\n// An edit.\n")
    done = run.tables()
    assert "measure" in executed(done)
    assert len(run.journal("scoped_atomics")) > len(before)
    assert run.journal("faults") == faults
    assert "faults" not in " ".join(re.findall(r"^    output: (.*)$", done.stderr, re.M))


def test_a_measurement_that_died_is_not_passed_over_for_the_tables_of_the_one_before(run):
    """Snakemake deletes what a failed job was to write, and forgets with which parameters it had been written."""
    before = run.journal("scoped_atomics")
    for path in run.tree.glob("results/measured/cpu/*/scoped_atomics.main.*"):
        path.unlink()
    assert "measure" in executed(run.snakemake())
    assert run.journal("scoped_atomics") == before  # all of it was in the journal


def test_a_deleted_table_is_made_again_from_the_journal(run):
    before = run.journal("scoped_atomics")
    (path,) = run.tree.glob("results/measured/cpu/*/scoped_atomics.main.cases.csv")
    text = path.read_text()
    path.unlink()
    run.tables("--forcerun=collect")
    assert path.read_text() == text
    assert run.journal("scoped_atomics") == before


def test_a_recorded_run_is_kept_byte_for_byte_and_read_beside_this_one(run):
    run.snakemake("record")
    recorded = run.tree / "reports/reference/cpu"
    for name in ("scoped_atomics.cases.csv", "scoped_atomics.samples.csv.gz"):
        assert (recorded / name).read_bytes() == (run.tree / "results/collected/cpu" / name).read_bytes()
    run.tables()
    path = run.tree / "results/tables/scoped_atomics.summary.csv"
    assert set(tables.read("summary", path)["run"]) == {"here"}  # the same measurement, which is shown once
    samples = tables.read("samples", recorded / "scoped_atomics.samples.csv.gz")
    tables.write("samples", samples.assign(seconds=samples["seconds"] * 2), recorded / "scoped_atomics.samples.csv.gz")
    run.tables()
    summary = tables.read("summary", path)
    assert summary.groupby("run").size().nunique() == 1
    assert len(set(summary["run"])) == 2


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace("benchmark", "bench"), "lacks the column benchmark"),
        (lambda text: text.replace(",ok,", ",fine,", 1), "status 'fine' is unknown; accepted: ok"),
        (lambda text: text[:-9], "its last line is cut off"),
    ],
)
def test_a_damaged_recorded_run_is_told_in_one_message(run, damage, said):
    path = run.tree / "reports/reference/cpu/scoped_atomics.cases.csv"
    if not path.exists():
        run.snakemake("record")
    text = path.read_text()
    try:
        path.write_text(damage(text))
        done = run.tables(check=False)
        assert done.returncode != 0
        assert said in done.stderr
        assert "reports/reference/cpu/scoped_atomics.cases.csv" in done.stderr
        assert "Traceback" not in done.stderr
    finally:
        path.write_text(text)


def test_a_kernel_that_does_not_compile_costs_its_experiment_alone(tmp_path):
    run = Run(tmp_path / "tree")
    kernel = run.tree / "kernels/faults.cu"
    kernel.write_text(kernel.read_text().replace("add(counter, 2)", "subtract(counter, 2)"))
    done = run.tables(check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "kernels/faults.cu: the C++ compiler failed" in done.stderr
    assert "subtract" in done.stderr
    reports = re.findall(r"the whole report is in (\S+)", done.stderr)
    assert reports
    for report in reports:  # nvcc's and the C++ compiler's; the source line below the message is not in the terminal's
        assert re.search(r"^ .*subtract\(counter, 2\)", (run.tree / report).read_text(), re.M)
    assert len(run.cases("scoped_atomics")) == CASES["scoped_atomics"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--config", "preset=fastest"], "preset: 'fastest' is not a preset; accepted: quick, default, full"),
        (["--config", "targets=[gpu]"], "targets: a GPU is asked for and none was found"),
        (["--config", "architectures=[31]"], "does not know 31; accepted: 75,"),
        (["--config", "colour=red"], "there is no key 'colour'; accepted: preset, targets"),
    ],
)
def test_a_mistake_ends_before_anything_runs(tmp_path, monkeypatch, arguments, said):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    tree = copy_repository(tmp_path / "tree")
    done = snakemake(tree, "--cores", "1", *arguments, check=False)
    assert done.returncode != 0
    assert said in done.stderr
    assert "config.yaml or --config: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tree / "results").exists()


def test_no_compiler_is_told_without_a_traceback(tmp_path):
    run = Run(tmp_path / "tree")
    done = run.tables(check=False, CXX="no-such-compiler")
    assert done.returncode != 0
    assert "CXX: 'no-such-compiler' is no program here" in done.stderr
    assert "Traceback" not in done.stderr
