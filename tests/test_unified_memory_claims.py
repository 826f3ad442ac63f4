"""Verdicts on unified memory from hand-made rows whose answers are arithmetic."""

from __future__ import annotations

import pytest

from memory_rows import MIB, row
from scopemark.canaries import canaries
from scopemark.claims.canaries import canary_verdict
from scopemark.claims.finding import claim_tables
from scopemark.claims.steps import faults_verdict, seconds_verdict
from scopemark.quantities import ESTIMATES, bandwidth, speed
from scopemark.statistics import Interval, added
from scopemark.tables import check
from unified_memory_rows import ATS, CLAIMS, CPU, HMM, LIMITED, MANAGED_ONLY, gpu, judged, refused


def test_every_claim_of_the_guide_is_there():
    """A number may have several parts, as UM7b."""
    numbers = {name.rstrip("abcdefgh") for name in CLAIMS}
    assert numbers == {f"UM{number}" for number in range(1, 31)} | {"SA11", "SA12"}


def test_a_sum_of_intervals():
    # 3 + 4 with distances of 3 and 4 to the lower bounds, and of 5 and 12 to the upper ones.
    assert added([Interval(30, 27, 35), Interval(40, 36, 52)]) == Interval(70, 65, 83)


def test_estimates_of_a_case_that_moves_a_mebibyte_in_two_seconds():
    one = row("access", (2.0, 1.0, 4.0), size_bytes=MIB)
    assert bandwidth(one) == Interval(MIB / 2, MIB / 4, MIB)
    assert speed(one) == Interval(0.5, 0.25, 1.0)
    assert ESTIMATES["latency"](one).value == MIB / 4 / 2  # words of 4 bytes
    assert bandwidth(row("hint_call")) is None  # a call moves nothing
    assert speed(row("access", status="failed")) is None


def canary(allocator, access="read", status="ok", machine=MANAGED_ONLY, **others):
    if status == "refused":
        return refused("canary", machine, allocator=allocator, access=access)
    return row("canary", status=status, allocator=allocator, access=access, sampling="best_of_3", **others)


@pytest.mark.parametrize(
    ("made", "outcome", "disagrees"),
    [
        (canary("managed"), "held", False),
        (canary("managed", status="failed"), "failed", True),
        (canary("managed", status="timeout"), "failed", True),
        (canary("managed", status="incorrect"), "failed", True),
        (canary("malloc", status="refused"), "not sent", False),
        (canary("malloc", send="always"), "held", True),  # nothing was promised
        (canary("malloc", status="failed", send="always"), "failed", False),
        (canary("numa_gpu", status="refused"), "absent", False),  # there is no such memory
        (canary("host_pool", status="unsupported", reason="no pool of host memory"), "absent", False),
        (canary("managed", status="skipped"), "absent", False),
    ],
)
def test_what_becomes_of_a_canary(made, outcome, disagrees):
    (found,) = canaries([made], MANAGED_ONLY["gpu"])
    assert (found.outcome, found.disagrees) == (outcome, disagrees)


def test_atomics_on_a_files_memory_are_another_promise():
    made = [canary("file", access) for access in ("read", "atomic")]
    assert [one.promise is None for one in canaries(made, HMM["gpu"])] == [True, False]
    assert [one.promise is None for one in canaries(made, ATS["gpu"])] == [True, True]


@pytest.mark.parametrize(
    ("made", "held", "none", "promised"),
    [
        (canary("managed"), "holds", "contradicted", "holds"),
        (canary("managed", status="failed"), "contradicted", "contradicted", "contradicted"),
        (canary("malloc", send="always"), "holds", "contradicted", "contradicted"),
        (canary("malloc", status="failed", send="always"), "contradicted", "holds", "holds"),
    ],
)
def test_what_a_canary_says(made, held, none, promised):
    (found,) = canaries([made], MANAGED_ONLY["gpu"])
    said = [canary_verdict(relation, found) for relation in ("held", "fails", "as_promised")]
    assert said == [held, none, promised]


def test_promises_that_hold():
    rows = [
        canary("managed"),
        canary("pinned"),
        canary("malloc", status="refused"),
        canary("numa_gpu", status="refused"),
    ]
    finding = judged("UM1", rows)
    assert (finding.verdict, finding.pairs, finding.holding) == ("holds", 2, 2)
    assert finding.detail.startswith(
        "All 2 that were tried held; 1 more were not tried, since nothing is promised (page"
    )
    assert "for 1 more there is no such memory here" in finding.detail
    finding = judged("UM1", [*rows, canary("device", status="failed", reason="cudaErrorIllegalAddress")])
    assert finding.verdict == "contradicted"
    assert "against the claim: device" in finding.detail
    assert "(cudaErrorIllegalAddress)" in finding.detail


