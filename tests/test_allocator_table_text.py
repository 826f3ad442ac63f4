"""The table of allocators as it is written, from hand-made rows."""

import re

from allocator_rows import EVERYTHING, FAULTING, access, device, passes, pinned
from helpers import ROOT
from memory_rows import EXPERIMENT, MIB, row
from scopemark import tables
from scopemark.figures.data import Results, load_figure
from unified_memory_rows import CPU, HMM, MANAGED_ONLY, gpu

TEXT = load_figure(ROOT / "workflow/report/texts/unified_memory/allocators.py")


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
