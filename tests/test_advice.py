"""Advice from hand-made rows: which sentence the ratios choose, and what it says."""

from __future__ import annotations

import copy

import pytest
import yaml

from claim_rows import CPU, EXPERIMENT, GPU, row
from scopemark.advice.finding import clearly
from scopemark.advice.questions import OUTCOMES, answer, load_advice
from scopemark.errors import UserError
from scopemark.statistics import Interval

QUESTIONS = load_advice("scoped_atomics")


def ask(name, rows, machine=GPU):
    return [(found.text, found.ratio) for found in answer(QUESTIONS[name], EXPERIMENT, machine, rows)]


def only(name, rows, machine=GPU):
    [found] = ask(name, rows, machine)
    return found


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(1.06, 1.2, "better"), (1.05, 1.2, "open"), (0.95, 1.05, "same"), (0.9, 1.0, "open"), (0.5, 0.94, "worse")],
)
def test_clearly(low, high, word):
    assert clearly(Interval((low + high) / 2, low, high)) == word


def placed(shared, device_global):
    return [
        row(scope="block", placement="shared", per_second=shared),
        row(scope="device", placement="global", per_second=device_global),
    ]


def test_the_sentence_states_the_factor_its_interval_and_the_conditions():
    text, ratio = only("placement", placed((1200.0, 1190.0, 1210.0), 100.0))
    assert ratio.value == pytest.approx(12)
    assert text == (
        "Keep a block's counter in shared memory: 12.0× [11.9, 12.1] the throughput of a device-scope counter in "
        "global memory (4 blocks of 32 threads; atomic_ref; relaxed order; uniform address; result discarded)."
    )


@pytest.mark.parametrize(
    ("shared", "start"),
    [
        (100.0, "A block's counter may live"),
        (50.0, "Keep a block's counter in global memory"),
        (
            (100.0, 80.0, 120.0),
            "Too noisy, or too small, to tell within 5 %: block scope, shared memory against device scope, global "
            "memory, 1.00× [0.800, 1.20] (4 blocks of 32 threads; atomic_ref; relaxed order; uniform address; result "
            "discarded).",
        ),
    ],
)
def test_the_interval_chooses_the_sentence(shared, start):
    assert only("placement", placed(shared, 100.0))[0].startswith(start)


def test_what_was_not_measured_is_said():
    text, ratio = only("placement", [])
    assert text == "Not measured here: the preset did not measure it."
    assert ratio is None
    text, _ = only("placement", [*placed(1.0, 1.0)[:1], row(scope="device", placement="global", status="failed")])
    assert text == "Not measured here: its cases have no result (failed: made failed)."


def test_a_question_about_gpus_is_not_answered_on_a_cpu():
    assert ask("placement", placed(2.0, 1.0), CPU) == []
    assert ask("cpu_stride", placed(2.0, 1.0), GPU) == []


def test_the_instructions_are_those_of_the_rows():
    rows = [
        row(api="intrinsic", scope="block", placement="shared", per_second=200.0),
        row(api="atomic_ref", scope="block", placement="shared", per_second=100.0),
    ]
    text, _ = only("api_shared", rows)
    assert text.startswith("In shared memory call atomicAdd_block: 2.00× [2.00, 2.00]")
    assert "since it compiles to RED and the other to ATOM" in text


def orders(**speeds):
    return [row(scope="device", placement="global", order=order, per_second=speed) for order, speed in speeds.items()]


@pytest.mark.parametrize(
    ("speeds", "start", "decides"),
    [
        (
            {"relaxed": 100.0, "acquire": 100.0, "seq_cst": 99.0},
            "At device scope in global memory take the order you need",
            0.99,
        ),
        (
            {"relaxed": 100.0, "acquire": 100.0, "seq_cst": 50.0},
            "At device scope in global memory use relaxed order",
            0.5,
        ),
        ({"relaxed": 100.0, "acquire": 150.0}, "At device scope in global memory a stronger order costs nothing", 1.5),
        ({"relaxed": 100.0, "acquire": 150.0, "seq_cst": 50.0}, "At device scope in global memory measure before", 0.5),
    ],
)
def test_each_alternative_is_set_against_the_first(speeds, start, decides):
    text, ratio = only("order_device_global", orders(**speeds))
    assert text.startswith(start)
    assert ratio.value == pytest.approx(decides)


