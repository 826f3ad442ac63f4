"""Grids: the cases there are, and what identifies one."""

import copy
import math
from collections import Counter

import pytest

from scopemark.axes import fixed_samples
from scopemark.experiment import load_experiment
from scopemark.grid import budgeted, case_id, expand, expand_all, grid_targets, instances

ATOMICS = load_experiment("scoped_atomics")
OPERATIONS = ["fetch_add", "load", "store", "exchange", "compare_exchange"]
OPERATIONS += ["fetch_min", "fetch_max", "fetch_and", "fetch_or", "fetch_xor"]
GRIDS = {
    "headline": {
        "api": ["atomic_ref", "atomic", "intrinsic"],
        "scope": ["block", "device", "system"],
        "placement": ["shared", "global"],
    },
    "orders": {
        "api": "atomic_ref",
        "scope": ["block", "device", "system"],
        "order": ["relaxed", "acquire", "release", "acq_rel", "seq_cst"],
    },
    "apis": {
        "api": ["atomic_ref", "atomic", "std_atomic_ref", "intrinsic"],
        "scope": ["block", "device", "system"],
        "order": ["relaxed", "seq_cst"],
        "result": ["discarded", "used"],
    },
    "contention": {
        "api": ["atomic_ref", "intrinsic"],
        "address": "opaque",
        "stride_bytes": [4, 32, 256],
        "counters_per_block": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    },
    "uneven": {"address": "opaque", "counters_per_block": [1, 3, 256, 512], "threads_per_block": [96, 256]},
    "uniform": {"address": ["uniform", "opaque"], "counters_per_block": [1, 2]},
    "operations": {
        "api": ["atomic_ref", "intrinsic"],
        "operation": OPERATIONS,
        "result": ["discarded", "used"],
    },
    "types": {
        "type": ["int32", "uint32", "uint64", "float32", "float64"],
        "operation": ["fetch_add", "fetch_min", "exchange"],
        "stride_bytes": [4, 8],
        "api": ["atomic_ref", "intrinsic"],
    },
    "cpu_orders": {
        "kind": "cpu",
        "api": ["atomic_ref", "builtin", "intrinsic"],
        "scope": ["block", "system"],
        "order": ["relaxed", "acquire", "release", "acq_rel", "seq_cst"],
        "operation": ["fetch_add", "load", "store"],
        "result": ["discarded", "used"],
        "address": ["uniform", "opaque"],
        "cache": ["cold", "warm"],
        "placement": ["global", "shared"],
        "blocks": ["1/cpu"],
    },
}

# How many cases each has, by arithmetic.
COUNTS = {
    "headline": 3 * 3 * 2,
    "orders": 3 * 5,
    # Of three scopes std_atomic_ref has one; of two orders the intrinsics have one.
    "apis": (2 * 3 * 2 + 1 * 2 + 3 * 1) * 2,
    "contention": 2 * 3 * 9,
    # 96 threads: 1 and 3 counters. 256 threads: 1 and 256.
    "uneven": 2 + 2,
    "uniform": 1 + 2,
    # 7 operations twice; load and compare_exchange used, store discarded; the intrinsics lack load and store.
    "operations": (7 * 2 + 3) + (7 * 2 + 1),
    # Strides that are multiples: 2, 2, 1, 2, 1. atomic_ref: no fetch_min on floats. Intrinsics: no exchange of doubles.
    "types": (3 * (2 + 2 + 1) + 2 * (2 + 1)) + (3 * (2 + 2 + 1) + 2 * 2 + 1),
    # atomic_ref with 2 scopes, builtin with one. add: 5 orders, 2 results; load: 3 orders, used; store: 3, discarded.
    "cpu_orders": 3 * (5 * 2 + 3 + 3),
}


def grid(name):
    return {"benchmark": "counter", "kind": "gpu"} | GRIDS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_a_grid_has_the_cases_of_its_product_less_the_rules(name):
    given = grid(name)
    cases, excluded = expand(ATOMICS, given, given["kind"])
    assert len(cases) == COUNTS[name]
    product = math.prod(len(value) for value in given.values() if isinstance(value, list))
    assert len(cases) + sum(excluded.values()) == product


def test_a_grid_has_no_case_on_another_kind():
    assert expand(ATOMICS, grid("headline"), "cpu") == ([], Counter())


def test_every_configured_case_has_an_identity_of_its_own(configuration):
    seen = {}
    for name, block in configuration["experiments"].items():
        experiment = load_experiment(name)
        for given in block["grids"].values():
            for kind in grid_targets(given):
                for case in expand(experiment, given, kind)[0]:
                    what = (name, case.benchmark.name, case.parameters)
                    assert seen.setdefault(case.id, what) == what
    assert len(seen) > 1000


