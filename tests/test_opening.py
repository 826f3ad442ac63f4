"""What opens the section of unified memory: the paradigm of every GPU, and its canaries."""

import re

import pytest

from helpers import ROOT
from memory_rows import EXPERIMENT, row
from scopemark import tables
from scopemark.benchmark import Machine
from scopemark.figures.data import load_figure
from scopemark.paradigm import DECIDING
from scopemark.report.templates import environment
from scopemark.stage.allocators import ALLOCATORS
from unified_memory_rows import ATS, CPU, HMM, LIMITED, MANAGED_ONLY, gpu

OPENING = load_figure(ROOT / "workflow/report/openings/unified_memory.py")
CANARY = EXPERIMENT.benchmark("canary")


def canaries(machine, run="here", **outcomes):
    """The rows that a run of all canaries leaves on a machine; `outcomes`: the status of an allocator's reads."""
    rows = []
    for name in ALLOCATORS:
        for access in ("read", "write", "atomic"):
            point = {"allocator": name, "access": access, "send": "promised"}
            reason = CANARY.missing(point, Machine("gpu", 132, attributes=machine["gpu"]))
            status = outcomes.get(name, "ok") if access == "read" else "ok"
            made = row("canary", status="unsupported" if reason else status, reason=reason, **point)
            rows.append(made | {"run": run, "target": machine["target"]})
    return rows


def opened(machines, rows):
    return OPENING.parts(tables.make("summary", rows, EXPERIMENT.parameter_names), machines)


def page(found):
    html = environment().get_template("opening_unified_memory.html.j2").render(experiment={"opening": found})
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.replace("<wbr>", "")))


@pytest.mark.parametrize(
    ("machine", "name", "decide", "malloc", "why"),
    [
        (LIMITED, "limited", 2, "not sent", True),
        (MANAGED_ONLY, "managed only", 3, "not sent", True),
        (HMM, "all memory, software coherence (HMM)", 4, "held", False),
        (ATS, "all memory, hardware coherence (ATS)", 4, "held", False),
    ],
)
def test_each_paradigm(machine, name, decide, malloc, why):
    (part,) = opened({("here", "gpu0"): machine}, canaries(machine))
    assert part["paradigm"] == name
    assert [one for one, _, decides in part["attributes"] if decides] == list(DECIDING[:decide])
    assert (part["why_not"] is not None) == why
    assert part["findings"] == []
    table = dict(part["canaries"])
    assert list(table) == [allocator.call for allocator in ALLOCATORS.values()]
    assert [word for word, _ in table["malloc"]] == [malloc] * 3
    assert [word for word, _ in table["cudaMallocManaged"]] == ["held"] * 3
    assert table["mmap of a file"][2][0] == ("held" if machine is ATS else "not sent")
    assert "paradigm" in page([part])


def test_a_broken_promise_and_a_kept_one_that_nobody_made_are_loud():
    rows = canaries(MANAGED_ONLY, managed="failed")
    rows.append(row("canary", allocator="malloc", access="read", send="always"))
    (part,) = opened({("here", "gpu0"): MANAGED_ONLY}, rows)
    assert len(part["findings"]) == 2
    assert part["findings"][0].startswith("cudaMallocManaged, read: the attributes promise it, and the canary failed")
    assert (
        "malloc, read: the canary held, though nothing promises it: pageable_memory_access is 0" in part["findings"][1]
    )
    table = dict(part["canaries"])
    assert table["cudaMallocManaged"][0] == ("failed", "contradicted")
    assert table["malloc"][0] == ("unpromised", "contradicted")
    assert page([part]).count("disagreement") == 2


def test_the_addressing_mode_that_disagrees_is_told():
    machine = gpu(addressing_mode=1)
    (part,) = opened({("here", "gpu0"): machine}, [])
    assert part["paradigm"] == "managed only"
    assert "addressing mode is HMM" in part["findings"][0]
    assert "This run holds no canaries" in page([part])


def test_every_gpu_of_the_page_has_its_part_and_no_cpu_has():
    machines = {("here", "cpu"): CPU, ("recorded", "gpu0"): ATS, ("here", "gpu0"): MANAGED_ONLY}
    found = opened(machines, canaries(ATS, run="recorded") + canaries(MANAGED_ONLY))
    assert [part["paradigm"] for part in found] == ["managed only", "all memory, hardware coherence (ATS)"]
    assert [dict(part["canaries"])["malloc"][0][0] for part in found] == ["not sent", "held"]
    assert opened({("here", "cpu"): CPU}, []) == []


def test_an_attribute_that_is_not_told_names_nothing():
    machine = gpu()
    del machine["gpu"]["pageable_memory_access"]
    (part,) = opened({("here", "gpu0"): machine}, [])
    assert part["paradigm"] is None
    assert "the attributes that decide are not told" in page([part])


def test_the_system_in_a_line():
    nodes = {"0": {"cpus": "0-71", "memory_bytes": 1}, "1": {"cpus": "", "memory_bytes": 1}}
    memory = {"page_bytes": 65536, "numa_nodes": nodes, "reserved_huge_pages": {"2048kB": 3, "1048576kB": 1}}
    (part,) = opened({("here", "gpu0"): gpu() | {"memory": memory}}, [])
    assert part["system"] == (
        "Linux 6.8.0, driver 580.1, open kernel module, page 64 KiB, 2 NUMA nodes, of which 1 without CPUs, "
        "4 huge pages reserved"
    )


def test_a_gpu_is_introduced_by_its_paradigm_and_a_cpu_is_not():
    assert OPENING.headline(MANAGED_ONLY).startswith("Managed only. A kernel may touch managed memory")
    assert OPENING.headline(CPU) == ""
    machine = gpu()
    del machine["gpu"]["pageable_memory_access"]
    assert OPENING.headline(machine) == ""