def test_the_items_stand_in_their_order():
    text, _ = only("order_device_global", orders(seq_cst=25.0, relaxed=100.0, acquire=50.0))
    assert "acquire 0.500× [0.500, 0.500], seq_cst 0.250× [0.250, 0.250]" in text


def counted(**other):
    common = {"scope": "device", "address": "opaque", "blocks": "8/sm", "iterations": 64, "stride_bytes": 4}
    return row(**{**common, **other})


@pytest.mark.parametrize(
    ("speeds", "start", "decides"),
    [
        # 4 reaches within 5 % of the fastest, so 8 is not worth it.
        (
            {1: 100.0, 2: 200.0, 4: 390.0, 8: 400.0},
            "Spread a block's updates of global memory over 4 counters: 3.90×",
            3.9,
        ),
        (
            {1: 100.0, 2: 200.0, 4: 400.0},
            "Spread a block's updates of global memory over 4 counters, if not more: 4.00×",
            4,
        ),
        ({1: 100.0, 2: 101.0, 4: 102.0}, "One counter per block is enough in global memory: with 4 counters", 1.02),
        (
            {1: 100.0, 2: 50.0, 4: 60.0},
            "Keep one counter per block in global memory: with 4, the best other number",
            0.6,
        ),
    ],
)
def test_enough_is_the_smallest_that_nothing_clearly_beats(speeds, start, decides):
    rows = [counted(counters_per_block=counters, per_second=speed) for counters, speed in speeds.items()]
    text, ratio = only("counters", rows)
    assert text.startswith(start)
    assert ratio.value == pytest.approx(decides)


def matching(gains, elements=1024):
    rows = []
    for density, gain in gains.items():
        common = {"density": density, "elements": elements}
        rows.append(row("match_count", form="two_level", per_second=gain * 100.0, **common))
        rows.append(row("match_count", form="per_match", per_second=100.0, **common))
    return rows


@pytest.mark.parametrize(
    ("gains", "parts", "decides"),
    [
        (
            {0.0: 0.9, 0.1: 2, 1.0: 8},
            ["from density 0.1 on: 2.00×", "8.00× [8.00, 8.00] at 1", "0.900× [0.900, 0.900] below"],
            2,
        ),
        ({0.1: 2, 1.0: 8}, ["fold it once per block: 8.00×", "still 2.00× [2.00, 2.00] at 0.1"], 2),
        # A gain in between does not count: from somewhere on means at all that follow.
        ({0.1: 2, 1.0: 0.5}, ["does not pay at the highest density measured, 1: 0.500×"], 0.5),
        (
            {0.0: 1.0, 0.1: 1.04, 1.0: 2},
            ["only at density 1, the highest measured: 2.00×", "1.00…1.04× [1.00, 1.04] below"],
            2,
        ),
    ],
)
def test_the_crossover(gains, parts, decides):
    text, ratio = only("match_subtotal", matching(gains))
    for part in parts:
        assert part in text
    assert ratio.value == pytest.approx(decides)


def test_a_noisy_question_keeps_what_it_compares_against():
    noisy = (100.0, 50.0, 200.0)
    text, _ = only("order_device_global", orders(relaxed=noisy, acquire=101.0))
    assert text.startswith("Too noisy, or too small, to tell within 5 %: against relaxed order, acquire 1.01× [")
    text, _ = only("counters", [counted(counters_per_block=1, per_second=noisy), counted(counters_per_block=4)])
    assert ": against 1 counter per block, 4 counters per block " in text
    rows = matching({0.1: 1, 1.0: 1})
    rows[-1] = row("match_count", form="per_match", per_second=noisy, density=1.0, elements=1024)
    assert (
        ": a subtotal against an add per match, 1.00× [0.500, 2.00] with density 1" in only("match_subtotal", rows)[0]
    )


