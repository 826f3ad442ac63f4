"""The experiment's expectations, against a simulation that shares nothing with them."""

import random

import numpy
import pytest

from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.experiments.scoped_atomics import BITS, OPERATIONS, expected_matches, final_value, initial_value, matches
from scopemark.kernel_benchmark import Launch

ATOMICS = load_experiment("scoped_atomics")


def simulate(operation, iterations, threads, source):
    """Threads that step in a random order over one counter, as the kernel file describes each operation."""
    value = initial_value(operation)
    steps = [0] * threads
    while any(step < iterations for step in steps):
        thread = source.choice([i for i, step in enumerate(steps) if step < iterations])
        step, bit = steps[thread], 1 << (steps[thread] % BITS)
        value = {
            "fetch_add": value + 1,
            "load": value,
            "store": step,
            "exchange": step,
            "fetch_min": min(value, 2**30 - step),
            "fetch_max": max(value, step),
            "fetch_and": value & ~bit,
            "fetch_or": value | bit,
            "fetch_xor": value ^ bit,
        }[operation]
        steps[thread] += 1
    return value


@pytest.mark.parametrize(
    "operation", [name for name in OPERATIONS if name not in ("compare_exchange", "store", "exchange")]
)
@pytest.mark.parametrize(("iterations", "threads"), [(1, 1), (5, 3), (31, 2), (33, 3), (70, 4)])
def test_final_values_in_any_interleaving(operation, iterations, threads):
    source = random.Random(iterations)
    for _ in range(5):
        assert final_value(operation, iterations, threads) == simulate(operation, iterations, threads, source)


@pytest.mark.parametrize("operation", ["store", "exchange"])
def test_the_last_store_is_some_threads_last_step(operation):
    assert final_value(operation, 20, 1) == simulate(operation, 20, 1, random.Random(1))


def test_the_initial_value_is_never_the_final_one():
    for operation in OPERATIONS:
        if operation not in ("load", "compare_exchange"):
            assert final_value(operation, 20, 3) != initial_value(operation), operation


@pytest.mark.parametrize("density", [0.0, 0.001, 0.01, 0.1, 0.5])
def test_matches_have_the_density_asked_for(density):
    n = 2**20
    assert abs(expected_matches(n, density) - n * density) <= 2
    assert expected_matches(n, density) == int(matches(n, density, numpy).sum())


def test_density_one_matches_everywhere():
    assert expected_matches(2**20, 1.0) == 2**20


def test_matches_are_spread_evenly():
    chunks = matches(2**20, 0.25, numpy).reshape(1024, 1024).sum(axis=1)
    assert chunks.min() >= 250
    assert chunks.max() <= 262


def counter(**changes):
    benchmark = ATOMICS.benchmark("counter")
    return {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"} | changes


def test_the_work_of_the_books_run():
    """32 blocks per SM of 256 threads, 20,000 adds each, on the 28 SMs of an RTX 3060."""
    benchmark = ATOMICS.benchmark("counter")
    parameters = counter(iterations=20_000)
    launch = benchmark.launch(parameters, Machine("gpu", 28))
    assert launch == Launch(896, 256, 0)
    assert benchmark.operations(parameters, launch) == 896 * 256 * 20_000
    assert benchmark.issued(parameters, launch, False) == 896 * 256 * 20_000
    assert benchmark.issued(parameters, launch, True) == 896 * 8 * 20_000  # one a warp
    assert benchmark.check(parameters, launch).expected == 256 * 20_000


def test_shared_memory_holds_the_blocks_counters():
    benchmark = ATOMICS.benchmark("counter")
    parameters = counter(placement="shared", counters_per_block=4, stride_bytes=64)
    assert benchmark.launch(parameters, Machine("gpu", 1)).block_memory_bytes == 256


def test_counters_lie_apart_as_asked():
    benchmark = ATOMICS.benchmark("counter")
    parameters = counter(counters_per_block=4, stride_bytes=64, type="uint64", blocks=3)
    launch = benchmark.launch(parameters, Machine("gpu", 1))
    buffer = benchmark.buffers(parameters, launch)["counters"]
    assert buffer.count * 8 == 3 * 4 * 64
    check = benchmark.check(parameters, launch)
    assert (check.count, check.stride) == (12, 8)


def test_names_of_kernels_are_identifiers():
    for name in ("counter", "match_count"):
        benchmark = ATOMICS.benchmark(name)
        parameters = {axis.name: axis.default for axis in benchmark.all_axes}
        assert benchmark.entry(parameters).isidentifier()


def test_a_search_reads_every_element_once():
    benchmark = ATOMICS.benchmark("match_count")
    parameters = {axis.name: axis.default for axis in benchmark.all_axes} | {"elements": 1000}
    launch = benchmark.launch(parameters, Machine("gpu", 1))
    assert (benchmark.operations(parameters, launch), benchmark.bytes(parameters, launch)) == (1000, 4000)
