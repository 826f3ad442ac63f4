"""CuPy's histogram and ours in single shots, measured through the whole workflow."""

import pytest
import yaml

from helpers import copy_repository, of_grid, snakemake
from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.targets import find_gpus

pytestmark = pytest.mark.gpu

DATA = {"elements": 2**20, "bins": [7, 256, 5000], "skew": [0.0, 1.0], "sampling": "single_shots_10"}
GRIDS = {
    "library": {"benchmark": "histogram_library", "library": ["cupy_bincount", "cupy_histogram"], **DATA},
    "own": {"benchmark": "histogram", "api": "intrinsic", "form": "private_bins", "cache": "warm", **DATA},
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Grid name to its cases and samples."""
    tree = copy_repository(tmp_path_factory.mktemp("gpu") / "tree")
    configuration = {
        "preset": "tiny",
        "targets": [find_gpus()[0].name],
        "architectures": ["auto"],
        "presets": {"tiny": {}},
        "experiments": {"atomic_intrinsics": {"presets": {"tiny": list(GRIDS)}, "grids": GRIDS}},
    }
    (tree / "tiny.yaml").write_text(yaml.safe_dump(configuration))
    snakemake(tree, "results/tables/atomic_intrinsics.summary.csv", "--cores", "1", "--configfile", "tiny.yaml")
    (cases,) = tree.glob("results/measured/*/*/atomic_intrinsics.main.cases.csv")
    samples = cases.with_name("atomic_intrinsics.main.samples.csv.gz")
    frames = tables.read("cases", cases), tables.read("samples", samples)
    experiment = load_experiment("atomic_intrinsics")
    return {name: [of_grid(frame, experiment, grid, "gpu") for frame in frames] for name, grid in GRIDS.items()}


@pytest.mark.parametrize("name", list(GRIDS))
def test_every_case_has_its_shots_and_counts_right(measured, name):
    cases, samples = measured[name]
    assert len(cases) == (12 if name == "library" else 6)
    assert set(cases["status"]) == {"ok"}, cases[["status", "reason"]]
    assert set(cases["observed"]) == {2**20}
    assert set(samples.groupby("case").size()) == {10}


def test_the_table_tells_what_counted(measured):
    assert measured["library"][0]["note"].str.startswith("CuPy ").all()
    assert set(measured["library"][0]["kernel"]) == {"cupy.bincount", "cupy.histogram"}


def test_no_call_is_shorter_than_its_reads_from_memory(measured):
    """Twice over 4 MiB for whether an element is negative, and for counting, at no more than 10 TB/s."""
    assert (measured["library"][1]["seconds"] > 2 * 2**22 / 10e12).all()
