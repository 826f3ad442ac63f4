"""The stop rule: when a case has been sampled enough, and what it is called then."""

import pytest

from scopemark.measure import stop
from scopemark.measure.journal import Record
from scopemark.measure.stop import BATCH_SECONDS, done_share, rounds_left

LIMITS = {
    "relative_half_width": 0.01,
    "unstable_half_width": 0.05,
    "processes": 1,
    "minimum_samples": 12,
    "maximum_samples": 200,
    "budget_seconds": 2.0,
}


SIX = {**LIMITS, "processes": 6, "minimum_samples": 36, "maximum_samples": 300}


def record(seconds, *, spent=None, discarded=None, wrong=0, event=None):
    return by_processes([seconds], spent=spent, discarded=discarded, wrong=wrong, event=event)


def by_processes(processes, *, spent=None, discarded=None, wrong=0, event=None):
    """A case of which each of several processes took samples; `spent`: seconds, all by the first."""
    seconds = [value for samples in processes for value in samples]
    sessions = [session for session, samples in enumerate(processes, 1) for _ in samples]
    made = Record()
    n = len(seconds)
    made.samples |= {"seconds": seconds, "discarded": discarded or [""] * n, "wrong": [wrong] * n, "session": sessions}
    made.spent = {session: sum(samples) for session, samples in enumerate(processes, 1)}
    if spent is not None:
        made.spent = {1: spent}
    made.event = event
    return made


def next_batch(record, limits, sampling, session=1):
    return stop.next_batch(record, session, limits, sampling)


def outcome(record, limits, sampling, exact=True):
    return stop.outcome(record, limits, sampling, exact)


def test_the_first_batch_is_one_sample():
    assert next_batch(record([]), LIMITS, "adaptive") == 1


def test_up_to_the_minimum_whatever_the_width():
    assert next_batch(record([1e-3]), LIMITS, "adaptive") == 11
    assert next_batch(record([1e-3] * 11), LIMITS, "adaptive") == 1


def test_done_when_the_interval_is_narrow():
    assert next_batch(record([1e-3] * 12), LIMITS, "adaptive") == 0
    assert outcome(record([1e-3] * 12), LIMITS, "adaptive") == ("ok", "")


def test_goes_on_while_the_interval_is_wide():
    wide = [1e-4, 2e-4] * 6
    assert next_batch(record(wide), LIMITS, "adaptive") > 0


