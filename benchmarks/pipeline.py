"""What the pipeline itself costs: figures to follow over time, printed as a table. Not a test: nothing fails.

    python benchmarks/pipeline.py                    all of it, some minutes
    python benchmarks/pipeline.py parse plan         some of it
    python benchmarks/pipeline.py tables --cases 2000

Everything runs in a copy of the repository that is deleted afterwards; no GPU is used.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "benchmarks")]

from process import Cost, python, snakemake  # noqa: E402
from synthetic import write_run  # noqa: E402

EXPERIMENT = "scoped_atomics"
Figure = tuple[str, str, str]
"""What was measured, the figure with its unit, and what it should be."""

LIMITS = {
    "processes": 1,
    "minimum_samples": 6,
    "maximum_samples": 6,
    "relative_half_width": 0.5,
    "unstable_half_width": 1000.0,
}
CPU_GRID = {
    "benchmark": "counter",
    "kind": "cpu",
    "api": ["atomic_ref", "builtin"],
    "scope": "system",
    "address": "opaque",
    "cache": "warm",
    "blocks": 1,
    "threads_per_block": 1,
    "stride_bytes": 64,
}


def copy_repository(tree: Path) -> Path:
    """The parts of the repository that a run needs, without recorded runs."""
    tree.mkdir(parents=True)
    for part in ("Snakefile", "config.yaml", "kernels", "workflow", "profiles"):
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / part)
    return tree


def configure(tree: Path, grid: dict, name: str = "benchmark.json") -> str:
    """A configuration file whose preset measures one grid of one experiment on the CPU; its name."""
    presets = {"quick": ["benchmark"]}
    config = {
        "preset": "quick",
        "targets": ["cpu"],
        "architectures": [90],
        "presets": {"quick": LIMITS},
        "experiments": {EXPERIMENT: {"presets": presets, "grids": {"benchmark": grid}}},
    }
    others = [path.stem for path in (tree / "workflow/scopemark/experiments").glob("[a-z]*.py")]
    config["experiments"] |= {other: {"presets": {"quick": []}} for other in others if other != EXPERIMENT}
    (tree / name).write_text(json.dumps(config))
    return name


def parse(tree: Path, options: argparse.Namespace) -> Iterator[Figure]:
    """Parsing the Snakefile against parsing an empty one, in turns."""
    empty = tree / "empty"
    empty.mkdir()
    (empty / "Snakefile").write_text("")
    times: dict[Path, list[float]] = {tree: [], empty: []}
    for _ in range(options.repeats):
        for where, found in times.items():
            found.append(snakemake(where, "--list-rules").seconds)
    beyond = [ours - base for ours, base in zip(times[tree], times[empty], strict=True)]
    yield "an empty Snakefile", f"{statistics.median(times[empty]):.2f} s", ""
    yield "the Snakefile, beyond an empty one", f"{statistics.median(beyond):.2f} s", "below 0.5 s"


def plan(tree: Path, options: argparse.Namespace) -> Iterator[Figure]:
    """A dry run and the expansion of grids of a size."""
    code = (
        "import sys, json, resource, time; from scopemark.experiment import load_experiment as load\n"
        "from scopemark.grid import expand; grid = json.load(open(sys.argv[1]))\n"
        f"start = time.perf_counter(); cases = expand(load('{EXPERIMENT}'), grid, 'cpu')[0]\n"
        "print(len(cases), time.perf_counter() - start)"
    )
    for number, goal in ((10_000, "below 10 s"), (100_000, "below 1 GB")):
        grid = CPU_GRID | {"iterations": list(range(1, number // 2 + 1))}
        (tree / "grid.json").write_text(json.dumps(grid))
        found = snakemake(tree, "-n", "--configfile", configure(tree, grid))
        jobs = re.search(r"^total\s+(\d+)", found.output, re.M)[1]
        yield f"planning {number:,} cases ({jobs} jobs)", shown(found), goal
        expanded = python(tree, code, "grid.json")
        count, seconds = expanded.output.split()
        assert int(count) == number
        yield f"expanding {number:,} cases", f"{float(seconds):.1f} s, {megabytes(expanded)}", ""


def after_measuring(tree: Path, options: argparse.Namespace) -> Iterator[Figure]:
    """Collecting, summarising, judging and reporting a synthetic run, on two cores."""
    named = configure(tree, CPU_GRID | {"iterations": 1})
    common = ("--cores", "2", "--configfile", named)
    snakemake(tree, *common)  # builds, and measures a case or two
    run = tree / "reports/reference/synthetic"
    write_run(run, ROOT / "config.yaml", EXPERIMENT, options.cases, options.samples)
    size = f"{options.cases * options.samples:,} samples of {options.cases:,} cases"
    # By the rule's own functions: the rule collects what was measured here, and the synthetic run is a recorded one.
    code = (
        "import sys; from scopemark import tables; from scopemark.collect import merge_runs\n"
        "cases, samples = merge_runs([sys.argv[1]], [sys.argv[2]])\n"
        "tables.write('cases', cases, 'c.csv'); tables.write('samples', samples, 's.csv.gz')"
    )
    files = [str(run / f"{EXPERIMENT}.{end}") for end in ("cases.csv", "samples.csv.gz")]
    collected = python(tree, code, *files)
    yield f"collecting {size}", shown(collected), ""
    reported = snakemake(tree, *common)
    yield f"summarising and reporting {size}", shown(reported), ""
    peak = max(collected.peak_bytes, reported.peak_bytes)
    seconds, cpu = collected.seconds + reported.seconds, collected.cpu_seconds + reported.cpu_seconds
    total = Cost(seconds, cpu, peak, "")
    yield "both", shown(total), "60 s and 2 GB for 1,000,000 of 20,000"
    if options.keep_log:
        print(reported.output, file=sys.stderr)


def overhead(tree: Path, options: argparse.Namespace) -> Iterator[Figure]:
    """What a case costs on the CPU beyond its samples: the slope over two numbers of cases."""
    found = []
    for number in (20, 220):
        grid = CPU_GRID | {"iterations": list(range(1, number // 2 + 1))}
        named = configure(tree, grid)
        shutil.rmtree(tree / "results/journal", ignore_errors=True)
        target = "results/collected/cpu/scoped_atomics.cases.csv"
        snakemake(tree, target, "--cores", "2", "--configfile", named)
        measured = next((tree / "results/measured/cpu").glob("*/scoped_atomics.main.cases.csv"))
        done = python(tree, MEASURE, named, measured.parent.name)
        wall, sampled = map(float, done.output.split()[-2:])
        found.append((number, wall, sampled))
    (few, wall_few, sampled_few), (many, wall_many, sampled_many) = found
    beyond = (wall_many - sampled_many - (wall_few - sampled_few)) / (many - few)
    yield "a case on the CPU, beyond its samples", f"{beyond * 1e3:.2f} ms", "at most 5 ms (on a GPU)"
    yield f"a job of {few} cases, beyond its samples", f"{wall_few - sampled_few:.2f} s", ""


MEASURE = """
import json, shutil, sys, time
from pathlib import Path
import yaml
from scopemark import tables
from scopemark.config import load_settings
from scopemark.experiment import load_experiment
from scopemark.measure.run import measure_experiment
from scopemark.targets import CPU
raw = yaml.safe_load(Path("config.yaml").read_text())
own = json.loads(Path(sys.argv[1]).read_text())
limits = raw["measure"] | own["presets"]["quick"]
build = Path("results/build") / sys.argv[2]
shutil.rmtree("results/journal", ignore_errors=True)
start = time.perf_counter()
measure_experiment(
    experiment=load_experiment("scoped_atomics"), target=CPU, facts={"name": "cpu"},
    grids=[own["experiments"]["scoped_atomics"]["grids"]["benchmark"]],
    toolchain=sys.argv[2], build={"binary": str(build / "scoped_atomics.host.so")},
    kernels=build / "scoped_atomics.host.csv", limits=limits, cases_path=Path("m.cases.csv"),
    samples_path=Path("m.samples.csv.gz"), log=open("m.log", "w"),
)
wall = time.perf_counter() - start
print(wall, tables.read("samples", "m.samples.csv.gz")["seconds"].sum())
"""

PARTS = {"parse": parse, "plan": plan, "tables": after_measuring, "overhead": overhead}


def shown(cost: Cost) -> str:
    """Wall time, time of all CPUs, and memory."""
    return f"{cost.seconds:.1f} s (CPU {cost.cpu_seconds:.1f} s), {megabytes(cost)}"


def megabytes(cost: Cost) -> str:
    return f"{cost.peak_bytes / 1e6:,.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all of them when none is named")
    parser.add_argument("--repeats", type=int, default=5, help="of parsing (default: 5)")
    parser.add_argument("--cases", type=int, default=20_000, help="of the synthetic run (default: 20000)")
    parser.add_argument("--samples", type=int, default=50, help="per case of the synthetic run (default: 50)")
    parser.add_argument("--keep-log", action="store_true", help="print what Snakemake said of the synthetic run")
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; there are: {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as directory:
            for what, figure, goal in PARTS[name](copy_repository(Path(directory) / "tree"), options):
                print(f"{what:58} {figure:>30}" + (f"   goal: {goal}" if goal else ""), flush=True)


if __name__ == "__main__":
    main()
