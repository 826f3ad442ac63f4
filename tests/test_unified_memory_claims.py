"""Verdicts on unified memory from hand-made rows whose answers are arithmetic."""

from __future__ import annotations

import pytest

from scopemark.canaries import canaries
from scopemark.claims import judge
from scopemark.claims_canaries import canary_verdict
from scopemark.claims_definitions import load_claims
from scopemark.claims_finding import claim_tables
from scopemark.claims_steps import faults_verdict, seconds_verdict
from scopemark.quantities import ESTIMATES, bandwidth, speed
from scopemark.statistics import Interval, added
from scopemark.tables import check
from unified_memory_rows import ATS, CPU, EXPERIMENT, HMM, LIMITED, MANAGED_ONLY, at, gpu, refused, row

CLAIMS = load_claims("unified_memory")
MIB = 2**20


def judged(claim, rows, machine=MANAGED_ONLY):
    return judge(CLAIMS[claim], EXPERIMENT, at(machine), rows)


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
        (canary("malloc", status="refused"), "refused", False),
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
        (canary("malloc", status="refused"), "contradicted", "holds", "holds"),
        (canary("malloc", send="always"), "holds", "contradicted", "contradicted"),
        (canary("malloc", status="failed", send="always"), "contradicted", "holds", "holds"),
    ],
)
def test_what_a_canary_says(made, held, none, promised):
    (found,) = canaries([made], MANAGED_ONLY["gpu"])
    said = [canary_verdict(relation, found) for relation in ("held", "refused", "as_promised")]
    assert said == [held, none, promised]


def test_promises_that_hold():
    rows = [
        canary("managed"),
        canary("pinned"),
        canary("malloc", status="refused"),
        canary("numa_gpu", status="refused"),
    ]
    finding = judged("UM1", rows)
    assert (finding.verdict, finding.pairs, finding.holding) == ("holds", 3, 3)
    assert "Of 3 cases 2 held, 1 refused before launch" in finding.detail
    assert "1 not tried" in finding.detail
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
    finding = judged("UM3", all_refused)
    assert (finding.verdict, finding.pairs) == ("holds", 7)
    assert "pageable_memory_access is 0" in finding.detail
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
    assert judged("UM5", [canary("file", "atomic", "refused", HMM)], HMM).verdict == "holds"
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
        "page faults were not counted"
        in judged("UM4", [access(allocator="file", origin="gpu", processor="cpu")], HMM).detail
    )


def passes(first, second, **parameters):
    return [access(seconds, **{"pass": number}, **parameters) for number, seconds in ((1, first), (2, second))]


def test_the_first_pass_faults_and_the_second_does_not():
    rows = passes(10.0, 1.0, origin="cpu") + passes(8.0, 4.0, origin="cpu", operation="update")
    finding = judged("UM7", rows)
    assert (finding.verdict, finding.pairs) == ("holds", 2)
    assert finding.ratio.value == pytest.approx(2)  # the least favourable
    assert "read 1/1, update 1/1" in finding.detail
    assert "33.6 MB/s against 16.8 MB/s" in finding.detail  # 2 × 64 MiB in 4 and in 8 seconds
    rows = passes(1.0, 1.0, origin="cpu")
    assert judged("UM7", rows).verdict == "contradicted"
    assert "must be 0, and is 1" in judged("UM7", rows, ATS).detail
    back = [
        access(origin="gpu", processor="cpu", faults=(32, 31, 40)),
        access(origin="gpu", processor="cpu", faults=0, **{"pass": 2}),
    ]
    assert [judged(claim, back).verdict for claim in ("UM7b", "UM7c")] == ["holds", "holds"]
    assert "32.0 [31.0, 40.0] in 10 samples" in judged("UM7b", back).detail


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


def test_hints():
    def hint(seconds, name, **parameters):
        return row("hint", seconds, hint=name, **parameters)

    rows = [hint(2.0, "none"), hint(1.0, "prefetch"), hint(8.0, "prefetch_away"), hint(1.0, "read_mostly")]
    assert judged("UM9", rows).ratio.value == pytest.approx(2)
    assert judged("UM13b", rows).ratio.value == pytest.approx(4)
    assert judged("UM9", rows, LIMITED).verdict == "not testable here"
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
    assert "set_read_mostly: 2.00 [1.00, 3.00] µs" in finding.detail
    assert "prefetch_to_gpu: 5.00 [5.00, 5.00] ms" in finding.detail
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
    assert "needs a GPU" in judged("UM20", on_cpu, CPU).detail
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


