"""Advice beside what is not of one benchmark: the machine code of a surprise, and a rival's cases."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from claim_rows import EXPERIMENT, GPU, row
from scopemark import tables
from scopemark.advice.code import built_fences, reason, with_fences
from scopemark.advice.questions import answer, load_advice
from scopemark.experiment import load_experiment
from scopemark.report.claims import advice_by_machine
from scopemark.report.templates import environment

QUESTIONS = load_advice("scoped_atomics")


def orders(**speeds):
    return [row(scope="device", placement="global", order=order, per_second=speed) for order, speed in speeds.items()]


def surprising(rows):
    """The advice on orders at device scope with fences known, as the page has it."""
    (found,) = answer(QUESTIONS["order_device_global"], EXPERIMENT, GPU, rows)
    return found.surprise


KERNELS = pd.DataFrame(
    {"toolchain": "t", "architecture": "sm_90", "kernel": ["relaxed", "acquire", "seq_cst"], "instruction": "ATOM"}
).assign(warp_aggregated=True)
MNEMONICS = pd.DataFrame(
    {
        "toolchain": "t",
        "architecture": ["sm_90", "sm_90", "sm_90", "sm_90", "sm_80"],
        "kernel": ["acquire", "seq_cst", "seq_cst", "acquire", "relaxed"],
        "class": ["fence", "fence", "fence", "atomic", "fence"],
        "mnemonic": ["CCTL.IVALL", "MEMBAR.SC.GPU", "ERRBAR", "ATOM", "MEMBAR.GPU"],
    }
)


def compiled(**speeds):
    rows = [{**one, "kernel": one["order"], "warp_aggregated": True} for one in orders(**speeds)]
    return with_fences(rows, GPU, built_fences(KERNELS, MNEMONICS))


def test_a_surprise_has_the_machine_code_beside_it():
    assert surprising(compiled(relaxed=100.0, acquire=150.0, seq_cst=120.0)) == (
        "All compile to ATOM, once per warp. Fences: relaxed order: none; acquire: CCTL.IVALL; seq_cst: MEMBAR.SC.GPU."
    )
    assert surprising(compiled(relaxed=100.0, acquire=50.0)) == ""  # that a stronger order costs is what one expects
    assert surprising(compiled(relaxed=(100.0, 50.0, 200.0), acquire=101.0)) == ""  # nothing is told


def test_other_code_than_was_measured_explains_nothing():
    """The kernel of this report's build has another atomic than the row: its fences are not the row's."""
    rows = compiled(relaxed=100.0, acquire=150.0)
    other = [{**one, "instruction": "RED"} for one in rows if one["order"] == "acquire"]
    other = [{key: value for key, value in one.items() if key != "fences"} for one in other]
    rows = [one for one in rows if one["order"] == "relaxed"]
    found = with_fences([*rows, *other], GPU, built_fences(KERNELS, MNEMONICS))
    assert ["fences" in one for one in found] == [True, False]
    assert surprising(found) == "relaxed order: ATOM, once per warp; acquire: RED, once per warp."


def test_the_same_code_on_both_sides_is_said():
    rows = compiled(relaxed=100.0, acquire=150.0)
    assert reason({"one": rows[:1], "other": rows[:1]}) == (
        "All compile to ATOM, once per warp, and to the same fences or none: what differs is not in the instructions."
    )
    assert reason({"one": rows, "other": [{**rows[0], "instruction": None}]}) == ""  # nothing to tell


INTRINSICS = load_experiment("atomic_intrinsics")


def counting(benchmark, per_second, **parameters):
    """A row of a histogram, or of the library's."""
    axes = {axis.name: axis.default for axis in INTRINSICS.benchmark(benchmark).all_axes}
    own = benchmark == "histogram"
    axes |= {"sampling": "single_shots_50", **({"api": "intrinsic", "cache": "warm"} if own else {}), **parameters}
    shape = {} if own else {"launch_blocks": None, "launch_threads": None}
    made = {**row(per_second=per_second), **axes, **shape, "benchmark": benchmark}
    return made | {"case": f"{benchmark}-{parameters}"}


