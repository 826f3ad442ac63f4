"""Transfers, copies, fills, results, small writes and AXPY: what each does, whether data that stay would be noticed.

They run on a GPU that is acted out.
"""

import itertools

import numpy
import pytest

from scopemark.experiments.unified_memory import copy, fill, pattern, placing, result, transfer
from scopemark.experiments.unified_memory.common import MIB
from stage_of_queues import EVERY_COPY, Rehearsed, points

WAIT = ["wait"]


@pytest.fixture
def rehearsed(memory_library):
    ended = []

    def start(*names, **grid):
        ended.append(Rehearsed(memory_library, *names, **grid))
        return ended[-1]

    yield start
    for one in ended:
        one.case.close()


# Transfers

STEPS = {
    ("pinned_copy", "to_gpu"): ["copy HostToDevice pinned to device", *WAIT],
    ("pinned_copy", "to_host"): ["copy DeviceToHost device to pinned", *WAIT],
    ("pageable_copy", "to_gpu"): ["copy HostToDevice malloc to device", *WAIT],
    ("pageable_copy", "to_host"): ["copy DeviceToHost device to malloc", *WAIT],
    ("registered_copy", "to_gpu"): ["copy HostToDevice registered to device", *WAIT],
    ("registered_copy", "to_host"): ["copy DeviceToHost device to registered", *WAIT],
    ("managed_copy", "to_gpu"): ["copy HostToDevice managed to device", *WAIT],
    ("managed_copy", "to_host"): ["copy DeviceToHost device to managed", *WAIT],
    ("kernel_copy", "to_gpu"): ["copy_dense", *WAIT],
    ("kernel_copy", "to_host"): ["copy_dense", *WAIT],
    ("prefetch", "to_gpu"): ["prefetch to gpu", *WAIT],
    ("prefetch", "to_host"): ["prefetch to cpu", *WAIT],
    ("faults", "to_gpu"): ["read_dense", *WAIT, "gpu faults"],
    ("direct", "to_gpu"): ["read_dense", *WAIT],
    ("direct", "to_host"): ["write_dense", *WAIT],
}


@pytest.mark.parametrize(("way", "direction"), STEPS)
def test_each_way_moves_the_data_as_its_name_says(rehearsed, way, direction):
    case = rehearsed("transfer", way=way, direction=direction, size_bytes=4 * MIB)
    batch = case.sample()
    assert case.step == STEPS[way, direction]
    assert (batch.wrong, batch.observed, batch.note) == ([0], batch.expected, [None])


def test_to_the_host_the_cpu_faults_the_pages_in(rehearsed):
    case = rehearsed("transfer", way="faults", direction="to_host", size_bytes=4 * MIB)
    batch = case.sample()
    assert batch.major_faults == [2]  # of two blocks
    assert (batch.wrong, batch.observed) == ([0], batch.expected)
    assert case.stage.steps == []  # its time is that of the thread


def test_every_way_is_tested():
    everything = set(itertools.product(transfer.WAYS, ("to_gpu", "to_host")))
    assert everything == {*STEPS, ("faults", "to_host")}


@pytest.mark.parametrize(
    ("way", "direction", "inert"),
    [
        *((way, direction, "copy") for way, direction in STEPS if way.endswith("_copy") and way != "kernel_copy"),
        ("kernel_copy", "to_gpu", "copy_dense"),
        ("kernel_copy", "to_host", "copy_dense"),
        ("faults", "to_gpu", "read_dense"),
        ("direct", "to_gpu", "read_dense"),
        ("direct", "to_host", "write_dense"),
    ],
)
def test_data_of_the_sample_before_are_not_taken_for_new(rehearsed, way, direction, inert):
    assert rehearsed("transfer", way=way, direction=direction, size_bytes=4096).noticed(inert)


def test_pages_that_did_not_move_are_noted(rehearsed):
    case = rehearsed("transfer", way="prefetch", direction="to_host", size_bytes=4 * MIB)
    assert case.sample("prefetch").note == ["the CPU had to fault the pages in when it looked"]
    assert case.sample().note == [None]


@pytest.mark.parametrize(("direction", "note"), [("to_gpu", "the pages migrated"), ("to_host", "the CPU had to fault")])
def test_direct_access_that_migrates_is_noted(rehearsed, direction, note):
    case = rehearsed("transfer", way="direct", direction=direction, size_bytes=4 * MIB)
    case.stage._advice.clear()
    assert note in case.sample().note[0]