def test_ways_to_move_data():
    def moved(seconds, way, size=256 * MIB, direction="to_gpu"):
        return row("transfer", seconds, way=way, size_bytes=size, direction=direction)

    rows = [moved(1.0, "pinned_copy"), moved(1.25, "prefetch"), moved(10.0, "faults")]
    rows += [
        moved(1.1, "kernel_copy"),
        moved(1.1, "direct"),
        moved(9.0, "prefetch", 4096),
        moved(1.0, "pinned_copy", 4096),
    ]
    assert judged("UM9b", rows).ratio.value == pytest.approx(8)
    finding = judged("UM9c", rows)  # of large transfers alone
    assert (finding.verdict, finding.ratio.value, finding.pairs) == ("contradicted", pytest.approx(0.8), 1)
    assert "215 MB/s against 268 MB/s" in finding.detail  # 256 MiB in 1.25 s and in 1 s
    assert judged("UM11", rows).verdict == "holds"


def test_ways_back():
    def back(seconds, way, size, independent="none"):
        return row("result", seconds, way=way, size_bytes=size, independent=independent)

    rows = [back(1.0, "device_write", 64), back(2.0, "explicit_copy", 64)]
    rows += [
        back(4.0, "device_write", 64 * MIB),
        back(8.0, "host_read", 64 * MIB),
        back(2.0, "explicit_copy", 64 * MIB),
    ]
    rows += [back(3.0, "device_write", 4 * MIB), back(3.0, "host_read", 4 * MIB), back(1.0, "explicit_copy", 4 * MIB)]
    rows += [back(3.0, "device_write", 4 * MIB, "queued"), back(2.0, "explicit_copy", 4 * MIB, "queued")]
    assert judged("UM14", rows).ratio.value == pytest.approx(2)
    finding = judged("UM14b", rows)
    assert (finding.pairs, finding.ratio.value) == (2, pytest.approx(2))
    assert "ahead in every comparison from size_bytes 4,194,304 on" in finding.detail
    assert judged("UM14c", rows).ratio.value == pytest.approx(1.5)


def test_small_writes():
    rows = [
        row("small_writes", seconds, residence=name, rounds=64) for name, seconds in (("cpu", 64e-6), ("gpu", 640e-6))
    ]
    finding = judged("UM15", rows)
    assert finding.ratio.value == pytest.approx(10)
    assert "(1.00 µs against 10.0 µs)" in finding.detail


def test_copies_and_sets():
    def copied(seconds, kind="accurate", **others):
        return row("copy", seconds, copy_kind=kind, **({"size_bytes": 64 * MIB} | others))

    rows = [copied(1.0), copied(1.0, "default"), copied(3.0, "inaccurate"), copied(2.0, destination="unpopulated")]
    ratios = {"UM16": 1, "UM16b": 3, "UM17b": 2}
    assert {claim: judged(claim, rows).ratio.value for claim in ratios} == pytest.approx(ratios)
    filled = [
        row("fill", seconds, destination=name) for name, seconds in (("populated_gpu", 1.0), ("unpopulated", 5.0))
    ]
    assert judged("UM17", filled).ratio.value == pytest.approx(5)
    system = {"memory": "malloc", "path": "host_to_host"}
    rows = [copied(4.0, **system), copied(2.0, method="cpu", **system), copied(5.0, method="kernel", **system)]
    finding = judged("UM18", rows, HMM)
    assert (finding.verdict, finding.holding, finding.ratio.value) == ("contradicted", 1, pytest.approx(0.8))
    assert judged("UM18", rows).verdict == "not testable here"


def counter(allocator="managed", lost=0, faults=0, **parameters):
    made = row("counter", allocator=allocator, faults=faults, parties="both", **parameters)
    return (
        made
        | {"lost_updates": lost, "wrong_elements": int(lost > 0)}
        | dict.fromkeys([f"lost_updates_{name}" for name in ("least", "median", "most")], lost)
    )


def test_both_processors_add():
    rows = [counter(scope="device"), counter("pinned", 500, scope="device"), counter(faults=12), counter("pinned", 3)]
    assert judged("SA12", rows).verdict == "holds"  # one that is lost shows that it can happen
    assert judged("SA12", rows[:1]).verdict == "unresolved"
    assert judged("SA12b", rows).verdict == "holds"
    assert judged("SA12c", rows).verdict == "contradicted"
    assert judged("UM21", rows).verdict == "holds"
    assert judged("UM21", [counter(faults=0)]).verdict == "contradicted"
    assert judged("UM21b", [counter(faults=0)], ATS).verdict == "holds"
    alone = row("counter", parties="gpu")
    assert judged("SA12b", [alone]).verdict == "not testable here"


