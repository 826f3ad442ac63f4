"""Verdicts on what moves data, on two processors at work at once, and on what a machine lacks."""

from __future__ import annotations

import pytest

from memory_rows import MIB, row
from unified_memory_rows import ATS, HMM, LIMITED, judged, refused


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
    back = [moved(seconds, way, direction="to_host") for way, seconds in (("pinned_copy", 1.0), ("prefetch", 5.0))]
    assert judged("UM9d", rows + back).ratio.value == pytest.approx(0.2)
    assert judged("UM9c", rows + back) == finding
    assert judged("UM9d", rows).verdict == "not testable here"
    assert judged("UM11", rows).verdict == "holds"
    small = [moved(1.0, "kernel_copy", 16 * MIB), moved(2.0, "direct", 16 * MIB)]  # where a launch still counts
    assert judged("UM11", small).verdict == "not testable here"


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
    rows += [back(6.0, "host_read", 4 * MIB, "queued")]
    # Of so much that the CPU still reads when the queued work is done.
    rows += [back(3.0, "device_write", 64 * MIB, "queued"), back(9.0, "explicit_copy", 64 * MIB, "queued")]
    ratios = {"UM14": 2, "UM14b": 4, "UM14c": 2, "UM14d": 1.5, "UM14e": 0.5}
    found = {claim: judged(claim, rows) for claim in ratios}
    assert {claim: one.ratio.value for claim, one in found.items()} == pytest.approx(ratios)
    assert {one.pairs for one in found.values()} == {1}
    assert "ahead in every comparison from 4 MiB on" in found["UM14c"].detail
    assert found["UM14e"].verdict == "contradicted"
    rows += [back(1.0, "device_write", 128 * MIB), back(1.0, "explicit_copy", 128 * MIB)]
    assert "even with 128 MiB not clearly ahead throughout" in judged("UM14c", rows).detail


def test_a_claim_that_holds_is_not_said_to_fail_by_the_wider_intervals_of_a_whole_axis():
    """One comparison of 64 MiB is ahead by its own interval; with six more sizes the intervals reach below 1."""
    sizes = [4**power for power in range(1, 7)]
    rows = [row("result", 1.0, way=way, size_bytes=s) for s in sizes for way in ("host_read", "explicit_copy")]
    rows += [row("result", (1.7, 1.2, 2.2), way="host_read", size_bytes=64 * MIB)]
    rows += [row("result", (1.0, 0.8, 1.2), way="explicit_copy", size_bytes=64 * MIB)]
    finding = judged("UM14b", rows)
    assert (finding.verdict, finding.pairs) == ("holds", 1)
    assert "ahead" not in finding.detail


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
    assert judged("UM16b", rows).detail.startswith("cudaMemcpyDefault reaches 3.00×")  # as code is written
    rows += [copied(4.0, path="gpu_to_host"), copied(1.0, "default", path="gpu_to_host")]
    finding = judged("UM16", rows)
    assert (finding.verdict, finding.pairs, finding.holding) == ("contradicted", 2, 1)
    assert "worst: 0.250× [0.250, 0.250] (GPU to host; 16.8 MB/s against 67.1 MB/s)" in finding.detail
    assert "GPU to host 0.250× (contradicted), host to GPU 1.00×." in finding.detail
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
    rows = [counter(scope="device"), counter("pinned", 500, scope="device"), counter(faults=(1, 0, 12))]
    rows.append(counter("pinned", 30))
    finding = judged("SA12", rows)
    # In managed memory none is lost, and in pinned memory it is not for the scope.
    assert (finding.verdict, finding.pairs) == ("unresolved", 1)
    assert "managed memory: 0 [0, 0] of 192,000 in 10 samples" in finding.detail
    assert "pinned memory tells nothing, as system scope loses as well: 30 [30, 30] of 192,000" in finding.detail
    assert "system scope was not measured" in judged("SA12", [rows[1]]).detail
    assert judged("SA12", [rows[1]]).verdict == "not testable here"
    assert judged("SA12", [rows[1], counter("pinned")], ATS).verdict == "holds"  # where system scope keeps all
    assert judged("SA12b", rows).detail == "No update was lost in the one case."
    assert [judged("SA12d", rows).verdict, judged("SA12c", rows).verdict] == ["holds", "not testable here"]
    assert "host_native_atomic_supported must be 1, and is 0" in judged("SA12c", rows).detail
    assert [judged("SA12c", rows, ATS).verdict, judged("SA12d", rows, ATS).verdict] == [
        "contradicted",
        "not testable here",
    ]
    alone = row("counter", parties="gpu")
    assert judged("SA12b", [alone]).verdict == "not testable here"


