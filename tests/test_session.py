"""The engine with a real worker: what each way of ending costs, and what survives it."""

import json
import os
import signal
import time

import psutil
import pytest

from scopemark.targets import usable_cpus

two_cpus = pytest.mark.skipif(usable_cpus() < 2, reason="one CPU cannot race with itself")


@pytest.fixture(autouse=True)
def _empty_journal(faults, scoped_atomics):
    for engine in (faults, scoped_atomics):
        engine.journal.unlink(missing_ok=True)


def status(cases):
    """Step to status, of a grid over steps."""
    return dict(zip(cases["step"], cases["status"], strict=True))


def test_a_case_is_sampled_to_the_rule_and_checked(faults):
    cases = faults.measure({"benchmark": "fault", "step": "exact", "iterations": [10, 20]}, "exact")
    assert list(cases["status"]) == ["ok", "ok"]
    assert list(cases["operations"]) == [10, 20]
    assert list(cases["expected"]) == list(cases["observed"]) == [10, 20]
    samples = faults.samples("exact")
    assert samples.groupby("case").size().tolist() == [6, 6]  # minimum and maximum are 6
    assert samples["discarded"].isna().all()


def test_time_covers_the_kernel(faults):
    cases = faults.measure({"benchmark": "fault", "step": "spin", "number": 2_000_000}, "spin")
    assert list(cases["status"]) == ["ok"]
    assert faults.samples("spin")["seconds"].min() >= 0.002


@pytest.mark.parametrize(
    ("step", "limits", "expected", "reason"),
    [
        ("crash", {}, "failed", "SIGSEGV"),
        ("hang", {"timeout_seconds": 2.0}, "timeout", "within 2 s"),
        ("wrong", {}, "incorrect", "differ"),
    ],
)
def test_a_bad_case_ends_alone(faults, step, limits, expected, reason):
    cases = faults.measure({"benchmark": "fault", "step": ["exact", step, "spin"]}, step, limits)
    assert status(cases) == {"exact": "ok", step: expected, "spin": "ok"}
    assert reason in cases.loc[cases["step"] == step, "reason"].item()


def test_samples_say_which_process_took_them(faults):
    """The crash ends the first worker: what is sampled after it is another's."""
    cases = faults.measure({"benchmark": "fault", "step": ["exact", "crash", "spin"]}, "sessions").set_index("step")
    sessions = faults.samples("sessions").groupby("case")["session"].unique()
    assert list(sessions[cases.loc["exact", "case"]]) == [1, 2]
    assert list(sessions[cases.loc["spin", "case"]]) == [2]


def test_several_processes_take_equal_shares(faults):
    limits = {"processes": 3, "minimum_samples": 18, "maximum_samples": 18}
    cases = faults.measure({"benchmark": "fault", "iterations": [1, 2]}, "shares", limits)
    assert list(cases["status"]) == ["ok", "ok"]
    assert faults.samples("shares").groupby(["case", "session"]).size().tolist() == [6] * 6
    # One after another: the next begins when every case has its share of the last.
    assert [line["session"] for line in faults.lines()] == sorted(line["session"] for line in faults.lines())
    # The book's way stays in one process.
    faults.measure({"benchmark": "fault", "sampling": "best_of_5", "iterations": 3}, "one", limits)
    assert faults.samples("one")["session"].nunique() == 1


def test_a_wrong_result_is_told_by_its_amount(faults):
    cases = faults.measure({"benchmark": "fault", "step": "wrong", "iterations": 5}, "amount")
    row = cases.iloc[0]
    assert (row["expected"], row["observed"], row["lost_updates"], row["wrong_elements"]) == (5, 10, -5, 1)


def test_more_threads_than_cpus_are_unsupported(faults):
    cases = faults.measure({"benchmark": "fault", "threads_per_block": [1, usable_cpus() + 1]}, "threads")
    assert list(cases["status"]) == ["ok", "unsupported"]
    assert f"{usable_cpus() + 1} CPUs" in cases["reason"].iloc[1]


def test_a_case_over_its_budget_is_skipped(faults):
    grid = {"benchmark": "fault", "step": "spin", "number": 20_000_000}
    cases = faults.measure(grid, "budget", {"budget_seconds": 0.03})
    assert list(cases["status"]) == ["skipped"]
    assert "budget" in cases["reason"].iloc[0]
    assert 1 <= len(faults.samples("budget")) < 6


def test_a_grid_has_a_budget_of_its_own(faults):
    grid = {"benchmark": "fault", "step": "spin", "number": 20_000_000, "budget_seconds": 60}
    assert list(faults.measure(grid, "own", {"budget_seconds": 0.03})["status"]) == ["ok"]


def test_a_case_of_two_grids_is_measured_once_with_the_larger_of_their_budgets(faults):
    """One has none of its own, and so that of the limits, which is enough for one sample."""
    plain = {"benchmark": "fault", "step": "spin", "number": 20_000_000}
    cases = faults.measure([plain, {**plain, "budget_seconds": 60}], "two", {"budget_seconds": 0.03})
    assert list(cases["status"]) == ["ok"]


def test_best_of_n_takes_exactly_n(faults):
    faults.measure({"benchmark": "fault", "sampling": "best_of_5"}, "best")
    assert len(faults.samples("best")) == 5


def test_what_is_measured_is_not_measured_again(faults):
    grid = {"benchmark": "fault", "iterations": [1, 2]}
    first = faults.measure(grid, "again")
    before = faults.lines()
    again = faults.measure(grid, "again")
    assert faults.lines() == before
    assert again.equals(first)
    faults.measure({**grid, "iterations": [1, 2, 3]}, "again")
    added = faults.lines()[len(before) :]
    assert {line["case"] for line in added}.isdisjoint(first["case"])
    assert len({line["case"] for line in added}) == 1


