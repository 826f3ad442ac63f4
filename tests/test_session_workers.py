"""The session with workers that do what a test says: what is taken, by which, and when it ends."""

import pytest

from helpers import LIMITS
from scopemark.errors import UserError
from scopemark.measure import progress, workers
from session_bench import SIX, Killed, crash, killed_at, of_case


def test_each_of_six_workers_takes_a_sixth(bench):
    statuses, taken = bench.run({"iterations": [1, 2]})
    assert statuses == {1: ("ok", ""), 2: ("ok", "")}
    assert taken == {1: dict.fromkeys(range(1, 7), 3), 2: dict.fromkeys(range(1, 7), 3)}
    assert sorted(bench.opened) == [1, 2, 3, 4, 5, 6] == list(range(1, bench.workers + 1))


def test_a_case_that_always_crashes_is_tried_once_a_run_and_the_others_have_all_their_processes(bench):
    bench.accident = of_case(2, crash)
    for run in (1, 2):
        before = len(bench.journal.path.read_text().splitlines()) if run == 2 else 0
        statuses, taken = bench.run({"iterations": [1, 2, 3]})
        assert statuses == {1: ("ok", ""), 2: ("failed", "the worker was ended by SIGSEGV"), 3: ("ok", "")}
        assert taken[2] == {}
        assert [len(taken[case]) for case in (1, 3)] == [6, 6]
        assert sum(taken[1].values()) == sum(taken[3].values()) == 18
    assert len(bench.journal.path.read_text().splitlines()) == before + 1


@pytest.mark.parametrize("kill_at", [0, 1, 3, 4, 8, 9, 13])
def test_killed_in_any_round_it_goes_on_with_the_next_process(bench, kill_at):
    """Two cases take 14 requests: of each the first sample and then two, and in five more processes three at once."""
    bench.accident = killed_at(kill_at)
    with pytest.raises(Killed):
        bench.run({"iterations": [1, 2]})
    bench.accident = lambda worker, request: None
    old = bench.journal.path.read_text() if bench.journal.path.exists() else ""
    statuses, taken = bench.run({"iterations": [1, 2]})
    assert bench.journal.path.read_text().startswith(old)
    assert set(statuses.values()) == {("ok", "")}
    for sessions in taken.values():
        assert len(sessions) == 6
        assert all(number <= 3 for number in sessions.values())
        assert 16 <= sum(sessions.values()) <= 18  # what a killed process took of its share is its share


def test_spares_that_die_cost_nothing_but_their_start(bench):
    bench.dies_at_birth = lambda number: number in (1, 2, 5)
    statuses, taken = bench.run({"iterations": 1})
    assert (statuses[1], len(taken[1])) == (("ok", ""), 6)
    assert bench.workers == 9


def test_spares_that_end_while_they_wait_are_no_attempts(bench):
    bench.dies_waiting = lambda number: 2 <= number <= 6
    statuses, taken = bench.run({"iterations": 1})
    assert (statuses[1], len(taken[1])) == (("ok", ""), 6)


def test_where_no_worker_starts_the_build_is_named(bench):
    bench.dies_at_birth = lambda number: True
    with pytest.raises(UserError, match="the build: no worker starts that can load it: died while importing"):
        bench.run({"iterations": 1})


def test_many_processes_do_not_all_start_at_once(bench):
    most = []
    bench.accident = lambda worker, request: most.append(bench.workers)
    statuses, taken = bench.run({"iterations": 1}, {**SIX, "processes": 40, "minimum_samples": 80})
    assert (statuses[1], len(taken[1])) == (("ok", ""), 40)
    assert most[0] == workers.SPARES
    assert bench.workers == 40


def test_a_budget_that_ends_before_the_processes_do(bench):
    bench.each = 0.5
    statuses, taken = bench.run({"iterations": 1}, {**SIX, "budget_seconds": 2.0})
    assert taken[1] == {1: 1, 2: 1, 3: 1, 4: 1}
    assert statuses[1] == ("skipped", "time budget: 4 samples in 2 s make no interval")


def test_samples_that_are_all_discarded_end_at_the_maximum(bench):
    bench.discarded = "slow clock"
    statuses, taken = bench.run({"iterations": 1})
    assert statuses[1] == ("unstable", "no sample counts: slow clock")
    assert sum(taken[1].values()) == 120