def test_the_sums_of_transfers_are_arithmetic(rehearsed):
    """The words of the rehearsal begin at 2, those of the sample after it at 3."""
    case = rehearsed("transfer", way="pinned_copy", direction="to_gpu", size_bytes=4096)
    assert case.sample().expected == [sum(range(3, 3 + 1024))]


# Copies


@pytest.mark.parametrize("p", EVERY_COPY, ids=lambda p: "-".join(map(str, list(p.values())[:5])))
def test_every_copy_copies_and_is_checked(rehearsed, monkeypatch, p):
    grid = {axis: value for axis, value in p.items() if axis != "target_kind"}
    case = rehearsed("copy", **grid)
    batch = case.sample()
    assert (batch.wrong, batch.observed) == ([0], batch.expected)
    names = [{"host": "pinned", "gpu": "device"}[end] for end in p["path"].split("_to_")]
    source, target = names if p["memory"] == "device_pinned" else [p["memory"]] * 2
    call = {"memcpy": [f"copy {copy.kind_of(p)} {source} to {target}"], "kernel": ["copy_dense"], "cpu": []}[
        p["method"]
    ]
    done = [entry for entry in case.step if not entry.endswith("faults")]
    assert done == (call + WAIT if call else [])
    if p["method"] == "cpu":
        monkeypatch.setattr(copy.ctypes, "memmove", lambda *_: None)
        assert case.sample().wrong == [1024]
    else:
        assert case.noticed({"memcpy": "copy", "kernel": "copy_dense"}[p["method"]])


def test_a_populated_destination_holds_other_words_before(rehearsed):
    case = rehearsed("copy", memory="managed", size_bytes=4096)
    assert case.sample("copy").observed == [sum(range(2 + placing.SPOILED + 1, 2 + placing.SPOILED + 1 + 1024))]


def allocations(case):
    """How often memory is allocated in three samples."""
    allocated, new = [], case.stage._new
    case.stage._new = lambda *arguments: allocated.append(arguments) or new(*arguments)
    for _ in range(3):
        case.sample()
    return len(allocated)


def test_an_unpopulated_destination_is_new_memory(rehearsed):
    for benchmark, populated in (("copy", "populated"), ("fill", "populated_cpu")):
        assert allocations(rehearsed(benchmark, destination=populated, size_bytes=4096)) == 0
        assert allocations(rehearsed(benchmark, destination="unpopulated", size_bytes=4096)) == 3


# Fills


@pytest.mark.parametrize(
    "p",
    points(
        "fill",
        memory=["managed", "device", "pinned"],
        destination=["populated_gpu", "populated_cpu", "unpopulated"],
        size_bytes=4096,
    ),
    ids=lambda p: f"{p['memory']}-{p['destination']}",
)
def test_fills_fill_and_are_checked(rehearsed, p):
    case = rehearsed("fill", memory=p["memory"], destination=p["destination"], size_bytes=4096)
    batch = case.sample()
    assert case.step == [f"fill {p['memory']}", "wait"]
    assert batch.observed == batch.expected == [1024 * 0x02020202]  # the rehearsal's bytes are 1
    assert case.noticed("fill")


def test_the_sum_of_filled_memory():
    words = numpy.full(4 * 1000, 7, numpy.uint8).view(numpy.uint32)
    assert fill.filled_sum(4000, 7) == int(words.sum(dtype=numpy.uint64))


# Results

RETURNS = {
    "explicit_copy": ["copy DeviceToHost device to pinned", "wait"],
    "device_write": ["wait"],
    "host_read": ["wait"],
}