def test_a_promise_that_nobody_made_is_a_finding_when_it_holds():
    assert judged("UM1", [canary("managed"), canary("malloc", send="always")]).verdict == "contradicted"


SYSTEM = ["malloc", "mmap", "stack", "static", "global", "extern", "file"]


def test_system_memory_under_each_paradigm():
    all_held = [canary(name) for name in [*SYSTEM, "managed"]]
    assert judged("UM2", all_held, HMM).verdict == judged("UM2", all_held, ATS).verdict == "holds"
    assert judged("UM2", [*all_held[1:], canary("malloc", status="failed")], HMM).verdict == "contradicted"
    all_refused = [canary(name, status="refused") for name in SYSTEM]
    # What was not sent says nothing; one that was sent all the same does.
    finding = judged("UM3", all_refused)
    assert (finding.verdict, finding.pairs) == ("not testable here", 0)
    assert finding.detail == "All 7 were not tried, since nothing is promised (pageable_memory_access is 0)."
    finding = judged("UM3", [*all_refused, canary("malloc", status="failed", send="always")])
    assert (finding.verdict, finding.pairs) == ("holds", 1)
    assert "7 more were not tried" in finding.detail
    assert judged("UM3", [*all_refused, canary("malloc", send="always")]).verdict == "contradicted"
    assert judged("UM3b", [canary("managed"), canary("registered", "write")]).verdict == "holds"
    for claim, machine, attribute in (
        ("UM2", MANAGED_ONLY, "pageable_memory_access must be 1, and is 0"),
        ("UM3", HMM, "pageable_memory_access must be 0, and is 1"),
        ("UM3", LIMITED, "concurrent_managed_access must be 1, and is 0"),
    ):
        finding = judged(claim, all_held, machine)
        assert finding.verdict == "not testable here"
        assert attribute in finding.detail


def test_atomics_on_files_go_by_the_attribute():
    assert judged("UM5", [canary("file", "atomic", "refused", HMM)], HMM).verdict == "not testable here"
    assert judged("UM5", [canary("file", "atomic", "failed", send="always")], HMM).verdict == "holds"
    assert judged("UM5", [canary("file", "atomic")], ATS).verdict == "holds"
    assert judged("UM5", [canary("file", "atomic", "failed")], ATS).verdict == "contradicted"
    assert judged("UM5", [canary("file", "atomic", send="always")], HMM).verdict == "contradicted"


@pytest.mark.parametrize(
    ("least", "most", "some", "none"),
    [(1, 9, "holds", "contradicted"), (0, 0, "contradicted", "holds"), (0, 9, "unresolved", "unresolved")],
)
def test_faults(least, most, some, none):
    assert (faults_verdict("some_faults", least, most), faults_verdict("no_faults", least, most)) == (some, none)


def access(seconds=1.0, *, faults=None, **parameters):
    return row("access", seconds, faults=faults, **({"allocator": "managed", "size_bytes": 64 * MIB} | parameters))


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


def passes(first, second, **parameters):
    return [access(seconds, **{"pass": number}, **parameters) for number, seconds in ((1, first), (2, second))]


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


def test_hints():
    def hint(seconds, name, **parameters):
        return row("hint", seconds, hint=name, **parameters)

    rows = [hint(2.0, "none"), hint(1.0, "prefetch"), hint(8.0, "prefetch_away"), hint(1.0, "read_mostly")]
    # Where the processors take turns the data are on the other side already: nothing to be wrong about.
    rows += [hint(2.0, name, workload="exchange") for name in ("none", "prefetch_away")]
    rows.append(hint(20.0, "read_mostly", workload="exchange"))
    assert judged("UM9", rows).ratio.value == pytest.approx(2)
    assert [judged("UM13b", rows).pairs, judged("UM13b", rows).ratio.value] == [1, pytest.approx(4)]
    assert [judged("UM13c", rows).pairs, judged("UM13c", rows).ratio.value] == [1, pytest.approx(10)]
    assert judged("UM9", rows, LIMITED).verdict == "not testable here"
    left_out = row("hint", status="skipped", reason="not asked for", hint="read_mostly", workload="exchange")
    assert "no result (skipped: not asked for)" in judged("UM13c", [rows[4], left_out]).detail
    direct = [row("hint", hint="preferred_host_accessed_by_gpu", workload="exchange", faults=0)]
    assert judged("UM11b", direct).verdict == "holds"
    assert judged("UM11b", [direct[0] | {"major_faults_least": 5, "major_faults_most": 5}]).verdict == "contradicted"


