"""Grids: the cases there are, and what identifies one."""

import copy
import math
from collections import Counter

import pandas as pd
import pytest
import yaml

from helpers import ROOT
from scopemark.axes import fixed_samples, resolve_count
from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.grid import case_id, check_grid, expand, expand_all, grid_targets, instances, spelled, spellings

ATOMICS = load_experiment("scoped_atomics")
CONFIGURED = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]


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


@pytest.mark.parametrize(
    ("kind", "blocks", "reason"),
    [
        ("cpu", "2/sm", "a CPU has no SM: give a number, or N/cpu"),
        ("gpu", "2/cpu", "a GPU counts SMs: give a number, or N/sm"),
    ],
)
def test_a_count_by_the_processors_of_another_kind_is_no_case(kind, blocks, reason):
    given = {"benchmark": "match_count", "kind": kind, "cache": "warm", "threads_per_block": 32}
    own = {"cpu": "2/cpu", "gpu": "2/sm"}[kind]
    cases, excluded = expand(ATOMICS, given | {"blocks": [blocks, own, 7]}, kind)
    assert [case.parameters["blocks"] for case in cases] == [own, 7]
    assert excluded == {reason: 1}
    with pytest.raises(UserError, match=reason):
        check_grid(ATOMICS, given | {"blocks": blocks}, "grid")


def cases_on(block, preset, kind, processors):
    """Case id to case of all grids of a preset, as they are measured on a machine with that many processors."""
    experiment = load_experiment(block)
    found = {}
    grids = CONFIGURED[block]["grids"]
    for name in CONFIGURED[block]["presets"].get(preset, []):
        benchmark = experiment.benchmark(grids[name]["benchmark"])
        known = spellings(benchmark, grids.values(), kind)
        found |= {
            case.id: case for case in expand(experiment, spelled(benchmark, grids[name], known, processors), kind)[0]
        }
    return found


def launch(case, processors):
    """A case with its numbers of blocks and threads worked out: "2/cpu" is 8 where there are 4 CPUs."""
    worked_out = {
        name: int(value.split("/")[0]) * processors if str(value).endswith(("/sm", "/cpu")) else value
        for name, value in case.parameters.items()
    }
    return case.benchmark.name, *sorted((name, str(value)) for name, value in worked_out.items())


@pytest.mark.parametrize("preset", ["quick", "default", "full"])
@pytest.mark.parametrize(
    ("kind", "processors"), [("cpu", 1), ("cpu", 2), ("cpu", 4), ("gpu", 28), ("gpu", 112), ("gpu", 132)]
)
@pytest.mark.parametrize("block", CONFIGURED)
def test_no_two_cases_are_one_launch_on_any_machine(block, preset, kind, processors):
    cases = cases_on(block, preset, kind, processors)
    assert len({launch(case, processors) for case in cases.values()}) == len(cases)
    # What is compiled is known where the machine is not.
    grids = [CONFIGURED[block]["grids"][name] for name in CONFIGURED[block]["presets"].get(preset, [])]
    plain = [case for grid in grids for case in expand(load_experiment(block), grid, kind)[0]]
    assert {case.kernel for case in cases.values()} == {case.kernel for case in plain}
    assert {launch(case, processors) for case in cases.values()} == {launch(case, processors) for case in plain}


@pytest.mark.parametrize("block", CONFIGURED)
def test_one_spelling_leaves_the_cases_of_the_recorded_gpu_alone(block):
    experiment = load_experiment(block)
    grids = CONFIGURED[block]["grids"]
    plain = {case.id for grid in grids.values() for case in expand(experiment, grid, "gpu")[0]}
    assert set(cases_on(block, "full", "gpu", 132)) == plain
    recorded = pd.read_csv(ROOT / f"reports/reference/nvidia-h200/{block}.cases.csv", usecols=["case"])["case"]
    assert len(set(recorded) & plain) > 0.9 * len(recorded)  # the rest is of grids that have changed since


@pytest.mark.parametrize(
    ("processors", "threads", "blocks"),
    # On one CPU every count is 1 or 2; on two, 2 is all of them, and so is it written wherever it is meant.
    [(1, [1, 2], [1, 2]), (2, [1, "1/cpu"], ["1/cpu", 1]), (4, [1, "1/cpu", 2], ["1/cpu", 2, 1])],
)
def test_a_number_has_one_spelling_on_a_machine(processors, threads, blocks):
    match_count = ATOMICS.benchmark("match_count")
    one = {"benchmark": "match_count", "kind": "cpu", "threads_per_block": [1, "1/cpu", 2], "blocks": ["1/cpu", 2, 1]}
    known = spellings(match_count, [one, {"benchmark": "counter", "blocks": 3}], "cpu")
    assert known == {"threads_per_block": [1, "1/cpu", 2], "blocks": [1, "1/cpu", 2]}
    found = spelled(match_count, one, known, processors)
    assert (found["threads_per_block"], found["blocks"]) == (threads, blocks)
    assert {name: found[name] for name in ("benchmark", "kind")} == {"benchmark": "match_count", "kind": "cpu"}


def test_a_default_is_spelled_like_what_is_written_out():
    counter = ATOMICS.benchmark("counter")
    grids = [{"benchmark": "counter", "kind": "gpu", "blocks": blocks} for blocks in ("32/sm", 896)]
    known = spellings(counter, grids, "gpu")
    assert spelled(counter, {"benchmark": "counter", "kind": "gpu"}, known, 28)["blocks"] == ["32/sm"]
    assert spelled(counter, grids[1], known, 28)["blocks"] == ["32/sm"]
    assert spelled(counter, grids[1], known, 132)["blocks"] == [896]


def test_an_instance_is_listed_once():
    grids = [grid("headline"), grid("headline") | {"blocks": [1, 2, 3], "cache": "warm"}]
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
    [
        ("best_of_5", 5),
        ("single_shots_5", 5),
        ("best_of_99", 99),
        ("best_of_100", None),
        ("best_of_0", None),
        ("adaptive", None),
        (5, None),
    ],
)
def test_fixed_samples(word, n):
    assert fixed_samples(word) == n


def test_grids_together_have_each_case_once_with_the_larger_budget():
    small = {"benchmark": "counter", "kind": "gpu", "scope": ["block", "device"], "budget_seconds": 0.5}
    large = {"benchmark": "counter", "kind": "gpu", "scope": ["device", "system"], "budget_seconds": 3}
    cases, _ = expand_all(ATOMICS, [small, large], "gpu")
    assert {case.parameters["scope"]: case.budget_seconds for case in cases} == {"block": 0.5, "device": 3, "system": 3}
    # No budget of its own: the one of all experiments, whatever that is.
    free = {"benchmark": "counter", "kind": "gpu", "scope": "block"}
    assert [case.budget_seconds for case in expand_all(ATOMICS, [free, small], "gpu")[0]] == [None, 0.5]
