"""The engine on a GPU: known durations, known losses, and every way in which a case can end."""

import pytest
import yaml

from helpers import add_faults, copy_repository, load_faults, of_grid, snakemake
from scopemark import tables
from scopemark.targets import find_gpus

pytestmark = pytest.mark.gpu

SPINS = [100_000, 1_000_000, 10_000_000]  # nanoseconds
RACERS = {"blocks": 64, "threads_per_block": 256, "iterations": 100}
GRIDS = {
    "endings": {"step": ["exact", "wrong", "crash", "hang"]},
    "spins": {"step": "spin", "number": SPINS},
    "races": {"step": ["race", "exact"], **RACERS},
    "shapes": {"threads_per_block": [1024, 2048], "shared_bytes": [0, 2**24]},
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Grid name to its cases and samples, measured on the first GPU through the whole workflow."""
    tree = copy_repository(tmp_path_factory.mktemp("gpu") / "tree")
    add_faults(tree)
    gpu = find_gpus()[0]
    limits = {
        "unstable_half_width": 1e9,
        "processes": 1,
        "minimum_samples": 20,
        "maximum_samples": 20,
        "timeout_seconds": 5,
    }
    configuration = {
        "preset": "tiny",
        "targets": [gpu.name],
        "architectures": ["auto"],
        "presets": {"tiny": {**limits, "budget_seconds": 60, "clock_floor": 0}},
        "experiments": {
            "faults": {
                "presets": {"tiny": list(GRIDS)},
                "grids": {name: {"benchmark": "fault", "kind": "gpu", **grid} for name, grid in GRIDS.items()},
            }
        },
    }
    (tree / "tiny.yaml").write_text(yaml.safe_dump(configuration))
    snakemake(tree, "results/tables/faults.summary.csv", "--cores", "1", "--configfile", "tiny.yaml")
    (cases,) = tree.glob("results/measured/*/*/faults.main.cases.csv")
    frames = tables.read("cases", cases), tables.read("samples", cases.with_name("faults.main.samples.csv.gz"))
    grids = configuration["experiments"]["faults"]["grids"]
    return {name: [of_grid(frame, load_faults(), grid, "gpu") for frame in frames] for name, grid in grids.items()}


def test_every_ending_costs_its_case_alone(measured):
    cases = measured["endings"][0].set_index("step")
    assert cases["status"].to_dict() == {"exact": "ok", "wrong": "incorrect", "crash": "failed", "hang": "timeout"}
    assert "within 5 s" in cases.loc["hang", "reason"]
    assert cases.loc["crash", "reason"]
    assert (cases.loc["wrong", "expected"], cases.loc["wrong", "observed"]) == (1, 2)


def test_a_known_duration_is_what_is_measured(measured):
    """The kernel spins by the device's own timer, which advances once a microsecond on older GPUs."""
    cases, samples = measured["spins"]
    assert set(cases["status"]) == {"ok"}
    for case, number in zip(cases["case"], cases["number"], strict=True):
        seconds = samples.loc[samples["case"] == case, "seconds"]
        assert len(seconds) == 20
        assert seconds.min() >= (number - 1100) * 1e-9
        # A launch's latency alone is several microseconds on every system: it is not in there.
        assert seconds.median() <= (number + 4000) * 1e-9


def test_the_clock_is_metered(measured):
    clocks = measured["spins"][1]["sm_clock_hz"].dropna()
    assert len(clocks)
    assert clocks.between(100e6, 4000e6).all()


def test_plain_increments_lose_and_atomic_ones_do_not(measured):
    cases = measured["races"][0].set_index("step")
    total = RACERS["blocks"] * RACERS["threads_per_block"] * RACERS["iterations"]
    assert list(cases["expected"]) == [total, total]
    assert 0 < cases.loc["race", "lost_updates"] < total
    assert cases.loc["exact", "lost_updates"] == 0
    assert set(cases["status"]) == {"ok"}


def test_what_the_gpu_cannot_launch_is_unsupported(measured):
    cases = measured["shapes"][0]
    status = {(row["threads_per_block"], row["shared_bytes"]): row["status"] for row in cases.to_dict("records")}
    assert status == {
        (1024, 0): "ok",
        (2048, 0): "unsupported",
        (1024, 2**24): "unsupported",
        (2048, 2**24): "unsupported",
    }
    reasons = " ".join(cases["reason"].dropna())
    assert "shared memory per block" in reasons
    assert "threads per block" in reasons