@pytest.mark.parametrize("way", RETURNS)
@pytest.mark.parametrize("independent", ["none", "queued"])
@pytest.mark.parametrize("size_bytes", [4, 64, 4 * MIB])
def test_results_come_back_by_their_way(rehearsed, way, independent, size_bytes):
    case = rehearsed("result", way=way, independent=independent, size_bytes=size_bytes)
    batch = case.sample()
    form = "words" if size_bytes == 4 else "dense"
    busy = (["busy"], ["wait for the other"]) if independent == "queued" else ([], [])
    read = [f"cpu read_{form}", *(["cpu faults"] if way == "host_read" else [])]
    assert case.step == [f"write_{form}", *busy[0], *RETURNS[way], *read, *busy[1]]
    assert (batch.wrong, batch.observed) == ([0], batch.expected)
    assert batch.major_faults == [max(1, size_bytes // placing.BLOCK) if way == "host_read" else 0]
    assert batch.expected == [sum(range(3, 3 + size_bytes // 4))]


@pytest.mark.parametrize(
    ("way", "independent", "inert"),
    [
        ("explicit_copy", "none", "copy"),
        ("explicit_copy", "none", "write_dense"),
        ("device_write", "none", "write_dense"),
        ("host_read", "queued", "write_dense"),
        ("host_read", "queued", "busy"),
        ("explicit_copy", "queued", "busy"),
    ],
)
def test_a_result_that_is_not_there_is_noticed(rehearsed, way, independent, inert):
    assert rehearsed("result", way=way, independent=independent, size_bytes=4096).noticed(inert)


def test_independent_work_fills_the_gpu():
    """As many threads as a multiprocessor of any architecture holds at once."""
    assert result.WORK_BLOCKS_PER_MULTIPROCESSOR * result.WORK_THREADS == 2048


# Small writes


@pytest.mark.parametrize("residence", ["cpu", "gpu", "pinned"])
def test_every_round_writes_and_reads(rehearsed, residence):
    case = rehearsed("small_writes", residence=residence, rounds=3)
    batch = case.sample()
    assert [entry for entry in case.step if "faults" not in entry] == ["read_words", "wait"] * 3
    assert batch.observed == batch.expected == [4 + 5 + 6]  # the rehearsal wrote 1, 2 and 3
    assert case.noticed("read_words")


@pytest.mark.parametrize(("residence", "new"), [("cpu", 3), ("gpu", 3), ("pinned", 0)])
def test_a_word_that_may_migrate_is_new_in_every_sample(rehearsed, residence, new):
    assert allocations(rehearsed("small_writes", residence=residence, rounds=1)) == new


# AXPY

AXPY = {
    "explicit_pageable": (["copy HostToDevice malloc to device"] * 2, ["copy DeviceToHost device to malloc"]),
    "explicit_pinned": (["copy HostToDevice pinned to device"] * 2, ["copy DeviceToHost device to pinned"]),
    "managed": ([], []),
    "managed_prefetch": (["prefetch to gpu"] * 2, ["prefetch to cpu"]),
    "managed_hints": (["SetReadMostly", "SetPreferredLocation"], []),
    "pinned": ([], []),
    "malloc": ([], []),
}


@pytest.mark.parametrize("way", AXPY)
def test_arrays_go_and_come_by_their_way(rehearsed, way):
    case = rehearsed("pattern", way=way, size_bytes=4 * MIB, repeats=5)
    batch = case.sample()
    before, after = AXPY[way]
    done = [entry for entry in case.step if not entry.endswith("faults")]
    assert done == [*before, *["axpy"] * 5, *after, "wait", "cpu read_dense"]
    assert (batch.wrong, batch.observed) == ([0], batch.expected)
    assert batch.major_faults == [1 if way in ("managed", "managed_hints", "malloc") else 0]  # y is a block of 2 MiB
    assert case.noticed("axpy")


@pytest.mark.parametrize("way", ["explicit_pageable", "explicit_pinned"])
def test_arrays_that_were_not_copied_are_noticed(rehearsed, way):
    assert rehearsed("pattern", way=way, size_bytes=4096, repeats=2).noticed("copy")


def test_every_pattern_is_tested():
    assert list(AXPY) == list(pattern.MEMORY)


@pytest.mark.parametrize(("count", "repeats"), [(1, 1), (8, 1), (1000, 64), (4096, 3)])
def test_the_closed_form_is_that_of_the_rounds(count, repeats):
    x = numpy.arange(2, 2 + count, dtype=numpy.uint32)
    y = numpy.arange(9, 9 + count, dtype=numpy.uint32)
    for _ in range(repeats):
        y += numpy.uint32(pattern.FACTOR) * x
    assert pattern.axpy_sum(count, repeats, seed_y=9, seed_x=2) == int(y.sum(dtype=numpy.uint64))