def test_the_order_of_keys_and_values_changes_no_identity():
    given = grid("apis")
    turned = {key: value[::-1] if isinstance(value, list) else value for key, value in reversed(given.items())}
    assert {case.id for case in expand(ATOMICS, given, "gpu")[0]} == {
        case.id for case in expand(ATOMICS, turned, "gpu")[0]
    }


def test_a_default_that_is_written_out_is_the_same_case():
    short = expand(ATOMICS, {"benchmark": "counter"}, "gpu")[0]
    long = expand(ATOMICS, {"benchmark": "counter", "order": "relaxed", "iterations": 1024, "blocks": "32/sm"}, "gpu")[
        0
    ]
    assert [case.id for case in short] == [case.id for case in long]


def test_a_number_is_the_same_however_it_is_written():
    grids = [{"benchmark": "match_count", "density": density} for density in (1, 1.0)]
    one, two = (expand(ATOMICS, given, "gpu")[0][0] for given in grids)
    assert one.id == two.id


def test_a_value_given_twice_is_one_case():
    assert len(expand(ATOMICS, {"benchmark": "counter", "scope": ["block", "block"]}, "gpu")[0]) == 1


def test_everything_that_matters_is_in_the_identity():
    parameters = {"a": 1, "target_kind": "gpu"}
    ids = [
        case_id("e", "b", parameters),
        case_id("e", "b", {**parameters, "a": 2}),
        case_id("e", "b", {**parameters, "a": "1"}),
        case_id("e", "b", {**parameters, "target_kind": "cpu"}),
        case_id("e", "c", parameters),
        case_id("f", "b", parameters),
    ]
    assert len(set(ids)) == len(ids)
    assert all(len(found) == 16 for found in ids)


def test_one_value_more_leaves_the_other_cases_alone():
    given = grid("contention")
    more = copy.deepcopy(given) | {"stride_bytes": [4, 32, 256, 512]}
    before = {case.id for case in expand(ATOMICS, given, "gpu")[0]}
    after = {case.id for case in expand(ATOMICS, more, "gpu")[0]}
    assert before < after
    assert len(after - before) == 2 * 9


def test_what_is_left_out_is_counted_by_its_reason():
    given = {"benchmark": "counter", "api": ["intrinsic", "atomic_ref"], "order": ["relaxed", "seq_cst", "acquire"]}
    assert expand(ATOMICS, given, "gpu")[1] == {"the intrinsics are relaxed": 2}


def test_an_instance_is_listed_once():
    grids = [grid("headline"), grid("headline") | {"blocks": [1, 2, 3], "cache": "warm"}]
    lines = instances(ATOMICS, grids, "gpu")
    # Placement, scope and API select the code; the number of blocks does not.
    assert len(lines) == 3 * 3 * 2
    assert lines == sorted(set(lines))
    assert lines[0].startswith("COUNTER(counter__")


@pytest.mark.parametrize(
    ("word", "n"),
    [
        ("best_of_5", 5),
        ("single_shots_5", 5),
        ("cold_shots_5", 5),
        ("best_of_99", 99),
        ("best_of_100", None),
        ("best_of_0", None),
        ("adaptive", None),
        (5, None),
    ],
)
def test_fixed_samples(word, n):
    assert fixed_samples(word) == n


def test_a_grid_without_a_budget_has_the_limits():
    grids = [{"benchmark": "counter"}, {"benchmark": "counter", "budget_seconds": 5}]
    assert [grid["budget_seconds"] for grid in budgeted(grids, {"budget_seconds": 2})] == [2, 5]


def test_grids_together_have_each_case_once_with_the_larger_budget():
    small = {"benchmark": "counter", "kind": "gpu", "scope": ["block", "device"], "budget_seconds": 0.5}
    large = {"benchmark": "counter", "kind": "gpu", "scope": ["device", "system"], "budget_seconds": 3}
    cases, _ = expand_all(ATOMICS, [small, large], "gpu")
    assert {case.parameters["scope"]: case.budget_seconds for case in cases} == {"block": 0.5, "device": 3, "system": 3}
    # No budget of its own: the one of all experiments, whatever that is.
    free = {"benchmark": "counter", "kind": "gpu", "scope": "block"}
    assert [case.budget_seconds for case in expand_all(ATOMICS, [free, small], "gpu")[0]] == [None, 0.5]
