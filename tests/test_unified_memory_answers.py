"""The answers to the ten questions, from hand-made rows: numbers known by arithmetic, and what is missing."""

from __future__ import annotations

import pytest

from helpers import ROOT
from memory_rows import KIB, MIB, results, row
from scopemark.figures import load_figure
from scopemark.report_memory import Cases, Unknown
from scopemark.report_parts import text_parts

ANSWERS = load_figure(ROOT / "workflow/report/texts/unified_memory/answers.py")
MANAGED_ONLY = {
    "architecture": "sm_90",
    "managed_memory": 1,
    "concurrent_managed_access": 1,
    "pageable_memory_access": 0,
}


def said(place: int, *rows: dict, **attributes: object) -> str:
    """The answer to a question, its lines joined."""
    text = ANSWERS.text(results(*rows, **{**MANAGED_ONLY, **attributes}))
    (block,) = [block for block in text.split("\n\n") if block.startswith(f"Q{place}. ")]
    question = ANSWERS.QUESTIONS[place - 1].text
    return " ".join(block.split()).removeprefix(f"Q{place}. {question} ")


def read(passed: int, seconds: float, **other) -> dict:
    return row("access", seconds, origin="cpu", **{"pass": passed}, **other)


def moved(way: str, seconds: float, direction="to_gpu", **other) -> dict:
    return row("transfer", seconds, way=way, direction=direction, **other)


def test_the_first_kernel_pays_for_its_pages():
    rows = [
        read(1, 0.008 * 1.048576),
        read(2, 0.0001 * 1.048576),
        read(1, 1e-6, size_bytes=MIB),
        row("hint", 0.016, hint="none", workload="gpu_reads", passes=1),
        row("hint", 0.002, hint="prefetch", workload="gpu_reads", passes=1),
        moved("prefetch", 0.002 * 1.048576),
        moved("pinned_copy", 0.001 * 1.048576),
    ]
    # 64 MiB are 64 × 1.048576 MB.
    assert said(1, *rows) == (
        "Its pages lie with the CPU and come over by page faults: the GPU reads 64 MiB at 8.00 [8.00, 8.00] GB/s in "
        "the first pass and at 640 [640, 640] GB/s in the second; the first takes 80.0× [80.0, 80.0] as long. "
        "Prefetching 64 MiB and reading it once, the prefetch's own time included, is 8.00× [8.00, 8.00] as fast as "
        "faulting it in. What a prefetch cannot take away is the transfer: 64 MiB at 32.0 [32.0, 32.0] GB/s, 0.500× "
        "[0.500, 0.500] the rate of a plain pinned copy."
    )


def test_what_is_missing_is_said_once_with_its_reason():
    rows = [
        moved("prefetch", 1, direction="to_host", status="failed"),
        moved("pinned_copy", 0.001, direction="to_host"),
        moved("prefetch", 0.003),
        moved("pinned_copy", 0.002),
    ]
    text = said(2, *rows)
    assert text.startswith("To the GPU, a prefetch of 64 MiB takes 1.50× [1.50, 1.50] the time of a pinned copy (")
    assert text.endswith(
        "Not measured here: transfer way=prefetch direction=to_host (failed: made failed); pattern "
        "way=managed_prefetch."
    )


def test_the_whole_program_is_told_at_both_ends_of_the_largest_size():
    def program(way, seconds, repeats, size=64 * MIB):
        return row("pattern", seconds, way=way, repeats=repeats, size_bytes=size)

    rows = [program("explicit_pinned", 0.010, n) for n in (1, 8, 64)]
    rows += [program("managed_prefetch", 0.011, 1), program("managed_prefetch", 0.020, 64)]
    rows += [program("managed_prefetch", 1, 1, MIB), program("explicit_pinned", 1, 1, MIB)]
    rows += [program("pinned", seconds, n) for n, seconds in ((1, 0.005), (8, 0.0099), (64, 0.040))]
    rows += [row("pattern", 1, "unsupported", way="malloc")]
    assert (
        "takes 1.10× [1.10, 1.10] (64 MiB, used once) and 2.00× [2.00, 2.00] (64 MiB, used 64 times) the time of "
        "copies." in said(2, *rows)
    )
    text = said(3, *rows)
    assert text.startswith(
        "For 64 MiB that the CPU fills and reads again: used once it is fastest as “pinned, in place”, 0.500× [0.500, "
        "0.500] the time of copies of pinned memory; used 64 times it is fastest as “copies, pinned”. Pinned memory "
        "in place beats managed memory that is prefetched up to 1 use: 0.455× [0.455, 0.455] the time with 1 use, "
        "2.00× [2.00, 2.00] with 64 uses."
    )
    assert "malloc's memory is no choice for a kernel here (made unsupported)." in text