def test_signals():
    rows = [
        row("signal", seconds, allocator=name, rounds=100) for name, seconds in (("pinned", 2e-4), ("managed", 6e-4))
    ]
    assert judged("SA11", rows).verdict == "holds"
    finding = judged("UM22", rows)
    assert (finding.verdict, finding.ratio.value) == ("holds", pytest.approx(3))
    assert "(2.00 µs against 6.00 µs)" in finding.detail
    assert (
        judged("SA11", [*rows, row("signal", status="incorrect", asker="gpu") | {"wrong_elements": 1}]).verdict
        == "contradicted"
    )
    assert judged("SA11", rows, LIMITED).verdict == "not testable here"


def test_without_concurrent_access_the_cpu_keeps_away():
    rows = [
        refused("counter", LIMITED, allocator="managed", parties="both", scope=scope) for scope in ("system", "device")
    ]
    finding = judged("UM26", rows, LIMITED)
    assert (finding.verdict, finding.pairs) == ("holds", 2)
    assert "the CPU must not touch managed memory while a kernel runs" in finding.detail
    assert judged("UM26", [counter()], LIMITED).verdict == "contradicted"  # it was done all the same
    assert judged("UM26", [counter()]).verdict == "not testable here"


def test_attachment():
    rows = [
        row("attachment", seconds, attach=name, host_threads=2) for name, seconds in (("global", 3.0), ("single", 2.0))
    ]
    assert judged("UM27", rows).pairs == 1
    assert judged("UM27b", rows).ratio.value == pytest.approx(1.5)
    assert judged("UM26b", rows, LIMITED).verdict == "holds"
    assert judged("UM26b", rows).verdict == "not testable here"


def overlap(pair, **seconds):
    return [row("overlap", value, pair=pair, arrangement=name) for name, value in seconds.items()]


def test_what_overlaps_saves_time():
    rows = overlap("kernel_copy", first_alone=2.0, second_alone=3.0, two_streams=4.0)
    rows += overlap("kernel_kernelcopy", first_alone=2.0, second_alone=3.0, two_streams=5.0)
    rows += overlap("kernel_prefetch", first_alone=2.0, second_alone=2.0, two_streams=2.5)
    rows += overlap("prefetch_order", first_alone=2.0, second_alone=3.0, one_stream=5.0, two_streams=3.0)
    finding = judged("UM30", rows)
    assert (finding.verdict, finding.ratio.value, finding.pairs) == ("holds", pytest.approx(1.25), 1)
    assert "(4.00 s against 5.00 s)" in finding.detail
    assert finding.comparisons[0]["b"] == "arrangement=first_alone + second_alone"
    assert judged("UM30b", rows).ratio.value == pytest.approx(1.25)
    assert judged("UM28", rows).ratio.value == pytest.approx(1)
    assert judged("UM28b", rows).ratio.value == pytest.approx(1.6)
    early = overlap("prefetch_order", first_alone=2.0, second_alone=3.0, one_stream=3.0)
    assert judged("UM28", early).verdict == "contradicted"
    assert judged("UM30", overlap("kernel_copy", first_alone=2.0, two_streams=4.0)).verdict == "not testable here"


def test_an_overlaps_interval_has_those_of_its_parts():
    rows = overlap("kernel_copy", first_alone=(2.0, 1.7, 2.3), second_alone=(2.0, 1.6, 2.4), two_streams=4.0)
    # 0.3 and 0.4 in quadrature are 0.5, an eighth of 4.
    ratio = judged("UM30", rows).ratio
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1, 0.875, 1.125))


def test_processes_share():
    rows = [row("sharing", memory=name, processor="gpu") for name in ("memfd", "file", "managed_ipc")]
    assert judged("UM6", rows, HMM).pairs == 2
    assert judged("UM6b", rows).verdict == "holds"
    assert judged("UM6", rows).verdict == "not testable here"
    rows[2] |= {"status": "incorrect", "wrong_elements": 1}  # a handle was given
    assert judged("UM6b", rows).verdict == "contradicted"


def test_oversubscription_is_skipped_and_says_why():
    rows = [row("oversubscription", status="skipped", reason="not without the opt-in", factor=1.125)]
    finding = judged("UM25", rows)
    assert finding.verdict == "not testable here"
    assert "skipped: not without the opt-in" in finding.detail
    assert judged("UM25", [row("oversubscription", factor=0.875)]).verdict == "not testable here"  # it fits
    assert judged("UM25", [row("oversubscription", factor=1.125)]).verdict == "holds"
