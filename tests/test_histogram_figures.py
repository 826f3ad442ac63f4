"""The histogram's figures from hand-made rows: which cases are drawn, beside which, and in what order."""

import pandas as pd
import pytest

from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.figures.data import Results, load_figure
from scopemark.layout import REPORT

PARAMETERS = load_experiment("atomic_intrinsics").parameter_names
OURS = {"benchmark": "histogram", "cache": "warm", "blocks": "4/sm", "threads_per_block": 512}
OURS |= {"launch_blocks": 528, "launch_threads": 512, "sampling": "adaptive", "elements": 4096}


def row(number, **other):
    """A case that counts 1000 elements a second for every one of its number."""
    rate = {f"operations_per_second{end}": 1000.0 * number for end in ("", "_low", "_high", "_best")}
    fixed = {"run": "here", "target": "t", "experiment": "atomic_intrinsics", "toolchain": "c", "kernel": "k"}
    fixed |= {"target_kind": "gpu", "status": "ok", "operations": 1, "samples": 12, "discarded": 0}
    return {**fixed, **rate, "case": f"c{number}", **other}


def load(figure):
    return load_figure(REPORT / f"figures/atomic_intrinsics/{figure}.py")


def data(figure, rows):
    summary = tables.make("summary", rows, PARAMETERS).assign(machine="M", device=0)
    return load(figure).data(Results(summary, {}, pd.DataFrame()))


@pytest.fixture
def gpu():
    rows = []
    for skew in (1.0, 0.0):
        for bins in (16, 256):
            for form in ("global_bins", "private_bins"):
                common = {**OURS, "api": "intrinsic", "form": form, "bins": bins, "skew": skew}
                rows.append(row(len(rows) + 1, **common))
    shot = {"bins": 256, "skew": 0.0, "sampling": "single_shots_50"}
    for elements in (4096, 65536):
        rows.append(
            row(len(rows) + 1, **{**OURS, **shot, "api": "intrinsic", "form": "private_bins", "elements": elements})
        )
        for name in ("cupy.histogram", "cupy.bincount"):
            common = {"benchmark": "histogram_library", "kernel": name, "library": name.replace(".", "_")}
            rows.append(row(len(rows) + 1, **common, **shot, elements=elements))
    return rows


def test_what_is_sampled_otherwise_is_a_row_of_its_own(gpu):
    frame = data("gpu_9_histogram", gpu)
    assert len(frame) == len(gpu)
    assert list(frame.groupby("machine", sort=False).size().items()) == [
        ("M", 8),
        ("M: 4,096 elements", 3),
        ("M: 65,536 elements", 3),
    ]
    shots = frame[frame["machine"] == "M: 65,536 elements"]
    assert list(shots["series"]) == ["private_bins", "cupy.bincount", "cupy.histogram"]
    assert list(shots["operations_per_second"]) == [12_000, 14_000, 13_000]
    assert set(shots["launch"]) == {"a launch or call between two events, nothing held"}


def test_evenly_filled_bins_come_first(gpu):
    frame = data("gpu_9_histogram", gpu)
    assert list(dict.fromkeys(frame["panel"])) == ["even", "Zipf exponent 1"]
    assert list(frame["operations_per_second"][:4]) == [6000, 8000, 5000, 7000]
    assert list(frame["launch"][:1]) == ["528 blocks × 512 threads, L2 warm"]


def test_a_run_without_the_library_has_its_own_forms(gpu):
    rows = [one for one in gpu if one["sampling"] == "adaptive"]
    assert set(data("gpu_9_histogram", rows)["machine"]) == {"M"}
    assert data("gpu_9_histogram", []).empty


def test_the_cpus_figure_has_the_cpus_rows():
    common = {**OURS, "target_kind": "cpu", "api": "atomic_ref", "bins": 16, "skew": 0.0}
    rows = [row(place + 1, **common, form=form) for place, form in enumerate(("global_bins", "private_bins"))]
    frame = data("cpu_4_histogram", [*rows, row(3, **OURS, api="intrinsic", form="private_bins", bins=16, skew=0.0)])
    assert list(frame["case"]) == ["c2", "c1"]


def test_it_is_drawn(gpu):
    figure = load("gpu_9_histogram").draw(data("gpu_9_histogram", gpu))
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["bins of the block's own, folded", "global bins", "cupy.bincount", "cupy.histogram"]
    # Three rows of two panels.
    assert sum(len(part.axes) for part in figure.subfigs) == 6