@pytest.mark.parametrize("processes", [1, 6])
def test_a_fixed_number_of_samples_is_of_one_process_after_a_kill_too(bench, processes):
    grid, limits = {"iterations": [1, 2], "sampling": "best_of_5"}, {**SIX, "processes": processes}

    def killed(worker):
        raise Killed

    bench.accident = of_case(2, killed)
    with pytest.raises(Killed):
        bench.run(grid, limits)
    bench.accident = lambda worker, request: None
    statuses, taken = bench.run(grid, limits)
    assert (set(statuses.values()), taken) == ({("ok", "")}, {1: {1: 5}, 2: {2: 5}})


def test_one_process_goes_on_with_what_another_took(bench):
    limits = {**LIMITS, "minimum_samples": 20, "maximum_samples": 20}
    first = []

    def after_the_first(worker, request):
        if first:
            raise Killed
        first.append(request)

    bench.accident = after_the_first
    with pytest.raises(Killed):
        bench.run({"iterations": 1}, limits)
    bench.accident = lambda worker, request: None
    assert bench.run({"iterations": 1}, limits)[1] == {1: {1: 1, 2: 19}}


def test_lines_of_an_earlier_version_count(bench):
    """Of before pages were counted, and of a run of one process."""
    bench.run({"iterations": 1}, {**LIMITS, "minimum_samples": 7, "maximum_samples": 7})
    text = bench.journal.path.read_text()
    for name in ("major_faults", "minor_faults", "note"):
        for n in (1, 6):
            text = text.replace(f'"{name}": [{", ".join(["null"] * n)}], ', "")
    assert "faults" not in text
    bench.journal.path.write_text(text)
    statuses, taken = bench.run({"iterations": 1})
    assert (statuses[1], taken[1]) == (("ok", ""), {1: 7, 2: 3, 3: 3, 4: 3, 5: 3, 6: 3})


@pytest.mark.parametrize("processes", [1, 6])
def test_no_case_is_reported_as_done_before_it_is(bench, processes, monkeypatch):
    session = bench.session({"iterations": [1, 2]}, {**SIX, "processes": processes})
    reported = []
    monkeypatch.setattr(type(session._progress), "due", True)
    monkeypatch.setattr(session._progress, "update", lambda done, share: reported.append((done, share)))
    session.run()
    assert [done for done, _ in reported[:-2]] == [0] * (len(reported) - 2)
    assert reported[-1] == (2, 1.0)
    assert all(share < 1 for _, share in reported[:-1])
    assert [share for _, share in reported] == sorted(share for _, share in reported)


def test_what_is_left_is_told_at_the_pace_of_this_run(bench):
    """Three processes of six were before: the fourth takes 3 s of the 9 s that are to come."""
    asked = []

    def accident(worker, request):
        asked.append(request)
        if len(asked) > 4:  # two requests of the first process, and one of each other
            raise Killed

    bench.accident = accident
    with pytest.raises(Killed):
        bench.run({"iterations": 1})
    bench.accident = lambda worker, request: None
    session = bench.session({"iterations": 1})
    told = []
    session._progress._print = told.append
    session._sample([(session._cases[0], 3)])
    session._progress._start = progress.time.monotonic() - 3.0
    session._progress.update(*session._done())
    assert told == ["67% done: 0 of 1 cases, 1 left, 0:03 gone, about 0:06 to go"]


def test_more_processes_are_added_to_those_that_were(bench):
    bench.run({"iterations": 1})
    statuses, taken = bench.run({"iterations": 1}, {**SIX, "processes": 9})
    assert statuses == {1: ("ok", "")}
    assert list(taken[1]) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_every_process_goes_through_the_cases_in_an_order_of_its_own(bench):
    asked = {}

    def note(worker, request):
        order = asked.setdefault(worker.number, [])
        if request["parameters"]["iterations"] not in order:
            order.append(request["parameters"]["iterations"])

    bench.accident = note
    bench.run({"iterations": list(range(1, 11))})
    assert all(sorted(order) == list(range(1, 11)) for order in asked.values())
    assert len({tuple(order) for order in asked.values()}) == 6  # of 10! orders
