"""The claims on unified memory: all of them, the estimates they are judged by, and their tables."""

from __future__ import annotations

import pytest

from memory_rows import MIB, row
from scopemark.claims.finding import claim_tables
from scopemark.quantities import ESTIMATES, bandwidth, speed
from scopemark.statistics import Interval, added
from scopemark.tables import check
from unified_memory_rows import ATS, CLAIMS, CPU, HMM, LIMITED, MANAGED_ONLY, access, canary, gpu, judged, passes


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
