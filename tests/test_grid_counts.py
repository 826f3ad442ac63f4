"""Numbers of blocks and threads in a grid, which may be by the machine's processors: one launch is one case."""

import pandas as pd
import pytest
import yaml

from helpers import ROOT
from scopemark.axes import resolve_count
from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.grid import check_grid, expand, spelled, spellings

ATOMICS = load_experiment("scoped_atomics")
CONFIGURED = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]


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


@pytest.mark.parametrize(
    ("value", "processors", "number"), [(7, 132, 7), ("32/sm", 132, 4224), ("1/cpu", 8, 8), ("32/sm", 28, 896)]
)
def test_counts_scale_with_the_machine(value, processors, number):
    assert resolve_count(value, processors) == number
