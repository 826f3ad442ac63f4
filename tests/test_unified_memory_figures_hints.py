"""The figures of hints, turns and reuse from hand-made rows: which cases they show, and values known by arithmetic."""

from __future__ import annotations

import pandas as pd
import pytest

from helpers import ROOT
from memory_figures import DIRECTORY, points, values
from memory_rows import KIB, MIB, hint, results, row
from scopemark.figures.bars import outcome
from scopemark.figures.data import load_figure
from scopemark.figures.memory import relative, word
from scopemark.yaml_file import read_yaml


def test_hints_are_speed_ups_over_none_and_losses_stand_left_of_one():
    frame = points(
        "gpu_03_hints",
        hint("none", 0.040),
        hint("prefetch", 0.005),
        hint("prefetch_away", 0.080, status="unstable"),
        hint("read_mostly", 0.040, status="failed"),
        hint("none", 0.040, workload="exchange", size_bytes=MIB, passes=2),
        hint("prefetch", 0.020, workload="exchange", size_bytes=MIB, passes=2),
        hint("preferred_gpu", 0.020, workload="sparse"),  # nothing to compare with
    )
    assert values(frame, "ratio", "panel", "x") == pytest.approx(
        {
            ("the GPU reads, 64 MiB", "prefetch"): 8,
            ("the GPU reads, 64 MiB", "prefetch to the wrong side"): 0.5,
            ("the GPU reads, 64 MiB", "ReadMostly"): float("nan"),
            ("the GPU writes, the CPU reads, 2 times, 1 MiB", "prefetch"): 2,
        },
        nan_ok=True,
    )
    assert list(frame["status"]) == ["ok", "unstable", "failed", "ok"]
    assert [outcome(one) for one in frame.itertuples()] == ["gain", "loss", "missing", "gain"]


def test_a_hint_that_was_cut_short_has_a_ratio_of_few_samples():
    frame = points(
        "gpu_03_hints",
        hint("none", 0.010),
        hint("read_mostly", (2.5, None, None), status="skipped", samples=2),
        hint("read_mostly_prefetch", (None, None, None), status="skipped", samples=0),
        hint("prefetch", 0.005),
    )
    found = frame.set_index("x")
    assert found.loc["ReadMostly", "ratio"] == pytest.approx(0.004)
    assert found.loc["ReadMostly", ["ratio_low", "ratio_high"]].isna().all()
    assert found.loc["ReadMostly", "samples"] == 2
    assert pd.isna(found.loc["prefetch", "samples"])
    assert {row.x: outcome(row) for row in frame.itertuples()} == {
        "prefetch": "gain",
        "ReadMostly": "short",
        "ReadMostly, prefetch": "missing",
    }
    # A paper quotes what has an interval.
    assert list(load_figure(DIRECTORY / "gpu_03_hints.py").numbers(frame)["value"]) == [2]


def test_of_several_sizes_and_passes_a_workload_is_shown_at_that_with_most_hints():
    frame = points(
        "gpu_03_hints",
        *(hint(name, 0.01, passes=4) for name in ("none", "prefetch", "read_mostly")),
        *(hint(name, 0.01, passes=16) for name in ("none", "prefetch")),
        *(hint(name, 0.01, passes=1, size_bytes=MIB) for name in ("none", "prefetch", "read_mostly")),
    )
    assert set(frame["panel"]) == {"the GPU reads, 4 times, 64 MiB"}
    assert len(frame) == 2


def test_a_ratio_has_the_interval_of_both_its_cases():
    rows = [hint("none", (0.8, 0.4, 1.6)), hint("prefetch", (0.1, 0.1, 0.1))]
    frame = relative(results(*rows).summary, "hint", "none", ["workload"], speedup=True)
    assert tuple(frame.loc[frame["hint"] == "prefetch", ["ratio", "ratio_low", "ratio_high"]].iloc[0]) == pytest.approx(
        (8, 4, 16)
    )
    inverse = relative(results(*rows).summary, "hint", "none", ["workload"])
    assert tuple(
        inverse.loc[inverse["hint"] == "prefetch", ["ratio", "ratio_low", "ratio_high"]].iloc[0]
    ) == pytest.approx((1 / 8, 1 / 16, 1 / 4))
    few = [hint("none", (0.8, None, None)), hint("prefetch", 0.1)]
    frame = relative(results(*few).summary, "hint", "none", ["workload"])
    assert frame["ratio"].iloc[1] == pytest.approx(0.125)
    assert frame["ratio_low"].isna().all()


def test_calls_are_in_seconds():
    frame = points(
        "gpu_04_hint_calls",
        row("hint_call", 3e-6, call="set_read_mostly", resident="gpu", size_bytes=MIB),
        row("hint_call", 2e-6, call="prefetch_to_gpu", resident="cpu", size_bytes=4 * KIB),
    )
    assert values(frame, "seconds", "x", "panel", "series") == pytest.approx(
        {
            ("prefetch to the GPU", "data with the CPU", "4 KiB"): 2e-6,
            ("set ReadMostly", "data with the GPU", "1 MiB"): 3e-6,
        }
    )


def test_reuse_is_against_copies_of_pinned_memory():
    common = {"size_bytes": MIB, "repeats": 4}
    frame = points(
        "gpu_06_reuse",
        row("pattern", 0.010, way="explicit_pinned", **common),
        row("pattern", 0.025, way="managed", **common),
        row("pattern", 0.005, way="pinned", size_bytes=MIB, repeats=8),  # without a partner
    )
    assert values(frame, "ratio", "series", "x", "panel") == pytest.approx({("managed, bare", 4, "1 MiB"): 2.5})
    assert set(frame["one"]) == {1}


def test_ping_pong_is_shown_by_iteration():
    rows = [row("ping_pong", 1e-4 / n, hint="none", iteration=n, size_bytes=64 * KIB) for n in (1, 2, 4)]
    frame = points("gpu_07_ping_pong", *rows, row("ping_pong", 1, allocator="mmap_huge", iteration=1))
    assert values(frame, "seconds", "x") == pytest.approx({1: 1e-4, 2: 5e-5, 4: 2.5e-5})


def test_ping_pong_notes_the_turns_with_many_page_faults():
    def turn(number, faults, **other):
        return row("ping_pong", 1e-4, iteration=number, size_bytes=64 * KIB, major_faults_median=faults, **other)

    usual = [turn(1, 0), turn(2, 3), turn(3, 6)]
    frame = points("gpu_07_ping_pong", *usual, turn(4, 7.5), turn(4, 40, hint="prefetch"))
    noted = frame[frame["note"] != ""]
    # Twice the usual is not many, and a curve with nothing to compare has no usual.
    assert values(noted, "major_faults", "x", "series") == {(4, "no hint"): 7.5}
    assert list(noted["note"]) == ["CPU: 8 page faults"]


def test_hints_are_called_alike_in_figures_and_in_the_advice():
    questions = read_yaml(ROOT / "workflow/report/advice/unified_memory.yaml")["questions"]
    words = questions["hints_reads"]["words"]
    assert len(words) == 12
    # A figure lists what a sentence puts together.
    listed = {name: said.replace(" with ", ", ").replace("prefetching", "prefetch") for name, said in words.items()}
    assert listed == {name: word(name) for name in words}
