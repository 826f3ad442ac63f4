"""Verdicts on passes over memory, from hand-made rows whose answers are arithmetic: faults, migration and pages."""

from __future__ import annotations

import pytest

from memory_rows import MIB, row
from scopemark.claims.steps import faults_verdict
from unified_memory_rows import ATS, CPU, HMM, access, judged, passes


@pytest.mark.parametrize(
    ("least", "most", "some", "none"),
    [(1, 9, "holds", "contradicted"), (0, 0, "contradicted", "holds"), (0, 9, "unresolved", "unresolved")],
)
def test_faults(least, most, some, none):
    assert (faults_verdict("some_faults", least, most), faults_verdict("no_faults", least, most)) == (some, none)


def test_memory_of_a_file_stays():
    rows = [
        access(allocator="file", origin="gpu", processor="cpu", faults=0),
        access(allocator="malloc", origin="gpu", processor="cpu", faults=100),
    ]
    assert judged("UM4", rows, HMM).verdict == "holds"
    finding = judged("UM4", [rows[0] | {"major_faults_most": 7}], HMM)
    assert (finding.verdict, finding.comparisons[0]["high"]) == ("unresolved", 7)
    assert (
        "Page faults were not counted"
        in judged("UM4", [access(allocator="file", origin="gpu", processor="cpu")], HMM).detail
    )


def test_the_first_pass_faults_and_the_second_does_not():
    rows = passes(10.0, 1.0, origin="cpu") + passes(8.0, 4.0, origin="cpu", operation="update")
    finding = judged("UM7", rows)
    assert (finding.verdict, finding.pairs) == ("holds", 2)
    assert finding.ratio.value == pytest.approx(2)  # the least favourable
    assert "read 10.0×, update 2.00×" in finding.detail
    assert "33.6 MB/s against 16.8 MB/s" in finding.detail  # 2 × 64 MiB in 4 and in 8 seconds
    rows = passes(1.0, 1.0, origin="cpu")
    assert judged("UM7", rows).verdict == "contradicted"
    assert "must be 0, and is 1" in judged("UM7", rows, ATS).detail
    back = [
        access(origin="gpu", processor="cpu", faults=(32, 31, 40)),
        access(origin="gpu", processor="cpu", faults=0, **{"pass": 2}),
    ]
    assert [judged(claim, back).verdict for claim in ("UM7b", "UM7c")] == ["holds", "holds"]
    assert "32 [31, 40] in 10 samples" in judged("UM7b", back).detail
    assert "Not one major page fault of the CPU in 10 samples." in judged("UM7c", back).detail
    back += [one | {"size_bytes": 4096, "case": f"small {one['case']}"} for one in back]
    # Alike but for the bounds: 31 to 40, twice.
    assert "median [least, most]: 32 [31, 40] in 20 samples; holds in both cases." in judged("UM7b", back).detail


def test_migrated_memory_is_local():
    managed = access(1.02, origin="cpu", size_bytes=256 * MIB, **{"pass": 3})
    device = access(1.0, allocator="device", origin="gpu", size_bytes=256 * MIB, **{"pass": 3})
    finding = judged("UM7d", [managed, device])
    assert (finding.verdict, finding.pairs, finding.ratio.value) == ("holds", 1, pytest.approx(1 / 1.02))
    assert (
        judged("UM7d", [managed | {"median_seconds": 2, "low_seconds": 2, "high_seconds": 2}, device]).verdict
        == "contradicted"
    )


def test_migration_costs_by_the_pages():
    sizes = [access(seconds, origin="cpu", size_bytes=size * MIB) for size, seconds in ((16, 1.0), (64, 4.0))]
    finding = judged("UM8", sizes)
    assert (finding.verdict, finding.ratio.value) == ("holds", pytest.approx(4))
    assert "(1.00 s against 4.00 s)" in finding.detail
    sparse = access(3.9, origin="cpu", stride_bytes=4096)
    finding = judged("UM8b", [sizes[1], sparse])
    assert (finding.verdict, finding.ratio.value) == ("holds", pytest.approx(3.9 / 4))
    assert judged("UM8b", [sizes[1], access(1.0, origin="cpu", stride_bytes=4096)]).verdict == "contradicted"
    few = access(0.39, origin="cpu", stride_bytes=2 * MIB)
    assert judged("UM8c", [sparse, few]).ratio.value == pytest.approx(10)


def test_pages():
    def reading(seconds, allocator, processor="cpu", kind="cpu"):
        point = {"pattern": "random", "size_bytes": 128 * MIB, "stride_bytes": 4096, "pass": 2}
        return row("access", seconds, kind=kind, allocator=allocator, processor=processor, **point)

    on_cpu = [reading(1.0, "mmap_huge"), reading(1.5, "mmap_small")]
    assert judged("UM20b", on_cpu, CPU).ratio.value == pytest.approx(1.5)
    assert "about a GPU, and this target is a CPU" in judged("UM20", on_cpu, CPU).detail
    assert "about a CPU, and this target is a GPU" in judged("UM20b", on_cpu).detail
    on_gpu = [reading(1.0, name, "gpu", "gpu") for name in ("mmap_huge", "mmap_small")]
    assert judged("UM20", on_gpu, HMM).verdict == "contradicted"


def test_access_counters_are_the_hardwares():
    rows = [
        access(seconds, allocator="malloc", origin="cpu", **{"pass": number})
        for number, seconds in ((1, 4.0), (4, 1.0))
    ]
    assert judged("UM23", rows, ATS).ratio.value == pytest.approx(4)
    finding = judged("UM23", rows, HMM)
    assert "pageable_memory_access_uses_host_page_tables must be 1, and is 0" in finding.detail
