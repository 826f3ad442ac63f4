"""The experiment's expectations and rules, against what other means say of them.

The CUDA programming guide's section on atomic functions says which overloads there are and from which compute
capability on.
"""

import itertools
import random
import struct

import numpy
import pytest

from intrinsics_cases import INTRINSICS, cases
from scopemark.axes import cold_shots, fixed_samples
from scopemark.benchmark import Machine
from scopemark.claims.definitions import load_claims
from scopemark.errors import UserError
from scopemark.experiments.atomic_intrinsics import contention, histogram, operation, sample
from scopemark.experiments.atomic_intrinsics.common import hashed, zipf
from scopemark.grid import check_grid, expand_all, instances, instances_of
from scopemark.quantities import select

# What the updates must leave


@pytest.mark.parametrize(("updates", "slots"), [(1000, 10), (1003, 10), (7, 7), (100, 1)])
def test_the_samples_slots(updates, slots):
    counted, largest = [0] * slots, [0] * slots
    for i in range(updates):
        counted[i % slots] += 1
        largest[i % slots] = max(largest[i % slots], i)
    assert sample.expected_slots("add", updates, slots).tolist() == counted
    assert sample.expected_slots("cas", updates, slots).tolist() == counted
    assert sample.expected_slots("max", updates, slots).tolist() == largest


def test_the_samples_own_figures():
    """100,000 updates in every slot; the largest index of slot i is 999,990 + i."""
    assert sample.expected_slots("add", 1_000_000, 10).tolist() == [100_000] * 10
    assert sample.expected_slots("max", 1_000_000, 10).tolist() == [999_990 + i for i in range(10)]


@pytest.mark.parametrize("mapping", ["modulo", "block", "hash", "skewed", "sorted"])
@pytest.mark.parametrize("slots", [1, 10, 1000])
def test_the_slots_of_every_mapping(mapping, slots):
    found = contention.slot_of(mapping, 4096, slots)
    assert found.dtype == numpy.uint32
    assert found.max() < slots
    counted, largest = [0] * slots, [0] * slots
    for i, slot in enumerate(found.tolist()):
        counted[slot] += 1
        largest[slot] = max(largest[slot], i)
    assert contention.expected_slots("add", mapping, 4096, slots).tolist() == counted
    assert contention.expected_slots("max", mapping, 4096, slots).tolist() == largest


def test_mappings_differ_in_who_shares_a_slot():
    def neighbours(mapping):
        found = contention.slot_of(mapping, 2**16, 64)
        return float((found[1:] == found[:-1]).mean())

    assert neighbours("modulo") == 0
    assert neighbours("hash") == pytest.approx(1 / 64, rel=0.2)
    assert neighbours("block") == pytest.approx(1 - 1 / 256, abs=1e-3)
    assert neighbours("sorted") == pytest.approx(1 - 63 / 2**16, abs=1e-4)


def test_hashes_are_murmurs_and_spread_evenly():
    assert hashed(2).tolist() == [0, 0x514E28B7]  # the finalizer's fixed point, and its published value for 1
    counted = numpy.bincount(hashed(2**20) % 16, minlength=16)
    assert abs(counted / 2**16 - 1).max() < 0.02


@pytest.mark.parametrize("skew", [0.0, 1.0, 2.0])
def test_ranks_have_zipfs_frequencies(skew):
    share = numpy.bincount(zipf(2**18, 8, skew), minlength=8) / 2**18
    weights = [(rank + 1) ** -skew for rank in range(8)]
    assert share == pytest.approx([weight / sum(weights) for weight in weights], abs=0.004)
    assert histogram.counts(2**18, 8, skew).sum() == 2**18


def rounded(value, type):
    """The nearest number of a type, ties to even."""
    if type == "float16":
        return struct.unpack("e", struct.pack("e", value))[0]
    if type == "float32":
        return struct.unpack("f", struct.pack("f", value))[0]
    if type == "bfloat16":
        bits = struct.unpack("I", struct.pack("f", value))[0]
        bits += 0x7FFF + (bits >> 16 & 1)
        return struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0]
    return value


