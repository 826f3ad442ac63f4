"""Modes of a case's samples: known mixtures, known single modes, and a timer that counts in steps."""

import numpy as np
import pytest

from scopemark import modes, tables
from scopemark.collect import HERE, summarise
from scopemark.modes import FEWEST_SAMPLES, RESOLUTION, count_modes, timer_tick

CASES, TICK = 200, 32e-9


def counted(draw, number, tick=1e-9):
    """The modes found in CASES draws of a number of samples."""
    source = np.random.default_rng(3)
    drawn = np.concatenate([np.sort(draw(source, number)) for _ in range(CASES)])
    return count_modes(drawn, np.arange(CASES) * number, tick)


def mixture(centres, weights, deviation=0.005):
    def draw(source, number):
        return 1e-4 * (source.choice(centres, number, p=weights) + deviation * source.standard_normal(number))

    return draw


@pytest.mark.parametrize("number", [50, 200])
@pytest.mark.parametrize(
    "draw",
    [
        lambda source, n: 1e-4 * (1 + 0.01 * source.standard_normal(n)),
        lambda source, n: 1e-4 * np.exp(0.5 * source.standard_normal(n)),
        lambda source, n: 1e-4 * np.exp(0.01 * source.standard_t(2, n)),
        lambda source, n: 1e-4 * (1 + 0.05 * source.exponential(size=n)),
        lambda source, n: 1e-4 * (1 + 0.05 * source.random(n)),
        mixture([1, 1.3], [0.95, 0.05]),
    ],
    ids=["normal", "log-normal", "heavy tails", "exponential", "uniform", "outliers"],
)
def test_one_mode_is_one(draw, number):
    assert (counted(draw, number) == 1).mean() >= 0.94


@pytest.mark.parametrize(
    ("centres", "weights", "number"),
    [
        ([1, 1.05], [0.5, 0.5], 50),
        ([1, 1.5], [0.7, 0.3], 50),
        ([1, 30], [0.6, 0.4], 50),
        ([1, 1.03], [0.5, 0.5], 200),
        ([1, 1.1, 1.2], [0.3, 0.4, 0.3], 200),
    ],
)
def test_a_mixture_has_as_many_modes_as_it_was_made_of(centres, weights, number):
    assert (counted(mixture(centres, weights), number) == len(centres)).mean() >= 0.94


@pytest.mark.parametrize("deviation", [0.2, 0.5, 1, 3])
@pytest.mark.parametrize("phase", [0.0, 0.3, 0.5])
def test_the_steps_of_a_timer_are_no_modes(deviation, phase):
    """A launch of 4 µs and a timer of 32 ns: a handful of distinct values."""

    def draw(source, number):
        return TICK * np.rint(125 + phase + deviation * source.standard_normal(number))

    assert (counted(draw, 50, TICK) == 1).all()


def test_two_speeds_far_apart_in_steps_are_two_modes():
    assert (counted(lambda source, n: TICK * source.choice([125, 140], n), 50, TICK) == 2).all()


def test_the_step_of_the_timer_is_the_smallest_difference_within_a_case():
    # 5 and 8 ticks in the first case, 3 and 4 in the second. From one case to the next there is no step.
    assert timer_tick(TICK * np.array([5, 8, 8.1, 9.1]), np.array([0, 2])) == pytest.approx(TICK)
    assert timer_tick(np.array([2.0, 2.0, 2.0]), np.array([0])) == RESOLUTION
    assert timer_tick(np.array([1e-6, 1e-6 + 1e-14]), np.array([0])) == RESOLUTION
    assert timer_tick(np.array([]), np.array([], dtype=int)) == RESOLUTION


def test_few_samples_have_no_modes_and_equal_ones_have_one():
    few, same = np.linspace(1, 2, FEWEST_SAMPLES - 1), np.ones(FEWEST_SAMPLES)
    found = count_modes(np.concatenate([few, same]), np.array([0, len(few)]), TICK)
    assert found.tolist() == [0, 1]


def test_cases_do_not_touch_each_other(monkeypatch):
    """Each case alone, all in one call, and in chunks."""
    source = np.random.default_rng(4)
    cases = [np.sort(mixture([1, 1.1], [0.5, 0.5])(source, n)) for n in (30, 31, 64, 500)]
    cases += [np.sort(mixture([1], [1.0])(source, n)) for n in (30, 200)]
    alone = [int(count_modes(case, np.array([0]), 1e-9)[0]) for case in cases]
    starts = np.cumsum([0, *map(len, cases[:-1])])
    assert alone == [2, 2, 2, 2, 1, 1]
    assert count_modes(np.concatenate(cases), starts, 1e-9).tolist() == alone
    monkeypatch.setattr(modes, "_CHUNK", 2)
    assert count_modes(np.concatenate(cases), starts, 1e-9).tolist() == alone


def test_the_summary_counts_the_modes_of_the_samples_that_count():
    case = {"target": "t", "target_kind": "cpu", "experiment": "e", "benchmark": "b", "toolchain": "c", "kernel": "k"}
    times = {"one": [1.0, 1.01] * 20, "two": [1.0, 1.5] * 20, "few": [1.0, 1.5] * 14, "none": []}
    rows = [
        {"case": name, "target": "t", "toolchain": "c", "index": i, "session": 1, "seconds": value * 1e-3 + i * 1e-6}
        for name, values in times.items()
        for i, value in enumerate(values)
    ]
    # The other speed of this one does not count: one mode.
    rows += [
        row | {"case": "cut", "discarded": "slow" if row["index"] % 2 else None} for row in rows if row["case"] == "two"
    ]
    rows += [row | {"index": row["index"] + 40} for row in rows if row["case"] == "cut"]
    cases = tables.make("cases", [case | {"case": name, "status": "ok"} for name in [*times, "cut"]])
    summary = summarise(cases, tables.make("samples", rows), HERE).set_index("case")
    assert summary["modes"].fillna(0).to_dict() == {"one": 1, "two": 2, "few": 0, "none": 0, "cut": 1}
