"""Verdicts on what moves data, on two processors at work at once, and on what a machine lacks."""

from __future__ import annotations

import pytest

from unified_memory_rows import ATS, HMM, LIMITED, MIB, judged, refused, row


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