def simulate(name, type, iterations, threads, source):
    """Threads that step in a random order over one counter, by the programming guide's definition of each function."""
    value, bound = operation.initial_value(name), operation.WRAP_BOUND
    steps = [0] * threads
    while any(step < iterations for step in steps):
        thread = source.choice([i for i, step in enumerate(steps) if step < iterations])
        step, bit = steps[thread], 1 << (steps[thread] % operation.BITS)
        value = {
            "add": int(rounded(value + 1, type)),
            "sub": value - 1,
            "exch": step,
            "min": min(value, 2**30 - step),
            "max": max(value, step),
            "inc": 0 if value >= bound else value + 1,
            "dec": bound if value == 0 or value > bound else value - 1,
            "cas": step + 1 if value == step else value,
            "and": value & ~bit,
            "or": value | bit,
            "xor": value ^ bit,
        }[name]
        steps[thread] += 1
    return value


@pytest.mark.parametrize("name", [name for name in operation.ALL if name != "exch"])
@pytest.mark.parametrize(("iterations", "threads"), [(1, 1), (33, 3), (70, 4), (300, 4)])
def test_counters_after_any_interleaving(name, iterations, threads):
    source = random.Random(iterations)
    for _ in range(3):
        assert operation.final_value(name, "uint32", iterations, threads) == simulate(
            name, "uint32", iterations, threads, source
        )


def test_the_last_exchange_is_some_threads_last_step():
    assert operation.final_value("exch", "uint32", 20, 1) == simulate("exch", "uint32", 20, 1, random.Random(1))


@pytest.mark.parametrize(("type", "stops"), [("float16", 2048), ("bfloat16", 256)])
def test_counting_by_ones_stops_where_the_next_number_is_missing(type, stops):
    for total in (stops - 1, stops + 500):
        assert operation.final_value("add", type, total, 1) == simulate("add", type, total, 1, random.Random(1))
    assert operation.final_value("add", type, stops + 500, 1) == stops


def test_float32_stops_at_2_to_the_24():
    assert rounded(2.0**24 + 1, "float32") == 2.0**24 == operation.final_value("add", "float32", 2**20, 32)


@pytest.mark.parametrize(
    ("type", "blocks", "per_block", "distance"),
    # A page of 4096 bytes has 1024 elements of 4 bytes, or 256 of 16; 2 × 600 of 4 bytes need two pages.
    [("uint32", 1, 1, 1024), ("float32x4", 1, 1, 256), ("uint32", 2, 600, 2048)],
)
def test_a_thread_goes_through_its_counters_page_by_page(type, blocks, per_block, distance):
    grid = {"blocks": blocks, "counters_per_block": per_block, "threads_per_block": per_block, "iterations": 5}
    (case,) = cases("operation", operation="add", type=type, counters_per_thread=3, **grid)
    launch = case.benchmark.launch(case.parameters, Machine("gpu", 132))
    buffers = case.benchmark.buffers(case.parameters, launch)
    lanes = operation.TYPES[type].lanes
    assert buffers["counters"].count == 2 * distance + blocks * per_block
    assert buffers["observed"].count == 3 * blocks * per_block * lanes
    assert case.benchmark.arguments(case.parameters, launch)[4:] == [per_block, 5, 3, distance, 0]
    check = case.benchmark.check(case.parameters, launch)
    assert (check.count, check.expected) == (3 * blocks * per_block * lanes, 5)
    assert case.benchmark.operations(case.parameters, launch) == blocks * per_block * 3 * 5


# Which cases there are


def test_the_overloads_are_those_of_the_programming_guide():
    """The number of types of each function, vectors included."""
    grid = {"operation": list(operation.ALL), "type": list(operation.TYPES), "result": "used"}
    found = [case.parameters["operation"] for case in cases("operation", **grid)]
    assert {name: found.count(name) for name in operation.ALL} == {
        "add": 11,
        "sub": 2,
        "exch": 4,
        "min": 4,
        "max": 4,
        "inc": 1,
        "dec": 1,
        "cas": 3,
        "and": 3,
        "or": 3,
        "xor": 3,
    }


