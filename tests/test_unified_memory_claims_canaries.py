"""Verdicts on which memory a processor reaches, from hand-made canaries."""

from __future__ import annotations

import pytest

from scopemark.canaries import canaries
from scopemark.claims.canaries import canary_verdict
from unified_memory_rows import ATS, HMM, LIMITED, MANAGED_ONLY, access, canary, judged


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


def test_a_managed_variable():
    rows = [canary("managed_variable", access) for access in ("read", "write", "atomic")]
    assert judged("UM29", rows).verdict == "holds"
    rows = [access(allocator=name, origin="cpu", **{"pass": 2}) for name in ("managed", "managed_variable")]
    assert judged("UM29b", rows).verdict == "holds"
