"""Cold shots in a session: each process fires them once, in the grids' order, before anything else is launched."""

import pytest

from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.grid import check_grid, expand
from session_bench import Killed, crash, of_case

SERIES = [
    {"iterations": [5, 1, 3], "sampling": "cold_shots_4"},
    {"iterations": [4, 2], "sampling": "cold_shots_2"},
]
MIXED = [{"iterations": [9, 8, 7]}, *SERIES]


def fired(bench):
    """By session, what each worker was asked for: the case, by its number, and with which backends it was opened."""
    orders = {}

    def note(worker, request):
        orders.setdefault(worker.number, []).append((request["parameters"]["iterations"], request["n"]))

    bench.accident = note
    return orders


def test_every_process_fires_the_series_in_the_grids_order_as_far_as_a_shot_is_lacking(bench):
    orders = fired(bench)
    statuses, taken = bench.run(SERIES, kind="gpu")
    assert set(statuses.values()) == {("ok", "")}
    four, two = dict.fromkeys(range(1, 5), 1), dict.fromkeys(range(1, 3), 1)
    assert taken == {5: four, 1: four, 3: four, 4: two, 2: two}
    whole, begin = [(case, 1) for case in (5, 1, 3, 4, 2)], [(case, 1) for case in (5, 1, 3)]
    assert sorted(orders.values(), key=len) == [begin, begin, whole, whole]


def test_processes_that_fire_shots_do_nothing_else(bench):
    orders, opened = fired(bench), {}
    note = bench.accident

    def accident(worker, request):
        note(worker, request)
        opened[worker.number] = worker.backends

    bench.accident = accident
    _, taken = bench.run(MIXED, kind="gpu")
    assert max(taken[5]) < min(min(taken[case]) for case in (7, 8, 9))  # shots come first
    for number, order in orders.items():
        cold = {case < 6 for case, _ in order}
        assert len(cold) == 1
        assert opened[number] == (["cold_shots"] if cold.pop() else ["kernels"])
    assert [len(taken[case]) for case in (7, 8, 9)] == [6, 6, 6]


@pytest.mark.parametrize("kill_at", range(0, 16, 3))
def test_after_a_kill_the_next_process_begins_the_series_anew(bench, kill_at):
    """A case that has its shots fires again where one after it lacks some: what comes before a launch is part of it."""
    asked = []

    def accident(worker, request):
        asked.append(request)
        if len(asked) == kill_at + 1:
            raise Killed

    bench.accident = accident
    with pytest.raises(Killed):
        bench.run(SERIES, kind="gpu")
    old = bench.journal.path.read_text() if bench.journal.path.exists() else ""
    orders = fired(bench)
    statuses, taken = bench.run(SERIES, kind="gpu")
    assert bench.journal.path.read_text().startswith(old)
    assert set(statuses.values()) == {("ok", "")}
    whole = [(case, 1) for case in (5, 1, 3, 4, 2)]
    assert all(order == whole[: len(order)] for order in orders.values())
    assert [sum(taken[case].values()) for case in (3, 2)] == [4, 2]  # the last of each number has no more than it needs
    assert set(taken[5].values()) == {1}


def test_a_shot_that_crashes_ends_its_process_and_the_others_begin_anew_without_it(bench):
    orders, note = fired(bench), None
    note = bench.accident

    def accident(worker, request):
        note(worker, request)
        of_case(3, crash)(worker, request)

    bench.accident = accident
    statuses, _ = bench.run(SERIES, kind="gpu")
    assert statuses[3] == ("failed", "the worker was ended by SIGSEGV")
    assert {statuses[case] for case in (5, 1, 4, 2)} == {("ok", "")}
    crashed = [order for order in orders.values() if (3, 1) in order]
    assert crashed == [[(5, 1), (1, 1), (3, 1)]]
    others = [order for order in orders.values() if order not in crashed]
    assert all(order == [(case, 1) for case in (5, 1, 4, 2)][: len(order)] for order in others)


def test_cold_shots_are_a_gpus():
    experiment, grid = load_experiment("atomic_intrinsics"), {"benchmark": "sample", "cache": "warm"}
    grid |= {"scope": "system", "sampling": ["adaptive", "cold_shots_3"]}
    taken = {kind: expand(experiment, grid, kind) for kind in ("gpu", "cpu")}
    assert [case.parameters["sampling"] for case in taken["gpu"][0]] == ["adaptive", "cold_shots_3"]
    assert [case.parameters["sampling"] for case in taken["cpu"][0]] == ["adaptive"]
    (reason,) = taken["cpu"][1]
    assert reason.startswith("cold shots are a GPU's")


def test_a_sequence_has_no_cold_shots():
    grid = {"benchmark": "transfer", "sampling": "cold_shots_3"}
    with pytest.raises(UserError, match="adaptive, best_of_N or single_shots_N, with N from 1 to 99"):
        check_grid(load_experiment("unified_memory"), grid, "config.yaml: grid")
