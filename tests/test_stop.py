"""The stop rule: when a case has been sampled enough, and what it is called then."""

import pytest

from scopemark.measure import stop
from scopemark.measure.journal import Record
from scopemark.measure.stop import BATCH_SECONDS, next_batch

LIMITS = {
    "relative_half_width": 0.01,
    "unstable_half_width": 0.05,
    "minimum_samples": 12,
    "maximum_samples": 200,
    "budget_seconds": 2.0,
}


def record(seconds, *, spent=None, discarded=None, wrong=0, event=None):
    n = len(seconds)
    made = Record()
    made.samples |= {"seconds": list(seconds), "discarded": discarded or [""] * n, "wrong": [wrong] * n}
    made.spent_seconds = sum(seconds) if spent is None else spent
    made.event = event
    return made


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
    assert "4 of at least 12" in reason


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