@pytest.mark.parametrize(
    ("pinned", "start"),
    [
        (
            {1: 0.5, 4: 0.6},
            "Pinned memory in place beats managed memory that is prefetched as often as was measured: 0.5",
        ),
        ({1: 1.5, 4: 0.6}, "Pinned memory in place never clearly beats managed memory that is prefetched: 1.50×"),
        (
            {1: (0.9, 0.5, 1.5), 4: 2},
            "Pinned memory in place never clearly beats managed memory that is prefetched: 0.9",
        ),
        ({1: 0.5, 4: 0.6, 8: 1.2}, "Pinned memory in place beats managed memory that is prefetched up to 4 uses: 0.5"),
    ],
)
def test_up_to_how_many_uses_pinned_memory_pays(pinned, start):
    rows = [row("pattern", seconds, way="pinned", repeats=uses) for uses, seconds in pinned.items()]
    rows += [row("pattern", 1, way="managed_prefetch", repeats=uses) for uses in pinned]
    assert start in said(3, *rows)


def test_the_paradigm_is_named_with_its_attributes():
    rows = [row("canary", 1e-6, allocator="managed"), row("canary", 1e-6, "failed", allocator="device")]
    text = said(4, *rows, driver="580.10", kernel_module="open")
    assert text.startswith(
        "Managed only (managed_memory 1, concurrent_managed_access 1, pageable_memory_access 0). A kernel that is "
        "given memory of malloc faults, because the GPU cannot page here."
    )
    assert text.endswith(
        "Of 2 canaries 1 held and 0 were refused before they were sent; 1 disagreed with the attributes."
    )


def test_hints_are_named_with_the_best_and_the_worst():
    def hint(name, seconds, workload="gpu_reads", **other):
        return row("hint", seconds, hint=name, workload=workload, **other)

    rows = [hint("none", 0.010), hint("prefetch", 0.002), hint("read_mostly", 0.011), hint("prefetch_away", 0.040)]
    rows += [hint("none", 0.010, "exchange", passes=2), hint("prefetch", 0.005, "exchange", passes=2)]
    rows += [hint("none", 1, passes=16), hint("prefetch", 0.01, passes=16)]  # fewer to compare
    rows += [row("hint_call", us * 1e-6, call=call) for us, call in ((2, "set_read_mostly"), (90, "prefetch_to_gpu"))]
    assert said(5, *rows) == (
        "The best hint and the worst, as times as fast as none: “prefetch” 5.00× [5.00, 5.00] and “prefetch to the "
        "wrong side” 0.250× [0.250, 0.250] where the GPU reads (64 MiB, once); “prefetch” 2.00× [2.00, 2.00] where "
        "the GPU writes, the CPU reads (64 MiB, 2 times). Not measured here: hint workload=gpu_updates; hint "
        "workload=both_read; hint workload=sparse. The call itself takes from 2.00 [2.00, 2.00] µs (set read mostly) "
        "to 90.0 [90.0, 90.0] µs (prefetch to gpu) for 64 MiB."
    )


