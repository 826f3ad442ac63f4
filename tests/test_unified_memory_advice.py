"""Advice on unified memory from hand-made rows: which sentence the times choose, and what it says."""

from __future__ import annotations

import pytest

from memory_rows import EXPERIMENT, KIB, MIB, back, counter, hint, row
from scopemark.advice.questions import answer, load_advice
from unified_memory_rows import ATS, HMM, gpu

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
            {"prefetch": 0.010, "read_mostly": 0.080, "preferred_gpu": 0.040, "preferred_host": 0.160},
            "take prefetching, 8.00× [8.00, 8.00] the speed of no hint, then PreferredLocation GPU, 2.00× [2.00, "
            "2.00]; "
            "and beware of PreferredLocation host, which has 0.500× [0.500, 0.500]",
            8,
        ),
        (
            {"prefetch": 0.010, "read_mostly": 0.080},
            "take prefetching, 8.00× [8.00, 8.00] the speed of no hint; the least, ReadMostly, has 1.00× [1.00, 1.00]",
            8,
        ),
        (
            {"prefetch": 0.080, "preferred_gpu": 0.160},
            "give no hint: the fastest, prefetching, has 1.00× [1.00, 1.00] the speed of none, and the slowest, "
            "PreferredLocation GPU, 0.500× [0.500, 0.500]",
            1,
        ),
        (
            {"prefetch": 0.080},
            "no hint changes anything: the fastest, prefetching, has 1.00× [1.00, 1.00] the speed of none",
            1,
        ),
    ],
)
def test_hints_are_ranked_against_none(seconds, end, decides):
    found = only("hints_reads", hints(none=0.080, **seconds))
    assert found.text == f"Where the GPU reads what the CPU wrote {end} (gone over 4 times; 64 MiB)."
    assert found.ratio.value == pytest.approx(decides)


def test_hints_that_noise_keeps_apart_from_the_best_are_named_with_it():
    rows = hints(
        none=(8.0, 7.5, 8.5),
        prefetch=(2.0, 1.8, 2.3),
        preferred_gpu_prefetch=(2.2, 2.0, 2.5),  # 1.10 times as long as the best, and the interval of that contains 1
        accessed_by_gpu=(4.0, 3.9, 4.1),
        preferred_gpu=(8.0, 2.0, 30.0),  # which may be as fast as any, but is not clearly faster than none
    )
    text = only("hints_reads", rows).text
    assert "take prefetching or PreferredLocation GPU with prefetching, 3.64…4.00× [" in text
    assert "the speed of no hint, then AccessedBy GPU, 2.00× [" in only("hints_reads", rows).text
    rows[2] |= hint("preferred_gpu_prefetch", (2.2, 2.19, 2.21), passes=4)
    rows[1] |= hint("prefetch", (2.0, 1.99, 2.01), passes=4)
    assert "take prefetching, 4.00× [" in only("hints_reads", rows).text


def cut_short(name, fastest, samples=1):
    """A hint that had no time for the samples of an interval."""
    made = hint(name, (0.800, None, None), passes=4, status="skipped", samples=samples)
    return made | {"minimum_seconds": fastest}


@pytest.mark.parametrize(
    ("fastest", "samples", "worst"),
    [
        (0.700, 1, "ReadMostly, which has 0.100×, 10.0 times as long, in the one sample that it had time for"),
        (0.700, 4, "ReadMostly, which has 0.100×, 10.0 times as long, in the 4 samples that it had time for"),
        (0.081, 4, "PreferredLocation host, which has 0.500× [0.500, 0.500]"),  # as fast as none in one of its samples
    ],
)
def test_a_hint_too_slow_for_its_time_is_warned_of(fastest, samples, worst):
    rows = hints(none=0.080, prefetch=0.010, preferred_host=0.160)
    rows.append(cut_short("read_mostly", fastest, samples))
    assert f"; and beware of {worst} (gone over" in only("hints_reads", rows).text


def test_a_hint_too_slow_for_its_time_is_worse_than_none():
    rows = [*hints(none=0.080, prefetch=0.080), cut_short("read_mostly", 0.7)]
    assert "give no hint: the fastest, prefetching, has 1.00×" in only("hints_reads", rows).text


def test_hints_that_cannot_be_told_apart_say_so():
    rows = hints(none=(0.080, 0.040, 0.160), prefetch=0.081)
    assert only("hints_reads", rows).text == (
        "Too noisy, or too small, to tell within 5 %: against no hint, prefetching 0.988× [0.494, 1.98] (gone over 4 "
        "times; 64 MiB)."
    )


def moved(direction="to_gpu", **seconds):
    return [
        row("transfer", value, way=way, direction=direction, size_bytes=256 * MIB) for way, value in seconds.items()
    ]