@pytest.mark.parametrize(
    ("library", "start", "items", "decides"),
    [
        ((50.0, 40.0, 100.0), "Write a kernel", ("3.00×", "3.00×"), 3),
        ((150.0, 300.0, 600.0), "Call CuPy's histogram, which beats ours", ("0.500×", "0.500×"), 0.5),
        ((150.0, 40.0, 300.0), "Call CuPy's histogram: ", ("1.00×", "1.00×"), 1),
        ((50.0, 40.0, 600.0), "Whether CuPy's histogram is good enough depends", ("3.00×", "0.500×"), 3),
    ],
)
def test_our_best_form_against_the_better_of_the_library(library, start, items, decides):
    """Of ours the better counts, 150 with 1024 elements and 300 with 4096, and of the library's likewise."""
    rows = [
        counting("histogram", 100.0, elements=1024, form="private_bins"),
        counting("histogram", 150.0, elements=1024, form="global_bins"),
        counting("histogram", 300.0, elements=4096, form="private_bins"),
        counting("histogram", 150.0, elements=4096, form="global_bins"),
        counting("histogram", 9999.0, elements=4096, form="global_bins", cache="cold"),
        counting("histogram_library", library[0], elements=1024, library="cupy_bincount"),
        counting("histogram_library", library[1], elements=1024, library="cupy_histogram"),
        counting("histogram_library", library[2], elements=4096, library="cupy_bincount"),
        counting("histogram_library", 9999.0, elements=2048, library="cupy_bincount"),
    ]
    (found,) = answer(load_advice("atomic_intrinsics")["histogram_library"], INTRINSICS, GPU, rows)
    assert found.text.startswith(start)
    assert re.findall(r"([0-9.]+×) \[[0-9., ]+\] with ([0-9,]+) elements", found.text) == [
        (items[0], "1,024"),
        (items[1], "4,096"),
    ]
    assert found.ratio.value == pytest.approx(decides)


def test_without_the_library_the_question_stays_open():
    rows = [counting("histogram", 100.0, elements=1024, form="private_bins")]
    (found,) = answer(load_advice("atomic_intrinsics")["histogram_library"], INTRINSICS, GPU, rows)
    assert found == ("Not measured here: the preset did not measure it.", None, "")


def test_the_page_groups_by_experiment_and_topic(tmp_path):
    common = {"run": "here", "target": "gpu0", "lead": False}
    rows = [
        {
            "experiment": "scoped_atomics",
            "topic": "Order",
            "question": "A?",
            "answer": "Yes (4 blocks).",
            "surprise": "X.",
            "lead": True,
        },
        {"experiment": "scoped_atomics", "question": "B?", "answer": "No."},
        {"experiment": "scoped_atomics", "question": "C?", "answer": "Not measured here: R.", "lead": True},
        {"experiment": "scoped_atomics", "question": "D?", "answer": "Not measured here: R."},
        {"experiment": "scoped_atomics", "topic": "Order", "question": "A?", "answer": "No (8 blocks)."},
        {"experiment": "atomic_intrinsics", "topic": "Order", "question": "A?", "answer": "No."},
    ]
    tables.write("advice", tables.make("advice", [common | one for one in rows]), tmp_path / "advice.csv")
    (block,) = advice_by_machine(tmp_path / "advice.csv", {("here", "gpu0"): {"kind": "gpu", "gpu": {"name": "G"}}})
    assert (block["name"], block["here"]) == ("G", True)
    assert block["groups"] == [
        ("Scoped atomics", "Order", {"A?": [("Yes.", "4 blocks", "X."), ("No.", "8 blocks", "")]}),
        ("Scoped atomics", "", {"B?": [("No.", "", "")]}),
        ("Atomic intrinsics", "Order", {"A?": [("No.", "", "")]}),
    ]
    assert block["lead"] == [("Yes.", "4 blocks")]  # what was not measured cannot lead
    assert block["unanswered"] == {"R": ["C?", "D?"]}
    page = environment().get_template("advice.html.j2").render(advice=[block])
    assert "<strong>Not answered here,</strong> for R: C? D?" in page
    assert re.findall("<h4>(.*)</h4>", page) == [
        "Scoped atomics: order",
        "Scoped atomics",
        "Atomic intrinsics: order",
    ]
    assert page.count("Not what one would guess.") == 1