def test_random_places_are_told_in_words_per_second():
    rows = [read(1, 2**20 / 2.5e9, pattern="random", stride_bytes=64, operations=2**20)]
    rows += [read(2, 2**20 / 1.25e9, pattern="random", stride_bytes=4096, operations=2**20)]
    assert said(6, *rows) == (
        "At random places of 64 MiB of managed memory that is there, the GPU reads 2.50 [2.50, 2.50] Gwords/s from "
        "places 64 bytes apart and 1.25 [1.25, 1.25] Gwords/s from places 4 KiB apart."
    )


def test_huge_pages_are_told_on_the_cpu():
    def touched(allocator, seconds, **other):
        return row("access", seconds, kind="cpu", processor="cpu", allocator=allocator, **other)

    rows = []
    for allocator, seconds in (("mmap_huge", 0.001), ("mmap_small", 0.003)):
        rows += [touched(allocator, seconds, pattern="random", stride_bytes=4096, **{"pass": 2})]
        rows += [touched(allocator, 0.001), touched(allocator, seconds, operation="write", origin="nobody")]
    assert said(6, *rows) == (
        "Reads at random places of 64 MiB are 3.00× [3.00, 3.00] as fast from huge pages as from pages of 4 KiB. "
        "Reads in order of 64 MiB are 1.00× [1.00, 1.00] as fast from huge pages as from pages of 4 KiB. First writes "
        "by one thread of 64 MiB are 3.00× [3.00, 3.00] as fast from huge pages as from pages of 4 KiB."
    )


def test_both_processors_on_the_same_words():
    def counter(parties, allocator, scope, seconds, lost):
        return row(
            "counter",
            seconds,
            operations=1000,
            parties=parties,
            allocator=allocator,
            scope=scope,
            lost_updates_most=lost,
        )

    rows = [
        row("ping_pong", 1e-4, iteration=1, size_bytes=64 * KIB),
        row("ping_pong", 5e-5, iteration=32, size_bytes=64 * KIB, major_faults_median=16),
        row("ping_pong", 1, iteration=32, size_bytes=MIB),
        row("signal", 3e-4, operations=100, asker="cpu", allocator="pinned"),
        row("signal", 5e-3, operations=100, asker="cpu", allocator="managed"),
        counter("both", "managed", "system", 1e-3, 0),
        counter("both", "managed", "device", 1e-3, 250),
        counter("both", "pinned", "system", 1e-3, 0),
        counter("both", "pinned", "device", 1e-3, 10),
        counter("gpu", "managed", "system", 1e-5, 0),
    ]
    assert said(7, *rows) == (
        "When CPU and GPU update 64 KiB of managed memory in turns, turn 1 takes 100 [100, 100] µs and turn 32 takes "
        "50.0 [50.0, 50.0] µs with 16 major page faults of the CPU. A flag from the CPU to the GPU and back takes "
        "3.00 [3.00, 3.00] µs in pinned memory and 50.0 [50.0, 50.0] µs in managed memory. Both adding to one managed "
        "word at system scope reach 1.00 [1.00, 1.00] Madds/s, the GPU alone 100 [100, 100] Madds/s. Adds are lost "
        "with device scope in managed memory (25.00% at the most) and device scope in pinned memory (1.00% at the "
        "most); none with system scope in managed memory and system scope in pinned memory."
    )


def test_ways_back_are_told_by_spans_of_sizes():
    def back(way, size, microseconds):
        return row("result", microseconds * 1e-6, way=way, size_bytes=size, independent="none")

    rows = [back("explicit_copy", size, us) for size, us in ((4, 20), (KIB, 20), (MIB, 100))]
    rows += [back("device_write", size, us) for size, us in ((4, 10), (KIB, 16), (MIB, 300))]
    rows += [back("host_read", MIB, 200), back("host_read", 4 * MIB, 1)]  # the last with nothing beside it
    assert said(8, *rows) == (
        "Alone, the fastest is: “device writes to the host” for 4 bytes to 1 KiB (16.0 [16.0, 16.0] µs at 1 KiB, and "
        "“explicit copy” 1.25× [1.25, 1.25] as long); “explicit copy” for 1 MiB (100 [100, 100] µs at 1 MiB, and "
        "“host reads managed memory” 2.00× [2.00, 2.00] as long). Not measured here: result independent=queued."
    )