@pytest.mark.parametrize(("taken", "wanted"), [(12, 8), (16, 8), (40, 20), (100, 50)])
def test_looks_seldom_enough(taken, wanted):
    """Each look at the interval is a chance to stop by luck: the number of samples grows by half between two."""
    assert next_batch(record([1e-6, 2e-6] * (taken // 2)), LIMITS, "adaptive") == wanted


def test_never_above_the_maximum():
    noisy = [1e-5, 2e-5] * 99
    assert next_batch(record(noisy), LIMITS, "adaptive") == 2
    assert next_batch(record([1e-5, 2e-5] * 100), LIMITS, "adaptive") == 0


def test_a_noisy_case_is_unstable_in_the_end():
    status, reason = outcome(record([1e-5, 2e-5] * 100), LIMITS, "adaptive")
    assert status == "unstable"
    assert "5%" in reason


def test_a_batch_keeps_to_its_share_of_time():
    each = BATCH_SECONDS / 2.5
    assert next_batch(record([1e-2, 2e-2] * 6, spent=12 * each), LIMITS, "adaptive") == 2
    assert next_batch(record([1.0], spent=1.0), LIMITS, "adaptive") == 1


def test_the_budget_ends_it():
    assert next_batch(record([0.5] * 4, spent=2.0), LIMITS, "adaptive") == 0
    status, reason = outcome(record([0.5] * 4, spent=2.0), LIMITS, "adaptive")
    assert status == "skipped"
    assert "4 samples in 2 s make no interval" in reason


def test_what_has_an_interval_has_a_status_by_it_however_few_samples():
    assert outcome(record([0.25] * 8, spent=2.0), LIMITS, "adaptive") == ("ok", "")
    assert outcome(record([0.2, 0.3] * 4, spent=2.0), LIMITS, "adaptive")[0] == "unstable"


@pytest.mark.parametrize(("taken", "wanted"), [(0, 5), (4, 5), (5, 0)])
def test_best_of_n_belongs_together(taken, wanted):
    assert next_batch(record([1.0, 9.0, 3.0, 4.0, 5.0][:taken]), LIMITS, "best_of_5") == wanted
    assert outcome(record([1.0, 9.0, 3.0, 4.0, 5.0]), LIMITS, "best_of_5") == ("ok", "")


def test_an_event_ends_the_case():
    failed = record([1e-3], event=("failed", "why"))
    assert next_batch(failed, LIMITS, "adaptive") == 0
    assert outcome(failed, LIMITS, "adaptive") == ("failed", "why")


def test_one_wrong_sample_makes_it_incorrect():
    assert outcome(record([1e-3] * 12, wrong=1), LIMITS, "adaptive")[0] == "incorrect"


def test_what_promises_nothing_is_never_incorrect():
    assert outcome(record([1e-3] * 12, wrong=1), LIMITS, "adaptive", exact=False) == ("ok", "")


def test_discarded_samples_count_towards_the_maximum_alone():
    slow = ["slow clock"] * 200
    assert next_batch(record([1e-5] * 200, discarded=slow), LIMITS, "adaptive") == 0
    status, reason = outcome(record([1e-5] * 200, discarded=slow), LIMITS, "adaptive")
    assert (status, "slow clock" in reason) == ("unstable", True)
    half = [""] * 6 + ["slow clock"] * 6
    assert next_batch(record([1e-5] * 12, discarded=half), LIMITS, "adaptive") == 6


def test_every_process_takes_its_share_and_then_no_more():
    assert next_batch(by_processes([]), SIX, "adaptive", session=1) == 1
    assert next_batch(by_processes([[1e-3]]), SIX, "adaptive", session=1) == 5  # 36 of 6 processes
    assert next_batch(by_processes([[1e-3] * 6]), SIX, "adaptive", session=1) == 0
    assert next_batch(by_processes([[1e-3] * 6]), SIX, "adaptive", session=2) == 6
    assert next_batch(by_processes([[1e-3] * 6] * 5), SIX, "adaptive", session=6) == 6
    assert next_batch(by_processes([[1e-3] * 6] * 6), SIX, "adaptive", session=6) == 0
    assert next_batch(by_processes([[1e-3] * 6] * 6), SIX, "adaptive", session=7) == 0


def test_a_process_goes_on_until_as_many_like_it_are_narrow_enough():
    """Six independent intervals that are each wider by the square root of 6 make one of the width that is wanted."""
    narrow, wide = 0.01 * 6**0.5 * 0.99, 0.01 * 6**0.5 * 1.01
    for half_width, wanted in ((narrow, 0), (wide, 8)):
        samples = [1e-3 * (1 - half_width), 1e-3, 1e-3, 1e-3, 1e-3, 1e-3 * (1 + half_width)]  # of six, the extremes
        assert next_batch(by_processes([samples]), SIX, "adaptive") == wanted


def test_a_few_samples_are_narrow_by_their_extremes():
    limits = {**SIX, "minimum_samples": 18}
    bound = 0.01 * 6**0.5
    for half, wanted in ((0.9 * bound, 0), (1.1 * bound, 8)):
        assert next_batch(by_processes([[1e-3 * (1 - half), 1e-3, 1e-3 * (1 + half)]]), limits, "adaptive") == wanted


def test_a_process_is_not_asked_for_more_than_the_processes_agree():
    """Half of the width of this process's interval is 5 %; the others' medians lie 4 or 6 % to each side."""
    wide = [1e-3 * (1 + x) for x in (-0.05, 0, 0, 0, 0, 0.05)]
    for apart, wanted in ((0.06, 0), (0.04, 8)):
        others = [[1e-3 * (1 - apart)] * 6, [1e-3] * 6, [1e-3 * (1 + apart)] * 6]
        assert next_batch(by_processes([*others, wide]), SIX, "adaptive", session=4) == wanted


def test_a_process_has_its_share_of_the_maximum_and_of_the_budget():
    noisy = [1e-6, 2e-6] * 25
    assert next_batch(by_processes([noisy[:48]]), SIX, "adaptive") == 2
    assert next_batch(by_processes([noisy]), SIX, "adaptive") == 0  # 300 of 6 processes
    # A third of a second for each: of samples of 0.15 s two, of samples of 0.3 s one, and one in any case.
    assert next_batch(by_processes([[0.15]]), SIX, "adaptive") == 1
    assert next_batch(by_processes([[0.15] * 2]), SIX, "adaptive") == 0
    assert next_batch(by_processes([[0.3]]), SIX, "adaptive") == 0
    assert next_batch(by_processes([[0.3]]), SIX, "adaptive", session=2) == 1


def test_the_whole_budget_ends_it_after_fewer_processes():
    slow = by_processes([[1.0], [1.0]])
    assert next_batch(slow, SIX, "adaptive", session=3) == 0
    assert outcome(slow, SIX, "adaptive")[0] == "skipped"


def test_processes_that_differ_make_a_case_unstable_however_well_each_agrees_with_itself():
    each = [[1e-3 * (1 + 0.03 * process)] * 6 for process in range(6)]
    assert outcome(by_processes(each), SIX, "adaptive")[0] == "unstable"  # from 1.00 to 1.15
    assert outcome(by_processes([[1e-3] * 6] * 6), SIX, "adaptive") == ("ok", "")


def test_what_a_killed_process_took_counts_as_a_process_where_there_are_several():
    assert next_batch(by_processes([[1e-3] * 6, [1e-3] * 2]), SIX, "adaptive", session=3) == 6
    assert next_batch(by_processes([[1e-3] * 10]), LIMITS, "adaptive", session=2) == 2  # of one: it is gone on with


def test_the_rounds_to_come_and_the_share_that_is_done():
    two = by_processes([[1e-3] * 6] * 2)
    assert rounds_left(two, SIX, "adaptive") == 4
    assert rounds_left(record([]), SIX, "best_of_5") == 1
    assert done_share(two, 2, SIX, "adaptive") == done_share(two, 3, SIX, "adaptive") == pytest.approx(1 / 3)
    assert done_share(by_processes([[1e-3] * 6, [1e-3]]), 2, SIX, "adaptive") == pytest.approx(1 / 6)
    assert done_share(by_processes([[1e-3] * 6] * 6), 6, SIX, "adaptive") == 1
    assert done_share(record([1.0, 1.0]), 1, SIX, "best_of_5") == pytest.approx(0.4)
    assert done_share(record([1.5]), 1, SIX, "adaptive") == pytest.approx(0.75)  # of the budget
    assert done_share(record([], event=("failed", "why")), 1, SIX, "adaptive") == 1


def test_a_case_of_one_process_is_done_when_its_interval_is_narrow():
    assert done_share(record([1e-3]), 1, LIMITS, "adaptive") == pytest.approx(0.0005)  # of the budget of 2 s
    assert done_share(record([1e-3] * 11), 2, LIMITS, "adaptive") == pytest.approx(0.0055)
    assert done_share(record([1e-3] * 12), 1, LIMITS, "adaptive") == 1


def test_one_sample_says_nothing_of_its_noise():
    """With as many processes as samples are needed, each still takes two."""
    limits = {**SIX, "minimum_samples": 6}
    assert next_batch(by_processes([[1e-3]]), limits, "adaptive") == 1
    assert next_batch(by_processes([[1e-3, 1e-3]]), limits, "adaptive") == 0
    assert next_batch(by_processes([[1e-3, 2e-3]]), limits, "adaptive") == 8
    assert next_batch(by_processes([[1e-3]]), {**limits, "maximum_samples": 6}, "adaptive") == 0


def test_times_of_zero_have_no_width_and_end_at_the_maximum():
    zeros = by_processes([[0.0] * 8], spent=0.01)
    assert next_batch(zeros, SIX, "adaptive") == 8
    assert next_batch(by_processes([[0.0] * 50], spent=0.1), SIX, "adaptive") == 0
    few = by_processes([[0.0] * 3], spent=0.1)
    assert next_batch(few, {**SIX, "minimum_samples": 18}, "adaptive") > 0


def test_samples_that_are_nearly_all_discarded_are_no_matter_of_time():
    slow = record([1e-3] * 120, discarded=["slow clock"] * 117 + [""] * 3)
    assert next_batch(slow, {**LIMITS, "maximum_samples": 120}, "adaptive") == 0
    status, reason = outcome(slow, {**LIMITS, "maximum_samples": 120}, "adaptive")
    assert (status, reason) == ("unstable", "3 samples that count, of 120, make no interval")


def test_a_session_takes_one_cold_shot_of_a_case():
    two = by_processes([[1.0], [2.0]])
    assert next_batch(record([]), SIX, "cold_shots_3") == 1
    assert next_batch(two, SIX, "cold_shots_3", session=2) == 0  # it has had its own
    assert next_batch(two, SIX, "cold_shots_3", session=3) == 1
    assert next_batch(two, SIX, "cold_shots_2", session=3) == 0
    assert rounds_left(two, SIX, "cold_shots_9") == 1  # one worker has the program run again and again
    assert done_share(two, 2, SIX, "cold_shots_3") == pytest.approx(2 / 3)
    assert done_share(two, 2, SIX, "cold_shots_2") == 1
    assert outcome(two, SIX, "cold_shots_2") == ("ok", "")