def test_cases_that_clearly_differ_are_not_called_noisy():
    rows = placed(50.0, 100.0) + [{**one, "iterations": 8} for one in placed(200.0, 100.0)]
    for i, one in enumerate(rows):
        one["case"] = f"c{i}"
    text, _ = only("placement", rows)
    assert text.startswith(
        "Not the same in every case: block scope, shared memory against device scope, global memory, "
    )


def test_families_that_differ_are_answered_apart():
    found = ask("match_subtotal", matching({0.1: 2, 1.0: 8}) + matching({0.1: 1, 1.0: 3}, elements=4096))
    assert [text.count("1,024 elements") for text, _ in found] == [1, 0]
    assert [ratio.value for _, ratio in found] == pytest.approx([2, 3])


def test_cpu_counters_on_a_line_of_their_own():
    common = {"kind": "cpu", "scope": "system", "address": "opaque", "blocks": 2, "threads_per_block": 1}
    speeds = {4: 100.0, 16: 100.0, 64: 400.0, 256: 404.0}
    rows = [row(stride_bytes=stride, per_second=speed, **common) for stride, speed in speeds.items()]
    text, ratio = only("cpu_stride", rows, CPU)
    assert text.startswith("Put the counters of CPU threads 64 bytes apart: 4.00×")
    assert ratio.value == pytest.approx(4)


def test_every_answer_is_one_sentence():
    for name, question in QUESTIONS.items():
        for text in question["answers"].values():
            assert text.endswith("."), name


def broken(**changes):
    question = copy.deepcopy(QUESTIONS["placement"])
    question.update(changes)
    return {"questions": {"placement": {key: value for key, value in question.items() if value is not None}}}


SENTENCES = dict.fromkeys(OUTCOMES["ratio"], "{ratio}.")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"kind": "guess"}, ["questions.placement.kind", "'guess'", "ratio, each, ranked, kept, enough, crossover"]),
        ({"a": None}, ["questions.placement", "'a'"]),
        ({"where": {"colour": 1}}, ["questions.placement.where.colour"]),
        ({"conditions": ["colour"]}, ["questions.placement.colour"]),
        ({"benchmark": "none"}, ["questions.placement.benchmark", "'none'", "counter, match_count"]),
        ({"answers": {"better": "x."}}, ["questions.placement.answers", "better, same, worse"]),
        ({"answers": SENTENCES | {"same": "{items}."}}, ["answers.same", "'items'", "ratio, instruction_a"]),
        ({"answers": SENTENCES | {"same": "{ratio."}}, ["answers.same"]),
        ({"expected": ["faster"]}, ["questions.placement.expected", "'faster'", "better, same, worse"]),
        ({"benchmark": None}, ["questions.placement", "'benchmark'"]),
        ({"lead": False}, ["questions.placement.lead"]),
        ({"kind": "best", "axis": "scope"}, ["questions.placement", "'rival'"]),
        ({"rival": "match_count"}, ["questions.placement.rival", "left out, but for the kind best"]),
        ({"needs": {"king": "gpu"}}, ["questions.placement.needs", "'king'", "kind"]),
    ],
)
def test_a_wrong_question_is_named(tmp_path, changes, parts):
    file = tmp_path / "scoped_atomics.yaml"
    file.write_text(yaml.safe_dump(broken(**changes)))
    with pytest.raises(UserError) as raised:
        load_advice("scoped_atomics", file)
    for part in [str(file), *parts]:
        assert part in str(raised.value)


def test_an_experiment_without_a_file_advises_nothing(tmp_path):
    assert load_advice("scoped_atomics", tmp_path / "none.yaml") == {}


def test_no_answer_about_a_counter_leaves_out_where_it_lives():
    """What holds in global memory alone, or in shared memory alone, says so in its sentence or in its conditions."""
    for name, question in QUESTIONS.items():
        placement = question.get("where", {}).get("placement")
        if placement and "placement" not in question.get("conditions", []):
            for text in question["answers"].values():
                assert f"{placement} memory" in text, name
