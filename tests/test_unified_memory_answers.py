"""The answers on data that move, from hand-made rows: numbers known by arithmetic, and what is missing."""

from __future__ import annotations

import pytest

from helpers import ROOT
from memory_answers import ANSWERS, MANAGED_ONLY, moved, read, said
from memory_rows import KIB, MIB, results, row
from scopemark.report.memory import Cases, Unknown
from scopemark.report.parts import text_parts


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
        "The first pass has to bring the pages over, and reads 64 MiB at 8.00 GB/s; the second finds them in place and "
        "reads at 640 GB/s, 80.0× [80.0, 80.0] as fast. With a prefetch, its own time included, reading 64 MiB once is "
        "8.00× [8.00, 8.00] as fast. What a prefetch cannot take away is the transfer, at 32.0 GB/s where a pinned "
        "copy of as much reaches 64.0 GB/s."
    )


def test_a_first_pass_that_costs_nothing_is_not_said_to_move_pages():
    rows = [read(1, (0.001 * 1.048576, 0.0009, 0.002)), read(2, 0.001 * 1.048576)]
    assert said(1, *rows) == "The first pass is no slower than the second: it reads 64 MiB at 64.0 GB/s."


def test_what_was_tried_in_vain_is_said_with_its_reason():
    rows = [
        moved("prefetch", 1, direction="to_host", status="failed"),
        moved("pinned_copy", 0.001, direction="to_host"),
        moved("prefetch", 0.003),
        moved("pinned_copy", 0.002),
    ]
    text = said(2, *rows)
    assert text.startswith("To the GPU, a prefetch of 64 MiB takes 1.50× [1.50, 1.50] the time of a pinned copy (")
    # Programs were not asked for, and nothing is said of them.
    assert text.endswith("(22.4 GB/s against 33.6 GB/s). No number for a prefetch to the host (failed: made failed).")


def test_a_gpu_is_told_what_was_not_measured_and_a_cpu_is_not():
    gpu, cpu = row("allocation", 1e-6), row("allocation", 1e-6, kind="cpu", allocator="malloc")
    assert said(7, gpu) == "Not measured in this run."
    assert ANSWERS.text(results(cpu)) == ""


def test_the_whole_program_is_told_at_both_ends_of_the_largest_size():
    def program(way, seconds, repeats, size=64 * MIB):
        return row("pattern", seconds, way=way, repeats=repeats, size_bytes=size)

    rows = [program("explicit_pinned", 0.010, n) for n in (1, 8, 64)]
    rows += [program("managed_prefetch", 0.011, 1), program("managed_prefetch", 0.020, 64)]
    rows += [program("managed_prefetch", 1, 1, MIB), program("explicit_pinned", 1, 1, MIB)]
    rows += [program("pinned", seconds, n) for n, seconds in ((1, 0.005), (8, 0.0099), (64, 0.040))]
    rows += [row("pattern", 1, "unsupported", way="malloc")]
    assert said(2, *rows) == (
        "A whole AXPY with prefetches there and back takes, as a multiple of the time with pinned copies of its 64 "
        "MiB, 1.10× [1.10, 1.10] if they are used once and 2.00× [2.00, 2.00] if they are used 64 times."
    )
    text = said(3, *rows)
    assert text.startswith(
        "The fastest for 64 MiB that the CPU fills and reads again is “pinned, in place” if used once (“copies, "
        "pinned” takes 2.00× [2.00, 2.00] the time), and “copies, pinned” if used 64 times (“managed, prefetch” takes "
        "2.00× [2.00, 2.00] the time). Pinned memory in place is ahead of prefetched managed memory with 1 use (0.455× "
        "[0.455, 0.455] the time) and is behind it with 64 uses (2.00× [2.00, 2.00] the time)."
    )
    assert text.endswith("malloc's memory must not be given to a kernel here (see Q4).")


