"""The cases of transfers and what goes with them: who can run which, and which are configured."""

import pytest

from scopemark.benchmark import Machine
from scopemark.config import load_settings
from scopemark.experiments.unified_memory import copy, pattern, transfer
from scopemark.experiments.unified_memory.common import GIB, MIB
from scopemark.grid import expand
from stage_of_queues import ATS, EVERY_COPY, EXPERIMENT, HMM, LIMITED, MANAGED_ONLY, point, points

OURS = ("transfer", "copy", "fill", "result", "small_writes", "pattern")

# Which make sense


def test_copies_that_make_no_sense_are_left_out():
    def count(**wanted):
        return sum(all(p[axis] == value for axis, value in wanted.items()) for p in EVERY_COPY)

    for memory in ("managed", "malloc"):
        assert count(memory=memory, method="memcpy") == 4 * 3 * 2
        assert count(memory=memory, method="kernel") == count(memory=memory, method="cpu") == 4 * 2
    assert count(memory="device_pinned", method="memcpy") == 4 * 2
    assert count(memory="device_pinned", method="kernel") == 4
    assert count(memory="device_pinned", method="cpu") == 1
    assert not count(memory="device_pinned", copy_kind="inaccurate")
    assert not count(memory="device_pinned", destination="unpopulated")


@pytest.mark.parametrize("path", copy.ACCURATE)
def test_a_kind_names_both_ends_right_or_both_wrong(path):
    source, target = (end.replace("gpu", "device").title() for end in path.split("_to_"))
    other = {"Host": "Device", "Device": "Host"}
    assert copy.kind_of(point("copy", path=path)) == f"{source}To{target}"
    assert copy.kind_of(point("copy", path=path, copy_kind="default")) == "Default"
    assert copy.kind_of(point("copy", path=path, copy_kind="inaccurate")) == f"{other[source]}To{other[target]}"


def test_memory_that_has_its_place_from_its_allocator_is_filled_there():
    found = points("fill", memory=["device", "pinned"], destination=["populated_gpu", "populated_cpu", "unpopulated"])
    assert {(p["memory"], p["destination"]) for p in found} == {
        ("device", "populated_gpu"),
        ("pinned", "populated_cpu"),
    }


def test_no_word_of_y_overflows():
    """The largest there can be: after a thousand samples, the last word of the largest array that the rule lets be."""
    for repeats in (1, 16, 4096):
        sizes = [p["size_bytes"] for p in points("pattern", repeats=repeats, size_bytes=[2**n for n in range(5, 32)])]
        last = max(sizes) // 8 - 1
        seeds = 2 + 1000 * pattern.PER_SAMPLE
        assert last + seeds + repeats * pattern.FACTOR * (last + seeds) < 2**32


# Who can run what, from the attributes alone


def supported(benchmark, attributes, *axes, **grid):
    found, machine = EXPERIMENT.benchmark(benchmark), Machine("gpu", 132, attributes=attributes)
    reasons = {tuple(p[axis] for axis in axes): found.missing(p, machine) for p in points(benchmark, **grid)}
    return {key for key, reason in reasons.items() if reason is None}, {reason for reason in reasons.values() if reason}


EXPLICIT = {"pinned_copy", "pageable_copy", "registered_copy", "kernel_copy"}


@pytest.mark.parametrize("attributes", [MANAGED_ONLY, HMM, ATS])
def test_where_access_is_concurrent_every_transfer_can_be_made(attributes):
    ways, reasons = supported("transfer", attributes, "way", way=list(transfer.WAYS))
    assert ways == {(way,) for way in transfer.WAYS}
    assert not reasons


def test_without_concurrent_access_pages_are_neither_advised_nor_faulted():
    ways, reasons = supported("transfer", LIMITED, "way", way=list(transfer.WAYS))
    assert {way for (way,) in ways} == EXPLICIT | {"managed_copy"}
    assert all("concurrent_managed_access is 0" in reason for reason in reasons)
    ways, reasons = supported("transfer", {}, "way", way=list(transfer.WAYS))
    assert {way for (way,) in ways} == EXPLICIT - {"registered_copy"}
    assert {
        "cudaMallocManaged: managed_memory is 0",
        "cudaHostRegister on mmap: host_register_supported is 0",
    } == reasons