def test_a_failure_is_tried_again_and_keeps_its_neighbours(faults):
    grid = {"benchmark": "fault", "step": ["exact", "crash"]}
    cases = faults.measure(grid, "retry")
    before = faults.lines()
    faults.measure(grid, "retry")
    assert {line["case"] for line in faults.lines()[len(before) :]} == {
        cases.loc[cases["step"] == "crash", "case"].item()
    }


def test_killed_and_resumed(faults):
    grid = {"benchmark": "fault", "step": "spin", "number": 5_000_000, "iterations": [1, 2, 3]}
    limits = {"minimum_samples": 40, "maximum_samples": 40}
    process = faults.start(grid, "killed", limits)
    deadline = time.monotonic() + 60
    while len(faults.lines()) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    # As a kill within a line would leave it.
    with faults.journal.open("a") as file:
        file.write('{"case": "torn')
    stored = faults.lines()
    taken = sum(len(line["seconds"]) for line in stored)
    assert 0 < taken < 3 * 40
    cases = faults.measure(grid, "killed", limits)
    assert list(cases["status"]) == ["ok"] * 3
    samples = faults.samples("killed")
    assert samples.groupby("case").size().tolist() == [40, 40, 40]  # none lost, none twice
    for case, group in samples.groupby("case"):
        old = [seconds for line in stored if line["case"] == case for seconds in line["seconds"]]
        assert group.sort_values("index")["seconds"].tolist()[: len(old)] == old
        assert group["index"].tolist() == list(range(40))
    assert set(samples["session"]) == {1, 2}


def test_no_worker_outlives_a_killed_run(faults):
    """One hangs as it prepares its case, the others wait for their turn."""
    process = faults.start({"benchmark": "fault", "step": ["exact", "hang"]}, "orphans", {"processes": 3})
    workers = []
    try:
        deadline = time.monotonic() + 60
        while not faults.lines() and time.monotonic() < deadline:
            time.sleep(0.01)
        workers = psutil.Process(process.pid).children()
        assert len(workers) == 3
        time.sleep(0.5)  # "exact" is done: its neighbour hangs
        os.kill(process.pid, signal.SIGKILL)
        process.wait()  # not communicate(): it would wait for them
        assert psutil.wait_procs(workers, timeout=10)[1] == []
    finally:
        for worker in filter(psutil.Process.is_running, workers):
            worker.kill()


def test_other_machine_code_is_measured_anew(faults):
    grid = {"benchmark": "fault", "step": "exact"}
    faults.measure(grid, "code")
    before = len(faults.lines())
    text = faults.kernels.read_text()
    try:
        faults.kernels.write_text(text.replace("fault__exact,1", "fault__exact,2"))
        assert text != faults.kernels.read_text()
        faults.measure(grid, "code")
    finally:
        faults.kernels.write_text(text)
    lines = faults.lines()
    assert len(lines) > before
    assert len({line["identity"] for line in lines}) == 2
    assert len(faults.samples("code")) == 6  # those of the other code are not among them


@two_cpus
def test_plain_increments_lose_updates_and_the_loss_is_the_result(faults):
    n = 2**24  # long enough for both threads to be at it whatever else runs
    cases = faults.measure(
        {"benchmark": "fault", "step": ["race", "exact"], "threads_per_block": 2, "iterations": n}, "race"
    ).set_index("step")
    assert cases.loc["race", "lost_updates"] > 0
    assert cases.loc["exact", "lost_updates"] == 0
    assert cases.loc["exact", "observed"] == 2 * n
    assert list(cases["status"]) == ["ok", "ok"]  # the race promises nothing
    samples = faults.samples("race").groupby("case")["lost_updates"].max()
    assert samples[cases.loc["race", "case"]] == cases.loc["race", "lost_updates"]


def test_no_atomic_of_any_api_loses_an_update(scoped_atomics):
    grid = {
        "benchmark": "counter",
        "kind": "cpu",
        "api": ["atomic_ref", "atomic", "std_atomic_ref", "builtin"],
        "scope": "system",
        "address": "opaque",
        "cache": "warm",
        "operation": ["fetch_add", "compare_exchange", "fetch_xor", "load", "store"],
        "result": ["discarded", "used"],
        "blocks": 1,
        "threads_per_block": min(2, usable_cpus()),
        "iterations": 10_000,
    }
    cases = scoped_atomics.measure(grid, "atomics")
    # 4 APIs; fetch_add and fetch_xor with 2 results each, compare_exchange, load and store with one.
    assert len(cases) == 4 * (2 + 2 + 1 + 1 + 1)
    assert set(cases["status"]) == {"ok"}
    assert (cases["lost_updates"] == 0).all()
    adds = cases[cases["operation"] == "fetch_add"]
    assert (adds["observed"] == min(2, usable_cpus()) * 10_000).all()


def test_the_journal_is_json_lines(faults):
    faults.measure({"benchmark": "fault"}, "lines")
    for line in faults.journal.read_text().splitlines():
        assert {"case", "identity", "session"} <= set(json.loads(line))


def test_a_worker_that_never_starts_is_no_cases_fault(faults, tmp_path, monkeypatch):
    broken = tmp_path / "broken.so"
    broken.write_text("not a library")
    monkeypatch.setattr(faults, "binary", broken)
    process = faults.start({"benchmark": "fault", "step": "exact"}, "broken")
    output = process.communicate(timeout=60)[0]
    assert process.returncode != 0
    assert f"{broken}: no worker starts that can load it" in output
    assert faults.lines() == []