@pytest.mark.parametrize(
    ("pinned", "start"),
    [
        ({1: 0.5, 4: 0.6}, "is ahead of prefetched managed memory up to 4 uses (0.500×"),
        ({1: 1.5, 4: 0.6}, "is as good as prefetched managed memory."),  # neither first ahead nor last behind
        ({1: (0.9, 0.5, 1.5), 4: 2, 8: 4}, "is behind prefetched managed memory from 4 uses on (2.00×"),
        (
            {1: 0.5, 4: (1, 0.9, 1.1), 8: 1.2, 16: 2},
            "is ahead of prefetched managed memory with 1 use (0.500× [0.500, 0.500] the time) and is behind it from 8 "
            "uses on (1.20× [1.20, 1.20] the time).",
        ),
    ],
)
def test_up_to_how_many_uses_pinned_memory_pays(pinned, start):
    rows = [row("pattern", seconds, way="pinned", repeats=uses) for uses, seconds in pinned.items()]
    rows += [row("pattern", 1, way="managed_prefetch", repeats=uses) for uses in pinned]
    assert said(3, *rows).startswith(f"Pinned memory in place {start}")


def test_ways_back_are_told_by_spans_of_sizes():
    def back(way, size, microseconds):
        return row("result", microseconds * 1e-6, way=way, size_bytes=size, independent="none")

    rows = [back("explicit_copy", size, us) for size, us in ((4, 20), (KIB, 20), (MIB, 100), (2 * MIB, 100))]
    rows += [back("device_write", size, us) for size, us in ((4, 10), (KIB, 16), (MIB, 101), (2 * MIB, 300))]
    rows += [back("host_read", MIB, 200), back("host_read", 4 * MIB, 1)]  # the last with nothing beside it
    assert said(8, *rows) == (
        "Alone, “device writes to the host” is the fastest up to 1 KiB (10.0 µs for 4 bytes; “explicit copy” takes "
        "2.00× [2.00, 2.00] the time); “device writes to the host” and “explicit copy” are equally fast at 1 MiB (100 "
        "µs for 1 MiB; “host reads managed memory” takes 2.00× [2.00, 2.00] the time); “explicit copy” is the fastest "
        "at 2 MiB (100 µs for 2 MiB; “device writes to the host” takes 3.00× [3.00, 3.00] the time)."
    )
    alike = [back(way, size, 5) for way in ("explicit_copy", "host_read") for size in (4, KIB)]
    assert said(8, *alike) == "Alone, all are equally fast at every size (5.00 µs for 4 bytes)."


def test_ways_back_that_noise_hides_are_not_called_equally_fast():
    """A ratio of 1.2 with an interval from 0.98 to 1.65 is no equality; neither is that of one size among others."""

    def back(way, size, *microseconds):
        return row("result", tuple(us * 1e-6 for us in microseconds), way=way, size_bytes=size, independent="none")

    noisy = [back("device_write", 64, 20, 16, 22), back("explicit_copy", 64, 24, 21, 28)]
    assert said(8, *noisy) == "Alone, nothing tells another from the fastest at 64 bytes (20.0 µs for 64 bytes)."
    clear = [back(way, 4, 5, 5, 5) for way in ("device_write", "explicit_copy")]
    both = said(8, *clear, *noisy)
    assert both == "Alone, nothing tells another from the fastest at every size (5.00 µs for 4 bytes)."
    slow = back("host_read", 64, 40, 38, 45)
    assert "“device writes to the host” and “explicit copy” cannot be told apart at 64 bytes (20.0" in said(
        8, *noisy, slow
    )


def test_a_machine_is_asked_what_its_kind_can_answer():
    written = {"kind": "cpu", "processor": "cpu", "operation": "write", "origin": "nobody"}
    rows = [row("access", 1, allocator=name, **written) for name in ("file", "malloc", "mmap_huge", "mmap_small")]
    text = ANSWERS.text(results(row("allocation", 1e-6), *rows))
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
    with pytest.raises(Unknown, match=r"^$"):
        cases.one("access", **{"pass": 2})
    with pytest.raises(Unknown, match=r"^failed: made failed$"):
        cases.one("access", size_bytes=4 * MIB)


def test_the_page_has_the_answers_as_a_list_of_definitions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/answers.txt").write_text(ANSWERS.text(results(row("allocation", 1e-6))))
    (part,) = text_parts([str(ROOT / "workflow/report/texts/unified_memory/answers.py")], ["reports/answers.txt"])
    assert part["html"].count("<dt>") == part["html"].count("<dd>") == 10
    assert "<h4>gpu0 machine" in part["html"]
    assert "system-message" not in part["html"]
