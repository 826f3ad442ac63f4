"""Advice on unified memory from hand-made rows: which sentence the times choose, and what it says."""

from __future__ import annotations

import pytest

from memory_rows import EXPERIMENT, KIB, MIB, back, hint, row
from scopemark.advice import answer, load_advice

QUESTIONS = load_advice("unified_memory")
GPU = {"target": "gpu0", "kind": "gpu", "gpu": {"architecture": "sm_90", "pageable_memory_access": 0}}
CPU = {"target": "cpu", "kind": "cpu", "host": {"machine": "x86_64"}}


def only(name, rows, machine=GPU):
    [found] = answer(QUESTIONS[name], EXPERIMENT, machine, rows)
    return found


def hints(**seconds):
    return [hint(name, value, passes=4) for name, value in seconds.items()]


@pytest.mark.parametrize(
    ("seconds", "end", "decides"),
    [
        (
            {"prefetch": 0.010, "read_mostly": 0.080, "preferred_host": 0.160},
            "take the hint that is the fastest, “prefetch”: 8.00× [8.00, 8.00] the speed of none; and beware of "
            "“prefer the "
            "host”, which has 0.500× [0.500, 0.500]",
            8,
        ),
        (
            {"prefetch": 0.010, "read_mostly": 0.080},
            "take the hint that is the fastest, “prefetch”: 8.00× [8.00, 8.00] the speed of none; even the least, "
            "“read "
            "mostly”, has 1.00× [1.00, 1.00]",
            8,
        ),
        (
            {"prefetch": 0.080, "preferred_gpu": 0.160},
            "give no hint: the fastest, “prefetch”, has 1.00× [1.00, 1.00] the speed of none, and the slowest, "
            "“prefer the "
            "GPU”, 0.500× [0.500, 0.500]",
            1,
        ),
        (
            {"prefetch": 0.080},
            "no hint changes anything: the fastest, “prefetch”, has 1.00× [1.00, 1.00] the speed of none",
            1,
        ),
    ],
)
def test_hints_are_ranked_against_none(seconds, end, decides):
    found = only("hints_reads", hints(none=0.080, **seconds))
    assert found.text == f"Where the GPU reads what the CPU wrote {end} (gone over 4 times; 64 MiB)."
    assert found.ratio.value == pytest.approx(decides)


def test_hints_that_cannot_be_told_apart_say_so():
    rows = hints(none=(0.080, 0.040, 0.160), prefetch=0.081)
    assert only("hints_reads", rows).text.startswith(
        "Too noisy, or too small, to tell within 5 %: against no hint, prefetch "
    )


def test_what_was_not_measured_is_said():
    assert only("hints_reads", []).text == "Not measured here: the preset did not measure it."


def test_a_crossover_of_sizes_is_told_in_kibibytes():
    times = {4: (20, 10), 4 * KIB: (20, 40), MIB: (50, 200)}
    rows = [
        back(way, size, us)
        for size, both in times.items()
        for way, us in zip(("explicit_copy", "device_write"), both, strict=True)
    ]
    assert only("results", rows).text == (
        "Have the kernel write results of less than 4 KiB to the host directly, and copy larger ones: 2.00× [2.00, "
        "2.00] the speed of direct writes there, 4.00× [4.00, 4.00] at 1 MiB and 0.500× [0.500, 0.500] below."
    )


def test_reuse_is_told_by_the_number_of_uses():
    times = {1: (0.020, 0.010), 4: (0.020, 0.030), 64: (0.020, 0.400)}
    rows = [
        row("pattern", seconds, way=way, repeats=uses)
        for uses, both in times.items()
        for way, seconds in zip(("managed_prefetch", "pinned"), both, strict=True)
    ]
    assert only("reuse_pinned", rows).text == (
        "Move data to the GPU that kernels use at least 4 times: managed memory that is prefetched has 1.50× [1.50, "
        "1.50] the speed of pinned memory in place then, 20.0× [20.0, 20.0] with 64 uses and 0.500× [0.500, 0.500] "
        "with fewer (64 MiB)."
    )


def test_a_question_is_for_machines_that_can_answer_it():
    assert answer(QUESTIONS["reuse_malloc"], EXPERIMENT, GPU, []) == []
    assert answer(QUESTIONS["cpu_huge_random"], EXPERIMENT, GPU, []) == []
    rows = [
        row("access", seconds, kind="cpu", processor="cpu", pattern="random", stride_bytes=4096, allocator=allocator)
        for allocator, seconds in (("mmap_huge", 0.001), ("mmap_small", 0.002))
    ]
    text = only("cpu_huge_random", rows, CPU).text
    assert text == (
        "Ask for huge pages where the CPU reads at random: 2.00× [2.00, 2.00] the speed of pages of 4 KiB (64 MiB; "
        "4,096 bytes apart; 1 thread)."
    )


def test_every_answer_is_one_sentence():
    for name, question in QUESTIONS.items():
        for text in question["answers"].values():
            assert text.endswith("."), name
            assert ". " not in text.replace("malloc. ", ""), name