@pytest.mark.parametrize("attributes", [LIMITED, MANAGED_ONLY])
def test_copies_of_system_memory_stay_on_the_host_where_the_gpu_cannot_page(attributes):
    axes = ("path", "copy_kind", "method")
    grid = {axis: list(dict.fromkeys(p[axis] for p in EVERY_COPY)) for axis in axes}
    kept, reasons = supported("copy", attributes, *axes, memory="malloc", **grid)
    host = "host_to_host"
    assert kept == {(host, "accurate", "memcpy"), (host, "default", "memcpy"), (host, "accurate", "cpu")}
    assert all("pageable_memory_access is 0" in reason for reason in reasons)
    for memory in ("managed", "device_pinned"):
        assert not supported("copy", attributes, *axes, memory=memory, **grid)[1]
    for attributes in (HMM, ATS):
        assert not supported("copy", attributes, *axes, memory="malloc", **grid)[1]


WAYS_BACK = ["explicit_copy", "device_write", "host_read"]


def test_results_and_small_writes_that_need_hints():
    assert supported("result", LIMITED, "way", way=WAYS_BACK)[0] == {("explicit_copy",)}
    assert not supported("result", MANAGED_ONLY, "way", way=WAYS_BACK)[1]
    residences = ["cpu", "gpu", "pinned"]
    assert supported("small_writes", LIMITED, "residence", residence=residences)[0] == {("pinned",)}
    assert not supported("small_writes", MANAGED_ONLY, "residence", residence=residences)[1]


@pytest.mark.parametrize(
    ("attributes", "lacking"),
    [
        ({}, {"managed", "managed_prefetch", "managed_hints", "malloc"}),
        (LIMITED, {"managed_prefetch", "managed_hints", "malloc"}),
        (MANAGED_ONLY, {"malloc"}),
        (HMM, set()),
        (ATS, set()),
    ],
)
def test_patterns_by_paradigm(attributes, lacking):
    ways, _ = supported("pattern", attributes, "way", way=list(pattern.MEMORY))
    assert ways == {(way,) for way in set(pattern.MEMORY) - lacking}


@pytest.mark.parametrize("benchmark", OURS)
def test_nothing_is_for_a_target_without_a_gpu(benchmark):
    cases, excluded = expand(EXPERIMENT, {"benchmark": benchmark, "kind": "cpu"}, "cpu")
    assert (len(cases), list(excluded)) == (0, ["there is no GPU in a CPU target"])


# What is configured


def configured(configuration, preset):
    """Our cases of a preset, by benchmark."""
    settings = load_settings(configuration | {"preset": preset})
    grids = settings.grids["unified_memory"].values()
    cases = {
        case.id: case for grid in grids if grid["benchmark"] in OURS for case in expand(EXPERIMENT, grid, "gpu")[0]
    }
    return {name: [c.parameters for c in cases.values() if c.benchmark.name == name] for name in OURS}


def test_the_default_asks_every_question_once(configuration):
    found = configured(configuration, "default")
    assert {name: len(cases) for name, cases in found.items()} == {
        "transfer": 8 * 2 * 4,
        "copy": (4 * 3 * 2 + 4 * 2) + (4 * 2 + 4 + 1) + 4 * 3,
        "fill": 5,
        "result": 3 * 7 * 2,
        "small_writes": 3 * 2,
        "pattern": 7 * 4 * 2,
    }
    assert {p["way"] for p in found["transfer"] if p["size_bytes"] == 256 * MIB} == set(transfer.WAYS)


def test_quick_has_none_of_it(configuration):
    assert not any(configured(configuration, "quick").values())


@pytest.mark.parametrize(("preset", "most"), [("default", 256 * MIB), ("full", GIB)])
def test_no_case_is_large(configuration, preset, most):
    """What a case has of managed memory at once, and what it may ever have."""
    for name, cases in configured(configuration, preset).items():
        assert cases
        for p in cases:
            held = EXPERIMENT.benchmark(name).held_bytes(p)
            assert held <= 2 * most
            assert p.get("size_bytes", 0) * (2 if name == "copy" else 1) <= most


def test_full_has_all_that_the_default_has(configuration):
    default, full = (configured(configuration, preset) for preset in ("default", "full"))
    for name in OURS:
        assert len(full[name]) > len(default[name]) or name == "small_writes"
        assert all(p in full[name] for p in default[name])