def test_the_cpu_has_neither_intrinsics_nor_warps():
    with pytest.raises(UserError):
        check_grid(INTRINSICS, {"benchmark": "operation", "kind": "cpu"}, "grid")
    forms = {case.parameters["form"] for case in cases("contention", "cpu", cache="warm", form=list(contention.FORMS))}
    assert forms == {"native", "loop_strong", "loop_weak"}


def test_the_sample_launches_a_thread_for_every_update():
    case = cases("sample", api="intrinsic")[0]
    launch = case.benchmark.launch(case.parameters, Machine("gpu", 132))
    assert (launch.blocks, launch.threads) == (1000, 1000)
    assert case.benchmark.operations(case.parameters, launch) == 1_000_000
    case = cases("sample", "cpu", api="plain", cache="warm", threads_per_block=2)[0]
    launch = case.benchmark.launch(case.parameters, Machine("cpu", 2))
    assert (launch.blocks, launch.threads) == (1, 2)


def test_the_default_preset_holds_the_samples_twelve(configuration):
    """As the sample launches them, in the order of its source."""
    block = configuration["experiments"]["atomic_intrinsics"]
    grids = [block["grids"][name] for name in block["presets"]["default"]]
    series = [case for case in expand_all(INTRINSICS, grids, "gpu")[0] if cold_shots(case.parameters["sampling"])]
    found = [case.parameters for case in series]
    ways = ["plain", "intrinsic", "std_atomic_ref", "atomic_ref"]
    assert [(p["operation"], p["api"]) for p in found] == list(itertools.product(["add", "max", "cas"], ways))
    assert {(p["slots"], p["updates"], p["threads_per_block"], p["cache"]) for p in found} == {
        (10, 1_000_000, 1000, "warm")
    }
    # Processes that end early must have launched what comes before.
    shots = [fixed_samples(p["sampling"]) for p in found]
    assert shots == sorted(shots, reverse=True)
    assert all((p["order"], p["scope"]) == ("seq_cst", "system") for p in found if p["api"].endswith("_ref"))
    # The program's source has them in the order of their launches, as the sample's has.
    entries = instances_of(INTRINSICS, grids, "gpu", lambda case: cold_shots(case.parameters["sampling"]))
    assert list(entries) == [case.kernel for case in series]
    # IN7b is about one pair of them.
    quantity = load_claims("atomic_intrinsics")["IN7b"]["quantity"]
    sides = [[p["operation"] for p in select(found, {**quantity["where"], **quantity[side]})] for side in "ab"]
    assert sides == [["add"], ["cas"]]


# What an architecture lacks


def test_instances_are_guarded_by_the_architecture_that_has_them():
    grid = {
        "benchmark": "operation",
        "kind": "gpu",
        "type": ["uint32", "float32x4"],
        "placement": ["global", "cluster"],
    }
    entries = instances(INTRINSICS, [grid], "gpu")
    assert entries == sorted(entries, key=lambda entry: entry.split("OPERATION(")[1])
    guards = {entry.split("OPERATION(")[1].split(",")[0]: entry.splitlines()[0] for entry in entries}
    assert guards == {
        "operation__add_float32x4_global_discarded": "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900",
        "operation__add_uint32_cluster_discarded": "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900",
        "operation__add_uint32_global_discarded": entries[-1],
    }


@pytest.mark.parametrize(("architecture", "lacking"), [("75", 3), ("86", 2), ("90", 0)])
def test_what_an_architecture_lacks_is_unsupported(architecture, lacking):
    grid = cases("operation", type=["uint32", "float16", "bfloat16x2", "float32x2"])
    grid += cases("operation", placement="cluster")
    machine = Machine("gpu", 132, architecture=int(architecture))
    found = [reason for case in grid if (reason := case.benchmark.lacking(case.parameters, machine))]
    assert len(found) == lacking
    assert all(reason.endswith(f"this GPU is sm_{architecture}") for reason in found)