def test_data_go_by_the_best_two_ways_and_not_by_the_worst():
    rows = moved(pinned_copy=1.0, prefetch=1.25, direct=1.0, managed_copy=4.0, faults=8.0)
    assert only("data_in", rows).text == (
        "Copy large data to the GPU from pinned memory: the next best, direct access to managed memory that prefers "
        "the "
        "host, has 1.00× [1.00, 1.00] that speed, then a prefetch of managed memory, 0.800× [0.800, 0.800], and the "
        "slowest, leaving managed memory to page faults, 0.125× [0.125, 0.125] (256 MiB)."
    )
    rows = moved("to_host", faults=8.0, prefetch=4.0, managed_copy=2.0)
    assert only("managed_out", rows).text == (
        "Bring managed data back by copying them, 4.00× [4.00, 4.00] the speed of page faults; prefetching them has "
        "2.00× "
        "[2.00, 2.00] (256 MiB)."
    )


def added(allocator, seconds, lost):
    """A thousand adds of both processors, and how many of them are lost: the least, the median and the most."""
    return counter("both", "system", seconds, lost) | {"allocator": allocator, "case": allocator}


@pytest.mark.parametrize(
    ("managed", "pinned", "text"),
    [
        (
            (0, 0, 0),
            (200, 250, 300),
            "Let CPU and GPU add to one word in managed memory at system scope, for the link carries no atomics: "
            "pinned "
            "memory loses 25 % [20, 30] of the updates even so, and managed memory has 4.00× [4.00, 4.00] its "
            "throughput.",
        ),
        (
            (0, 0, 0),
            (0, 0, 0),
            "Let CPU and GPU add to one word in managed memory at system scope: none is lost elsewhere either, and it "
            "has "
            "4.00× [4.00, 4.00] the throughput of pinned memory.",
        ),
        (
            (0, 0, 1),
            (200, 250, 300),
            "Do not let CPU and GPU add to one word, for the link carries no atomics: even at system scope managed "
            "memory "
            "loses 0 % [0, 0.1] and pinned memory loses 25 % [20, 30] of the updates.",
        ),
    ],
)
def test_a_counter_lives_where_nothing_is_lost(managed, pinned, text):
    assert only("counters", [added("managed", 1.0, managed), added("pinned", 4.0, pinned)]).text == text


def test_a_counter_in_one_memory_alone_is_no_choice():
    assert only("counters", [added("managed", 1.0, (0, 0, 0))]).text.startswith("Not measured here")


def test_which_memory_a_kernel_may_be_given():
    assert only("paradigm", [], GPU).text == "Not measured here: the machine description does not tell managed_memory."
    without = gpu(pageable=0) | {"memory": {"hmm_mirror": True, "device_private": False}}
    text = only("paradigm", [], without).text
    assert text.startswith("Give kernels managed, pinned or device memory and never a pointer of malloc")
    assert text.endswith(
        "(pageable_memory_access is 0, since the Linux kernel was built without CONFIG_DEVICE_PRIVATE)."
    )
    starts = {
        "Give kernels memory of cudaMalloc": gpu(managed=0),
        "Give kernels managed or pinned memory, and keep the CPU off": gpu(concurrent=0),
        "Give kernels any memory of the process, for what malloc has migrates": HMM,
        "Give kernels any memory of the process, for they reach it": ATS,
    }
    for start, machine in starts.items():
        assert only("paradigm", [], machine).text.startswith(start)


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
        for way, seconds in zip(("explicit_pinned", "pinned"), both, strict=True)
    ]
    assert only("reuse_pinned", rows).text == (
        "Copy data to the GPU that kernels use at least 4 times, and leave others in pinned memory, in place: a "
        "program that copies them has 1.50× [1.50, 1.50] the speed of in place then, 20.0× [20.0, 20.0] with 64 uses "
        "and 0.500× [0.500, 0.500] with fewer (64 MiB)."
    )
    rows += [row("pattern", 0.040, way="managed", repeats=uses) for uses in times]
    assert only("reuse_once", rows).text == (
        "For data that kernels use once take pinned memory in place: as a whole program 2.00× [2.00, 2.00] the speed "
        "of copies of pinned memory; and beware of bare managed memory, which has 0.500× [0.500, 0.500] (1 use; 64 "
        "MiB)."
    )
    assert only("reuse_often", rows).text == (
        "Copy data that kernels use again and again from and to pinned memory: as a whole program the next best, bare "
        "managed memory, has 0.500× [0.500, 0.500] that speed, and the slowest, pinned memory in place, 0.0500× "
        "[0.0500, 0.0500] (64 uses; 64 MiB)."
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


def test_a_way_back_beside_work_is_of_what_the_work_hides():
    rows = [
        back(way, size, us, "queued")
        for size, both in {4: (1000, 1000), 4 * MIB: (1000, 1200), 64 * MIB: (9000, 3000)}.items()
        for way, us in zip(("explicit_copy", "device_write"), both, strict=True)
    ]
    assert only("results_queued", rows).text == (
        "With independent work queued copy results of 4 MiB back, the largest that the work hides: 1.20× [1.20, 1.20] "
        "the speed of direct writes there, and 1.00× [1.00, 1.00] below."
    )


def test_every_answer_is_one_sentence():
    for name, question in QUESTIONS.items():
        for text in question["answers"].values():
            assert text.endswith("."), name
            assert ". " not in text.replace("malloc. ", ""), name
