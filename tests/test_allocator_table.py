"""The table of allocators: cells whose values are arithmetic."""

import pytest

from allocator_rows import EVERYTHING, FAULTING, NEAR, access, managed, passes, pinned
from memory_rows import EXPERIMENT, MIB, row
from scopemark.allocator_table import COLUMNS, Measured, in_guide
from scopemark.claims.definitions import load_claims
from scopemark.claims.judge import judge
from unified_memory_rows import ATS, CPU, HMM, LIMITED, MANAGED_ONLY, at, refused


def found(name, rows=EVERYTHING, machine=MANAGED_ONLY):
    return [cell.found for cell in Measured(rows, machine).cells(name).values()]


def test_what_was_found():
    assert found("managed") == ["CPU", "GPU", "yes", "yes", "yes"]
    assert found("pinned") == ["CPU", "CPU", "yes", "yes", "no"]
    assert found("device") == [None, "GPU", "not tried", "yes", None]
    assert found("malloc") == ["CPU", None, "yes", "not tried", None]
    measured = Measured(EVERYTHING, MANAGED_ONLY)
    assert [measured.fault_bytes(name) for name in ("managed", "pinned")] == [MIB / 16, None]


def test_memory_that_goes_one_way_only():
    rows = [row for row in EVERYTHING if row["allocator"] != "managed"]
    rows += passes("managed", FAULTING, NEAR) + passes("managed", 4e9, 4e9, "cpu", "gpu", (0, 0))
    assert found("managed", rows)[-1] == "to the GPU"
    rows[-2:] = passes("managed", 4e9, 4e9, "cpu", "gpu", (16, 16))
    assert found("managed", rows)[-1] == "to the GPU"  # the CPU fetches it each time: it does not stay


def test_without_the_two_ends_of_the_scale_nothing_is_placed():
    assert found("managed", managed())[:2] == [None, None]


def test_a_failed_canary_is_told():
    rows = [*EVERYTHING, row("canary", allocator="managed", access="read", status="failed")]
    assert found("managed", rows)[3] == "failed"


def test_memory_that_is_not_there_has_no_row():
    absent = [
        refused("access", MANAGED_ONLY, allocator="numa_gpu", processor=name, size_bytes=MIB) for name in ("cpu", "gpu")
    ]
    absent.append(refused("canary", MANAGED_ONLY, allocator="numa_gpu", access="read"))
    assert Measured([*EVERYTHING, *absent], MANAGED_ONLY).allocators == ["managed", "device", "pinned", "malloc"]


def test_the_size_is_the_one_of_most_allocators():
    rows = [*EVERYTHING, row("access", allocator="managed", size_bytes=256 * MIB)]
    assert Measured(rows, MANAGED_ONLY).size_bytes == MIB
    assert Measured([], MANAGED_ONLY).size_bytes is None


@pytest.mark.parametrize(
    ("allocator", "machine", "told"),
    [
        ("malloc", HMM, "CPU GPU yes yes yes"),
        ("file", ATS, "CPU CPU yes yes no"),
        ("managed", MANAGED_ONLY, "CPU GPU yes yes yes"),
        ("device_pool", LIMITED, "GPU GPU no yes no"),
        ("host_pool", HMM, "CPU CPU yes yes no"),
        ("numa_gpu", ATS, "GPU GPU yes yes no"),
    ],
)
def test_what_the_guide_says(allocator, machine, told):
    assert in_guide(allocator, machine) == dict(zip(COLUMNS, told.split(), strict=True))


def test_what_the_guide_leaves_open():
    assert in_guide("malloc", MANAGED_ONLY) == {"CPU": "yes", "GPU": "no"}
    assert in_guide("managed", LIMITED) == {}
    assert in_guide("malloc", CPU) == {}


CLAIM = load_claims("unified_memory")["UM19"]


def judged(rows, machine=MANAGED_ONLY):
    return judge(CLAIM, EXPERIMENT, at(machine), rows)


def test_the_claim():
    finding = judged(EVERYTHING)
    # Five cells of managed and of pinned memory, two of cudaMalloc's, which the CPU was not given, and one of malloc's,
    # which no kernel was given.
    assert (finding.verdict, finding.pairs) == ("holds", 13)
    assert finding.detail.startswith("All 13 cells are as in the guide; 2 more were not tried")
    rows = [row for row in EVERYTHING if row["allocator"] != "pinned"] + pinned()
    rows = [
        row for row in rows if not (row["allocator"] == "managed" and row["processor"] == "gpu" and row["pass"] == 2)
    ]
    rows += [access("managed", FAULTING, number=2)]
    finding = judged(rows)
    assert (finding.verdict, finding.pairs - finding.holding) == ("contradicted", 1)
    assert "cudaMallocManaged, migrates: to the CPU (guide: yes)" in finding.detail
    assert judged([]).verdict == "not testable here"


def test_pages_are_those_of_the_largest_piece():
    note = "pages of 4 KiB, {} KiB in huge ones"
    rows = [access("mmap_huge", 1e9, "cpu", "cpu", note=note.format(0))]
    machine = MANAGED_ONLY | {"memory": {"transparent_huge_page_bytes": 2 * MIB}}
    assert Measured(rows, machine).pages("mmap_huge") == "4 KiB, too small for a huge page"
    rows.append(access("mmap_huge", 1e9, "cpu", "cpu", note=note.format(1024), size_bytes=4 * MIB))
    assert Measured(rows, machine).pages("mmap_huge") == "25% in huge pages of 2 MiB, the rest 4 KiB"
    whole = access("mmap_huge", 1e9, "cpu", "cpu", note=note.format(4096), size_bytes=4 * MIB)
    assert Measured([whole], machine).pages("mmap_huge") == "huge pages of 2 MiB"
    rows.append(access("mmap_huge", 1e9, "cpu", "cpu", note=note.format(0), size_bytes=8 * MIB))
    assert Measured(rows, machine).pages("mmap_huge") == "4 KiB"
    assert Measured(rows, machine).pages("malloc") is None


def test_random_reads_are_of_what_the_processor_has_written():
    point = {"pattern": "random", "stride_bytes": 64, "size_bytes": MIB, "pass": 2, "processor": "gpu"}
    rows = [
        row("access", seconds, allocator="managed", origin=who, **point) for who, seconds in (("gpu", 2), ("cpu", 1))
    ]
    assert Measured(rows, MANAGED_ONLY).random("managed", "gpu", 64) == 2**20 / 2
    assert Measured(rows[1:], MANAGED_ONLY).random("managed", "gpu", 64) == 2**20
    assert Measured(rows, MANAGED_ONLY).random("managed", "cpu", 64) is None