def test_access_from_the_host_goes_by_its_attribute():
    faulting = [row("hint", hint="accessed_by_host", workload="exchange", faults=64)]
    quiet = [row("hint", hint="accessed_by_host", workload="exchange", faults=0)]
    assert judged("UM12b", faulting).verdict == judged("UM12", quiet, ATS).verdict == "holds"
    assert judged("UM12b", quiet).verdict == judged("UM12", faulting, ATS).verdict == "contradicted"
    assert "direct_managed_mem_access_from_host must be 1, and is 0" in judged("UM12", quiet).detail


@pytest.mark.parametrize(("low", "high", "said"), [(1, 2, "holds"), (0.5, 2, "unresolved"), (0.5, 0.9, "contradicted")])
def test_seconds(low, high, said):
    assert seconds_verdict(1, low, high) == said


def test_hints_cost_the_host_time():
    calls = {"set_read_mostly": (2e-6, 1e-6, 3e-6), "prefetch_to_gpu": 5e-3, "unset_preferred": 1e-9}
    rows = [row("hint_call", seconds, call=name) for name, seconds in calls.items()]
    finding = judged("UM13", rows)
    assert (finding.verdict, finding.pairs) == ("holds", 2)  # taking one back is no hint
    # Of two intervals each is stretched by z(0.9875)/z(0.975) = 1.1436: 2/2^1.1436 and 2*1.5^1.1436.
    assert "2.00 [0.905, 3.18] µs (set read mostly), 5.00 [5.00, 5.00] ms (prefetch to GPU)" in finding.detail
    assert judged("UM13", [row("hint_call", 1e-7, call="set_read_mostly")]).verdict == "contradicted"


def test_read_mostly_trades_writes_for_reads():
    def step(seconds, hint, name):
        return row("read_mostly", seconds, hint=hint, step=name)

    rows = [step(4.0, "none", "cpu_read"), step(1.0, "read_mostly", "cpu_read")]
    rows += [step(2.0, "none", "cpu_write"), step(3.0, "read_mostly", "cpu_write")]
    rows += [step(0.5, "read_mostly", "gpu_read"), step(5.0, "read_mostly", "gpu_read_after_write")]
    ratios = {"UM10": 4, "UM10b": 1.5, "UM10c": 10}
    assert {claim: judged(claim, rows).ratio.value for claim in ratios} == pytest.approx(ratios)


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


def test_the_driver_says_what_it_was_told():
    rows = [row("range_attribute", setting=name) for name in ("nothing", "read_mostly")]
    assert judged("UM24", [*rows, access()]).pairs == 2  # and of no other benchmark
    rows[1] |= {"status": "incorrect", "wrong_elements": 1}
    assert judged("UM24", rows).verdict == "contradicted"


def test_access_counters_are_the_hardwares():
    rows = [
        access(seconds, allocator="malloc", origin="cpu", **{"pass": number})
        for number, seconds in ((1, 4.0), (4, 1.0))
    ]
    assert judged("UM23", rows, ATS).ratio.value == pytest.approx(4)
    finding = judged("UM23", rows, HMM)
    assert "pageable_memory_access_uses_host_page_tables must be 1, and is 0" in finding.detail


def test_a_managed_variable():
    rows = [canary("managed_variable", access) for access in ("read", "write", "atomic")]
    assert judged("UM29", rows).verdict == "holds"
    rows = [access(allocator=name, origin="cpu", **{"pass": 2}) for name in ("managed", "managed_variable")]
    assert judged("UM29b", rows).verdict == "holds"


@pytest.mark.parametrize("machine", [CPU, LIMITED, MANAGED_ONLY, HMM, ATS, gpu(managed=0, concurrent=0)])
def test_without_rows_every_claim_says_what_is_lacking(machine):
    findings = [("here", machine["target"], name, judged(name, [], machine)) for name in CLAIMS]
    assert {finding.verdict for *_, finding in findings} == {"not testable here"}
    for table, name in zip(claim_tables(findings), ("claims", "claim_pairs"), strict=True):
        check(name, table, name)


def test_findings_make_valid_tables():
    rows = [canary("managed"), *passes(2.0, 1.0, origin="cpu"), access(origin="gpu", processor="cpu", faults=3)]
    rows.append(row("hint_call", 1e-5, call="set_read_mostly"))
    findings = [("here", "gpu0", name, judged(name, rows)) for name in ("UM1", "UM7", "UM7b", "UM13")]
    claims, pairs = claim_tables(findings)
    check("claims", claims, "claims")
    check("claim_pairs", pairs, "claim_pairs")
    assert list(claims["verdict"]) == ["holds"] * 4
    assert list(claims["value"].notna()) == [False, True, False, False]