def test_faults_of_both_processors():
    rows = [counter(faults=(1, 0, 12))]  # in some samples one was done before the other began
    assert judged("UM21", rows).verdict == "holds"
    assert judged("UM21", [counter(faults=0)]).verdict == "unresolved"  # it may yet happen
    assert judged("UM21b", [counter(faults=0)], ATS).verdict == "holds"
    assert judged("UM21b", rows, ATS).verdict == "unresolved"
    waiting = row("signal", allocator="managed", faults=(26, 22, 31))
    assert judged("UM21c", [waiting, row("signal", allocator="pinned", faults=0)]).verdict == "holds"
    assert judged("UM21c", [waiting | {"major_faults_least": 0}]).verdict == "unresolved"


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
    assert (finding.verdict, finding.pairs) == ("not testable here", 0)
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
    assert (judged("UM28c", rows).verdict, judged("UM28c", rows).ratio.value) == ("holds", pytest.approx(1))
    assert judged("UM28b", rows).ratio.value == pytest.approx(1.6)
    late = overlap("prefetch_order", first_alone=2.0, second_alone=3.0, one_stream=6.0)
    assert judged("UM28c", late).verdict == "holds"  # it may take longer, and no shorter
    early = overlap("prefetch_order", first_alone=2.0, second_alone=3.0, one_stream=3.0)
    assert judged("UM28c", early).verdict == "contradicted"
    assert judged("UM30", overlap("kernel_copy", first_alone=2.0, two_streams=4.0)).verdict == "not testable here"


IN_ORDER = "it began after the kernel before it; the kernel behind it found the data in place"


@pytest.mark.parametrize(
    ("note", "verdict", "said"),
    [
        (IN_ORDER, "holds", f"Noted in all 10 samples: {IN_ORDER}."),
        # A case has every note once.
        (f"{IN_ORDER}; it began before the end of the kernel before it", "contradicted", "Noted besides in some of 10"),
        (IN_ORDER.replace("found the data in place", "had to wait for data"), "contradicted", "had to wait for data."),
        (None, "not testable here", "Nothing was noted."),
    ],
)
def test_a_prefetchs_order_is_that_of_its_notes(note, verdict, said):
    noted = row("overlap", pair="prefetch_order", arrangement="one_stream", note=note)
    finding = judged("UM28", [noted, row("overlap", pair="prefetch_order", note="of another arrangement")])
    assert finding.verdict == verdict
    assert said in finding.detail


def test_an_overlaps_interval_has_those_of_its_parts():
    rows = overlap("kernel_copy", first_alone=(2.0, 1.7, 2.3), second_alone=(2.0, 1.6, 2.4), two_streams=4.0)
    # 0.3 and 0.4 in quadrature are 0.5, an eighth of 4.
    ratio = judged("UM30", rows).ratio
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1, 0.875, 1.125))


def test_processes_share():
    rows = [row("sharing", memory=name, processor="gpu") for name in ("memfd", "file", "managed_ipc")]
    assert judged("UM6", rows, HMM).pairs == 2
    rows[2]["note"] = "cudaErrorInvalidValue"
    assert judged("UM6b", rows).detail == "No handle was given (cudaErrorInvalidValue) in the one case."
    assert judged("UM6", rows).verdict == "not testable here"
    rows[2] |= {"status": "incorrect", "wrong_elements": 1}  # a handle was given
    assert judged("UM6b", rows).verdict == "contradicted"


def test_oversubscription_is_skipped_and_says_why():
    assert "measure.oversubscription_limit" in judged("UM25", []).detail
    rows = [row("oversubscription", status="skipped", reason="not without the opt-in", factor=1.125)]
    finding = judged("UM25", rows)
    assert finding.verdict == "not testable here"
    assert "skipped: not without the opt-in" in finding.detail
    assert judged("UM25", [row("oversubscription", factor=0.875)]).verdict == "not testable here"  # it fits
    assert judged("UM25", [row("oversubscription", factor=1.125)]).verdict == "holds"


BUDGET = {"status": "skipped", "reason": "time budget: 1 of at least 12 samples in 1.5 s"}


def test_cases_that_were_too_slow_for_their_budget_are_told_to_be():
    fast = [row("hint", 0.01, hint="none", workload=name) for name in ("gpu_updates", "exchange")]
    slow = [row("hint", hint="read_mostly", workload=name, **BUDGET) for name in ("gpu_updates", "exchange")]
    slow = [one | {"median_seconds": 2.0} for one in slow]
    finding = judged("UM13c", [*fast, *slow])
    assert finding.verdict == "not testable here"
    assert finding.detail == (
        "2 cases were too slow for the time budget (the first: 1 of at least 12 samples in 1.5 s, each 2.00 s)."
    )
    measured = row("hint", 0.05, hint="read_mostly", workload="exchange")
    finding = judged("UM13c", [*fast, slow[0], measured])
    assert (finding.verdict, finding.pairs) == ("holds", 1)
    assert (
        "; one case was too slow for the time budget (1 of at least 12 samples in 1.5 s, each 2.00 s)" in finding.detail
    )


def test_why_cases_have_no_result_is_told_by_their_status():
    rows = [row("sharing", memory="memfd", processor="gpu"), row("sharing", memory="file", processor="gpu", **BUDGET)]
    rows += [row("sharing", memory="memfd", processor="gpu", status="failed", reason="error 700")]
    assert judged("UM6", rows, HMM).detail == (
        "A kernel found what the other process had written in the one case; 1 more had no result (failed: error 700); "
        "one case was too slow for the time budget (1 of at least 12 samples in 1.5 s)."
    )
