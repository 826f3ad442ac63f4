"""The table of allocators: cells whose values are arithmetic."""

import re

import pytest

from helpers import ROOT
from memory_rows import EXPERIMENT, row
from scopemark import tables
from scopemark.allocator_table import COLUMNS, Measured, in_guide
from scopemark.claims.definitions import load_claims
from scopemark.claims.judge import judge
from scopemark.figures.data import Results, load_figure
from unified_memory_rows import ATS, CPU, HMM, LIMITED, MANAGED_ONLY, at, gpu, refused

TEXT = load_figure(ROOT / "workflow/report/texts/unified_memory/allocators.py")
MIB = 2**20
NEAR, LINK, FAULTING = 1000e9, 50e9, 5e9  # bytes a second


def access(allocator, rate, processor="gpu", origin="cpu", number=1, operation="read", size_bytes=MIB, **others):
    bytes = size_bytes * (2 if operation == "update" else 1)
    point = {
        "allocator": allocator,
        "size_bytes": size_bytes,
        "processor": processor,
        "origin": origin,
        "operation": operation,
    }
    return row("access", bytes / rate, **point, **{"pass": number}, **others)


def passes(allocator, first, second, processor="gpu", origin="cpu", faults=(None, None), **others):
    return [
        access(allocator, rate, processor, origin, number, faults=fault, **others)
        for number, rate, fault in ((1, first, faults[0]), (2, second, faults[1]))
    ]


