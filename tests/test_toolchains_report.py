"""What changed between toolchains, from tables made by hand."""

import math

import pandas as pd
import pytest

from scopemark import tables
from scopemark.report.templates import environment
from scopemark.report.toolchains import toolchain_parts
from scopemark.toolchain_changes import kernel_ratios, toolchain_changes

OLD, NEW = "cuda-13.0", "cuda-13.5"
GPUS = {"g": "sm_90"}


def kernel(name, toolchain, architecture="sm_90", **changes):
    row = {"toolchain": toolchain, "architecture": architecture, "experiment": "e", "kernel": f"b__{name}"}
    row |= {"code_hash": "1", "instruction": "RED", "warp_aggregated": False, "registers": 8, "stack_bytes": 0}
    zeros = ("spill_store_bytes", "spill_load_bytes", "shared_bytes")
    return row | dict.fromkeys(zeros, 0) | {"instructions": 10} | changes


def timed(case, toolchain, median, *, kernel="b__k", width=0.01, **changes):
    row = {"run": "here", "case": case, "target": "g", "target_kind": "gpu", "experiment": "e", "benchmark": "b"}
    row |= {"toolchain": toolchain, "kernel": kernel, "status": "ok", "samples": 7, "discarded": 0}
    row |= {"median_seconds": median, "low_seconds": median / (1 + width), "high_seconds": median * (1 + width)}
    return row | changes


def changes(kernels, times=(), toolchains=(OLD, NEW)):
    frame = toolchain_changes(tables.make("kernels", kernels), tables.make("summary", times), GPUS, toolchains)
    return frame.set_index(["toolchain_new", "architecture", "kernel"], drop=False)


def test_what_differs_is_named_per_kernel_and_architecture():
    found = changes(
        [
            kernel("same", OLD), kernel("same", NEW),
            kernel("order", OLD), kernel("order", NEW, code_hash="2"),
            kernel("atom", OLD), kernel("atom", NEW, code_hash="2", instruction="ATOM", warp_aggregated=True),
            kernel("wide", OLD), kernel("wide", NEW, code_hash="2", registers=12),
            kernel("none", OLD, instruction=None), kernel("none", NEW, instruction=None),
            kernel("lost", OLD), kernel("lost", NEW, code_hash="2", instruction=None),
            kernel("atom", OLD, "sm_75"), kernel("atom", NEW, "sm_75"),
            kernel("only", OLD),
        ]
    )  # fmt: skip
    told = {
        (row.architecture, row.kernel): (row.code_differs, None if pd.isna(row.differs) else row.differs)
        for row in found.itertuples()
    }
    assert told == {
        ("sm_90", "b__same"): (False, None),
        ("sm_90", "b__order"): (True, None),
        ("sm_90", "b__atom"): (True, "instruction warp_aggregated"),
        ("sm_90", "b__wide"): (True, "registers"),
        ("sm_90", "b__none"): (False, None),
        ("sm_90", "b__lost"): (True, "instruction"),
        ("sm_75", "b__atom"): (False, None),
    }


def test_every_further_toolchain_is_compared_with_the_first():
    found = changes([kernel("k", chain, registers=n) for n, chain in enumerate("abc")], toolchains=list("abc"))
    assert found[["toolchain_base", "toolchain_new", "registers_base", "registers_new"]].to_numpy().tolist() == [
        ["a", "b", 0, 1],
        ["a", "c", 0, 2],
    ]


def test_one_toolchain_has_nothing_to_be_compared_with():
    assert changes([kernel("k", OLD)], toolchains=[OLD]).empty


def test_the_time_ratio_is_the_geometric_mean_over_the_cases():
    times = [timed("a", OLD, 1.0), timed("a", NEW, 2.0), timed("b", OLD, 1.0), timed("b", NEW, 8.0)]
    found = kernel_ratios(tables.make("summary", times), GPUS, OLD, NEW)["sm_90", "b__k"]
    assert found["cases"] == 2
    assert found["ratio"] == pytest.approx(4)
    # Each median is within a factor of 1.01: √2 ln 1.01 for a ratio, √2 of that over two ratios, halved by the mean.
    assert found["high"] == pytest.approx(4 * math.exp(math.log(1.01)))
    assert found["low"] == pytest.approx(4 / 1.01)


def test_what_was_not_timed_here_with_both_has_no_ratio():
    times = [
        timed("alone", OLD, 1.0),
        timed("bad", OLD, 1.0), timed("bad", NEW, 1.0, status="incorrect"),
        timed("elsewhere", OLD, 1.0, run="recorded"), timed("elsewhere", NEW, 1.0, run="recorded"),
        timed("cpu", OLD, 1.0, target="cpu"), timed("cpu", NEW, 1.0, target="cpu"),
        timed("few", OLD, 1.0), timed("few", NEW, 1.0, low_seconds=None, high_seconds=None),
    ]  # fmt: skip
    assert kernel_ratios(tables.make("summary", times), GPUS, OLD, NEW) == {}


def test_a_ratio_stands_with_the_architecture_that_ran():
    kernels = [kernel("k", chain, architecture) for architecture in ("sm_75", "sm_90") for chain in (OLD, NEW)]
    found = changes(kernels, [timed("a", OLD, 1.0), timed("a", NEW, 1.5)])
    assert found.loc[(NEW, "sm_90", "b__k"), "ratio"] == pytest.approx(1.5)
    assert pd.isna(found.loc[(NEW, "sm_75", "b__k"), "ratio"])


def test_the_part_of_the_report(tmp_path):
    kernels = [kernel("same", chain, sm) for chain in (OLD, NEW) for sm in ("sm_75", "sm_100")]
    kernels += [kernel("a", OLD, sm) for sm in ("sm_75", "sm_90", "sm_100")]
    kernels += [kernel("a", NEW, sm, code_hash="2", instruction="<ATOM>") for sm in ("sm_75", "sm_100")]
    kernels += [kernel("a", NEW, "sm_90", code_hash="2")]
    times = [timed("c", OLD, 1.0, kernel="b__a"), timed("c", NEW, 1.5, kernel="b__a")]
    tables.write("toolchains", changes(kernels, times), tmp_path / "t.csv")
    parts = toolchain_parts([str(tmp_path / "t.csv")])
    counts = [
        (row["generation"], row["kernels"], row["code"], row["instruction"], row["timed"]) for row in parts["counts"]
    ]
    assert counts == [(75, 2, 1, 1, 0), (90, 1, 1, 0, 1), (100, 2, 1, 1, 0)]
    (changed,) = parts["changed"]
    assert (changed["kernel"], changed["architectures"], changed["instruction_new"]) == ("b__a", "75 100", "<ATOM>")
    text = environment().get_template("toolchains.html.j2").render(toolchains=parts)
    assert "&lt;ATOM&gt;" in text
    assert "1.50×" in text


def test_there_is_no_part_without_a_table():
    assert toolchain_parts([]) is None
