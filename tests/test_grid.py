"""Grids: the cases there are, and what identifies one."""

import copy
from collections import Counter

import pytest

from scopemark.axes import best_of, resolve_count
from scopemark.experiment import load_experiment
from scopemark.grid import case_id, expand, instances

ATOMICS = load_experiment("scoped_atomics")


def grid(configuration, name):
    return configuration["experiments"]["scoped_atomics"]["grids"][name]


# How many cases each grid has, by arithmetic: the product of the axes less the points that the rules leave out.
COUNTS = {
    "headline": 3 * 3 * 2,
    "book": 2 * 3 * 2,
    "book_rtx3060": 2 * 3 * 2,
    "orders": 3 * 5 * 2,
    # std_atomic_ref has one scope of three; intrinsics have one order of two.
    "apis": (2 * 3 * 2 + 1 * 2 + 3 * 1) * 2,
    "addresses": 2 * 2 * 2 * 2 * 2,
    "contention": 2 * 3 * 9,
    # 7 operations twice; load and compare_exchange used, store discarded; the intrinsics lack load and store.
    "operations": (7 * 2 + 3) + (7 * 2 + 1),
    "types": 2 * 5 * 2 * 2,
    "match_count": 2 * 3 * 2 * 6,
    "cpu_headline": 4 * 2,
    # add: 5 orders, 2 results; load: 3 orders, used; store: 3 orders, discarded.
    "cpu_orders": 2 * (5 * 2 + 3 + 3),
    "cpu_contention": 2 * 2 * 4,
    # add, exchange and three bit operations twice; load, store and compare_exchange once.
    "cpu_operations": 3 * 2 * (5 * 2 + 3),
    "cpu_match_count": 2 * 2 * 5,
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_grid_has_the_cases_of_its_product_less_the_rules(configuration, name):
    given = grid(configuration, name)
    cases, excluded = expand(ATOMICS, given, given["kind"])
    assert len(cases) == COUNTS[name]
    axes = [value for key, value in given.items() if key not in ("benchmark", "kind", "budget_seconds")]
    product = 1
    for value in axes:
        product *= len(value) if isinstance(value, list) else 1
    assert len(cases) + sum(excluded.values()) == product


def test_a_grid_has_no_case_on_another_kind(configuration):
    assert expand(ATOMICS, grid(configuration, "headline"), "cpu") == ([], Counter())


def test_every_case_has_an_identity_of_its_own(configuration):
    grids = configuration["experiments"]["scoped_atomics"]["grids"].values()
    seen = {}
    for given in grids:
        for case in expand(ATOMICS, given, given["kind"])[0]:
            assert seen.setdefault(case.id, (case.benchmark.name, case.parameters)) == (
                case.benchmark.name,
                case.parameters,
            )
    assert len(seen) > 1000


def test_the_order_of_keys_and_values_changes_no_identity(configuration):
    given = grid(configuration, "apis")
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


def test_one_value_more_leaves_the_other_cases_alone(configuration):
    given = grid(configuration, "contention")
    more = copy.deepcopy(given) | {"stride_bytes": [4, 32, 256, 512]}
    before = {case.id for case in expand(ATOMICS, given, "gpu")[0]}
    after = {case.id for case in expand(ATOMICS, more, "gpu")[0]}
    assert before < after
    assert len(after - before) == 2 * 9


def test_what_is_left_out_is_counted_by_its_reason():
    given = {"benchmark": "counter", "api": ["intrinsic", "atomic_ref"], "order": ["relaxed", "seq_cst", "acquire"]}
    assert expand(ATOMICS, given, "gpu")[1] == {"the intrinsics are relaxed": 2}


def test_an_instance_is_listed_once(configuration):
    grids = [grid(configuration, name) for name in ("book", "book_rtx3060", "headline")]
    lines = instances(ATOMICS, grids, "gpu")
    # Placement, scope and API select the code; the number of blocks does not.
    assert len(lines) == 3 * 3 * 2
    assert lines == sorted(set(lines))
    assert lines[0].startswith("COUNTER(counter__")


@pytest.mark.parametrize(
    ("value", "processors", "number"), [(7, 132, 7), ("32/sm", 132, 4224), ("1/cpu", 8, 8), ("32/sm", 28, 896)]
)
def test_counts_scale_with_the_machine(value, processors, number):
    assert resolve_count(value, processors) == number


@pytest.mark.parametrize(
    ("word", "n"),
    [("best_of_5", 5), ("best_of_99", 99), ("best_of_100", None), ("best_of_0", None), ("adaptive", None), (5, None)],
)
def test_best_of(word, n):
    assert best_of(word) == n