def managed(name="managed"):
    """Memory that goes to whoever touches it: its pages of 64 KiB make 16 faults of a mebibyte."""
    return [
        *passes(name, FAULTING, NEAR),
        *passes(name, NEAR, NEAR, origin="gpu"),
        *passes(name, 4e9, 8e9, "cpu", "gpu", (16, 0)),
        *passes(name, 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


def pinned():
    return [
        *passes("pinned", LINK, LINK),
        *passes("pinned", LINK, LINK, origin="gpu"),
        *passes("pinned", 8e9, 8e9, "cpu", "gpu", (0, 0)),
        *passes("pinned", 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


def device():
    cannot = [
        refused("access", MANAGED_ONLY, allocator="device", processor="cpu", origin=o, size_bytes=MIB)
        for o in ("cpu", "gpu")
    ]
    return [*passes("device", NEAR, NEAR, origin="gpu"), *cannot]


def system(machine=MANAGED_ONLY):
    """malloc's memory where a kernel must not touch it."""
    return [
        refused("canary", machine, allocator="malloc", access="read"),
        refused("access", machine, allocator="malloc", processor="gpu", size_bytes=MIB),
        refused("access", machine, allocator="malloc", processor="cpu", origin="gpu", size_bytes=MIB),
        *passes("malloc", 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


EVERYTHING = [*managed(), *pinned(), *device(), *system()]


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


def text(rows, machine=MANAGED_ONLY):
    kind = machine["kind"]
    frame = tables.make("summary", [{**row, "discarded": 0} for row in rows], EXPERIMENT.parameter_names)
    frame = frame.assign(target=machine["target"])
    described = machine if kind == "gpu" else machine | {"host": {"machine": "x86_64", "usable_cpus": 8}}
    return TEXT.text(Results(frame, {("here", machine["target"]): described}, None))


def line(text, heading, call):
    """The cells of an allocator, by the headings of the table that has such a heading."""
    for table in text.split("\n\n"):
        heads, *lines = [one for one in table.splitlines() if one.startswith("  ")] or [""]
        if heading in heads:
            (cells,) = [re.split(r"  +", one.strip()) for one in lines if one.strip().startswith(call + "  ")]
            return dict(zip(["", *re.split(r"  +", heads.strip())], cells, strict=True))
    raise AssertionError(f"no table with {heading}")


def test_the_text():
    calls = [
        row("allocation", seconds, allocator="managed", call=call, size_bytes=size)
        for call, size, seconds in (
            ("allocate", 4096, 5e-6),
            ("allocate", MIB, 6e-6),
            ("allocate", 64 * MIB, 1e-3),
            ("free", 4096, 2e-6),
        )
    ]
    point = {"pattern": "random", "stride_bytes": 4096, "size_bytes": 128 * MIB, "pass": 2}
    random = row("access", 2**20 / 5e6, allocator="managed", processor="gpu", **point)
    made = text(
        [
            *EVERYTHING,
            *calls,
            random,
            row("peer", status="unsupported", reason="needs two GPUs; there is 1", way="managed_both"),
        ]
    )
    assert made.startswith("G, measured here: managed only\n\nWhere it lies and who reaches it, by passes over 1 MiB\n")
    assert max(map(len, made.splitlines())) <= 130
    cells = line(made, "migrates", "cudaMallocManaged")
    # There is one GPU: nothing is said of peers.
    assert cells == {
        "": "cudaMallocManaged",
        "lies, touched by CPU": "CPU",
        "by GPU": "GPU",
        "CPU": "yes",
        "GPU": "yes",
        "migrates": "yes",
        "a fault": "64 KiB",
    }
    cells = line(made, "migrates", "cudaMalloc")
    assert (cells["lies, touched by CPU"], cells["by GPU"]) == ("not tried", "GPU")
    cells = line(made, "migrates", "malloc")
    assert (cells["lies, touched by CPU"], cells["by GPU"]) == ("CPU", "not tried")
    cells = line(made, "allocate", "cudaMallocManaged")
    assert cells == {
        "": "cudaMallocManaged",
        "allocate 4 KiB": "5.00",
        "allocate 64 MiB": "1,000",
        "free 4 KiB": "2.00",
    }
    cells = line(made, "GPU read", "cudaMallocManaged")
    assert (cells["GPU read"], cells["CPU read"]) == ("5.00 → 1,000", "4.00 → 8.00")
    cells = line(made, "one in", "cudaMallocManaged")
    assert cells == {"": "cudaMallocManaged", "GPU, one in 4 KiB": "5.00"}  # of 64 bytes nobody measured
    assert line(made, "GPU read", "cudaMalloc")["GPU read"] == "1,000 → 1,000°"


def test_what_differs_from_the_guide_has_it_beside():
    rows = [
        *passes("malloc", FAULTING, FAULTING),
        *passes("malloc", 4e9, 8e9, "cpu", "gpu", (16, 0)),
        *pinned(),
        *device(),
    ]
    assert line(text(rows, HMM), "migrates", "malloc")["migrates"] == "to the CPU (guide: yes)"


def test_peers_are_told_where_there_are_several_gpus():
    made = text([*EVERYTHING, row("peer", way="managed_both")])
    assert line(made, "migrates", "cudaMallocManaged")["peer"] == "yes"


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


def test_a_cpu_has_a_table_of_its_own():
    one = {"processor": "cpu", "origin": "cpu", "kind": "cpu"}
    rows = [
        access("mmap_huge", 4e9, number=number, note="pages of 4 KiB, 512 KiB in huge ones", **one) for number in (1, 2)
    ]
    rows.append(access("mmap_huge", 40e9, threads="1/cpu", **one))  # of all its CPUs
    made = text(rows, CPU)
    assert "page faults" not in made
    assert line(made, "pages", "mmap, MADV_HUGEPAGE")["pages"] == "50% in huge pages, the rest 4 KiB"
    assert line(made, "CPU read", "mmap, MADV_HUGEPAGE")["CPU read"] == "4.00 → 4.00"
    cells = line(text(rows[:1], CPU), "CPU read", "mmap, MADV_HUGEPAGE")
    assert cells["CPU read"] == "4.00"  # of the one pass that was measured


def test_first_writes_have_a_size_of_their_own():
    first = {"processor": "cpu", "origin": "nobody", "operation": "write", "kind": "cpu"}
    rows = [access("malloc", 4e9, size_bytes=MIB, **first)]
    rows += [
        access("malloc", rate, number=number, size_bytes=4 * MIB, **first) for number, rate in ((2, 8e9), (1, 2e9))
    ]
    cells = line(text(rows, CPU), "first write", "malloc")
    assert cells == {"": "malloc", "first write, 4 MiB": "2.00 → 8.00"}
    assert "Reads at random" not in text(rows, CPU)


def test_nothing_measured_is_no_table():
    assert text([]) == text([row("canary")]) == ""
    assert text([], gpu()) == ""