def test_sharing_tells_what_became_of_it():
    rows = [
        row("sharing", 1e-3, memory="memfd", processor="cpu"),
        row("sharing", 1e-3, memory="managed_ipc", processor="gpu", note="cudaErrorInvalidValue"),
        row("sharing", 1e-3, "unsupported", memory="file", processor="gpu"),
    ]
    assert said(9, *rows) == (
        "What one process writes another reads: a memfd by the CPU: as expected; a file by the GPU: unsupported (made "
        "unsupported); managed memory by a handle by the GPU: as expected (cudaErrorInvalidValue)."
    )


def test_a_mapped_file_is_set_against_malloc():
    def touched(allocator, seconds, **other):
        return row("access", seconds, kind="cpu", processor="cpu", allocator=allocator, size_bytes=MIB, **other)

    rows = [touched("file", 0.002), touched("malloc", 0.001)]
    rows += [
        touched("file", 0.004, operation="write", origin="nobody"),
        touched("malloc", 0.001, operation="write", origin="nobody"),
    ]
    assert said(9, *rows) == (
        "On the CPU, with a mapped file, reads of 1 MiB take 2.00× [2.00, 2.00] the time of malloc's and the first "
        "touch of 1 MiB take 4.00× [4.00, 4.00] the time of malloc's."
    )


def test_oversubscription_that_was_not_asked_for_says_so():
    rows = [row("oversubscription", 1, "skipped"), read(1, 1, size_bytes=MIB)]
    assert said(10, *rows) == "Not tried (made skipped): no case of this run has more than 1 MiB of memory."
    assert said(10, *rows[1:]) == "Not tried: no case of this run has more than 1 MiB of memory."
    rows = [row("oversubscription", seconds, factor=factor) for factor, seconds in ((0.5, 0.1), (1.25, 8))]
    assert said(10, *rows) == (
        "A pass goes over 0.5 of the card's memory in 100 [100, 100] ms and over 1.25 of the card's memory in 8.00 "
        "[8.00, 8.00] s."
    )


def test_a_machine_is_asked_what_its_kind_can_answer():
    text = ANSWERS.text(results(row("allocation", 1e-6), row("allocation", 1e-6, kind="cpu", allocator="malloc")))
    gpu, cpu = text.split("\n\n\n")
    assert [block.split(".")[0] for block in gpu.split("\n\n")[1:]] == [f"Q{place}" for place in range(1, 11)]
    assert [block.split(".")[0] for block in cpu.split("\n\n")[1:]] == ["Q6", "Q9"]
    assert max(map(len, text.splitlines())) <= ANSWERS.WIDTH
    assert ANSWERS.text(results()) == ""


def test_a_number_is_not_torn_from_its_interval():
    rows = [moved(way, seconds) for way, seconds in (("prefetch", 0.0031), ("pinned_copy", 0.0017))]
    for line in ANSWERS.text(results(*rows, **MANAGED_ONLY)).splitlines():
        assert line.count("[") == line.count("]")


def test_a_case_is_the_largest_of_those_that_have_a_number():
    rows = [read(1, 1, size_bytes=KIB), read(1, 2, size_bytes=MIB), read(1, 3, size_bytes=4 * MIB, status="failed")]
    cases = Cases(rows, {"kind": "gpu"})
    assert cases.one("access", **{"pass": 1})["size_bytes"] == MIB
    with pytest.raises(Unknown, match=r"access pass=2$"):
        cases.one("access", **{"pass": 2})


def test_the_page_has_the_answers_as_a_list_of_definitions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/answers.txt").write_text(ANSWERS.text(results(row("allocation", 1e-6))))
    (part,) = text_parts([str(ROOT / "workflow/report/texts/unified_memory/answers.py")], ["reports/answers.txt"])
    assert part["html"].count("<dt>") == part["html"].count("<dd>") == 10
    assert "<h4>gpu0 machine" in part["html"]
    assert "system-message" not in part["html"]
