"""Cold shots in a session: each process fires them once, in the grids' order, before anything else is launched."""

import pytest

from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.grid import check_grid, expand
from session_bench import Killed, crash, killed_at, of_case

SERIES = [
    {"iterations": [5, 1, 3], "sampling": "cold_shots_4"},
    {"iterations": [4, 2], "sampling": "cold_shots_2"},
]
WHOLE, BEGIN = [5, 1, 3, 4, 2], [5, 1, 3]
MIXED = [{"iterations": [9, 8, 7]}, *SERIES]


def test_every_session_fires_the_series_in_the_grids_order_as_far_as_a_shot_is_lacking(bench):
    statuses, taken = bench.run(SERIES, kind="gpu")
    assert set(statuses.values()) == {("ok", "")}
    four, two = dict.fromkeys(range(1, 5), 1), dict.fromkeys(range(1, 3), 1)
    assert taken == {5: four, 1: four, 3: four, 4: two, 2: two}
    assert [series for _, series in bench.sent] == [WHOLE, WHOLE, BEGIN, BEGIN]
    assert bench.workers == 1  # the program is started anew, not who starts it


def test_shots_come_first_and_from_a_worker_that_does_nothing_else(bench):
    _, taken = bench.run(MIXED, kind="gpu")
    shots, others = bench.sent[:4], bench.sent[4:]
    assert [series for _, series in shots] == [WHOLE, WHOLE, BEGIN, BEGIN]
    assert [worker.backends for worker, _ in shots] == [["cold_shots"]] * 4
    assert {tuple(worker.backends) for worker, _ in others} == {("kernels",)}
    assert [len(taken[case]) for case in (7, 8, 9)] == [6, 6, 6]
    assert bench.workers == 1 + 6


@pytest.mark.parametrize("kill_at", range(0, 16, 3))
def test_after_a_kill_the_next_process_begins_the_series_anew(bench, kill_at):
    """A case that has its shots fires again where one after it lacks some: what comes before a launch is part of it."""
    bench.accident = killed_at(kill_at)
    with pytest.raises(Killed):
        bench.run(SERIES, kind="gpu")
    old = bench.journal.path.read_text() if bench.journal.path.exists() else ""
    bench.accident, bench.sent = lambda worker, request: None, []
    statuses, taken = bench.run(SERIES, kind="gpu")
    assert bench.journal.path.read_text().startswith(old)
    assert set(statuses.values()) == {("ok", "")}
    assert all(series == WHOLE[: len(series)] for _, series in bench.sent)
    assert [sum(taken[case].values()) for case in (3, 2)] == [4, 2]  # the last of each number has no more than it needs
    assert set(taken[5].values()) == {1}


def test_a_shot_that_crashes_ends_its_series_and_the_others_begin_anew_without_it(bench):
    bench.accident = of_case(3, crash)
    statuses, taken = bench.run(SERIES, kind="gpu")
    assert statuses[3] == ("failed", "the worker was ended by SIGSEGV")
    assert {statuses[case] for case in (5, 1, 4, 2)} == {("ok", "")}
    assert [series for _, series in bench.sent] == [WHOLE, [5, 1, 4, 2], [5, 1, 4, 2], [5, 1]]
    assert [sum(taken[case].values()) for case in (5, 1, 3, 4, 2)] == [4, 4, 0, 2, 2]
    assert bench.workers == 2


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
