"""Verdicts on hints, from hand-made rows whose answers are arithmetic: what they gain, cost and tell the driver."""

from __future__ import annotations

import pytest

from memory_rows import row
from scopemark.claims.steps import seconds_verdict
from unified_memory_rows import ATS, LIMITED, access, judged


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


def test_the_driver_says_what_it_was_told():
    rows = [row("range_attribute", setting=name) for name in ("nothing", "read_mostly")]
    assert judged("UM24", [*rows, access()]).pairs == 2  # and of no other benchmark
    rows[1] |= {"status": "incorrect", "wrong_elements": 1}
    assert judged("UM24", rows).verdict == "contradicted"
