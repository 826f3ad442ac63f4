"""The sequences that give hints: which calls each makes, in which order, and whether a mistake would be seen."""

import pytest

from scopemark.experiment import load_experiment
from scopemark.experiments.unified_memory.hints import HINTS, take_back
from scopemark.experiments.unified_memory.placing import apart
from scopemark.procedure import Timed
from stage_of_arrays import CLOCKED, ON_CPU, ON_GPU, Arrays

EXPERIMENT = load_experiment("unified_memory")
WORDS = 2048
FIRST_SUM = sum(range(1, WORDS + 1))  # of words that hold 1 plus their place


def parameters(name, **changes):
    benchmark = EXPERIMENT.benchmark(name)
    chosen = {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"}
    if "size_bytes" in chosen:
        chosen["size_bytes"] = 4 * WORDS
    chosen |= changes
    assert not [rule.reason for rule in benchmark.rules if rule.excludes(chosen)]
    return benchmark, chosen


def sampled(name, skipped=None, **changes):
    """One sample, with the stage it was taken on."""
    benchmark, chosen = parameters(name, **changes)
    stage = Arrays(skipped=skipped)
    stage.allowed = benchmark.uses(chosen)
    steps = benchmark.run(chosen, stage)
    measured = next(steps)
    assert stage.live == 0
    events, sweeps = list(stage.events), stage.sweeps
    stage.events.clear()
    if skipped is None:
        assert next(steps) == measured  # the next sample is like the first
        assert stage.events == events
    stage.events, stage.sweeps = events, sweeps
    return measured, stage


def calls(stage):
    """What was asked of the driver, and what worked on the data; less the looking at them afterwards."""
    return [event for event in stage.events if "inspect" not in event]


WRITTEN = "cpu write_dense x8"

ADVICE = {
    "none": [],
    "prefetch": [],
    "read_mostly": ["SetReadMostly host *"],
    "read_mostly_prefetch": ["SetReadMostly host *"],
    "preferred_gpu": ["SetPreferredLocation 3 *"],
    "preferred_gpu_prefetch": ["SetPreferredLocation 3 *"],
    "preferred_host": ["SetPreferredLocation host *"],
    "accessed_by_gpu": ["SetAccessedBy 3 *"],
    "preferred_host_accessed_by_gpu": ["SetPreferredLocation host *", "SetAccessedBy 3 *"],
    "accessed_by_host": ["SetAccessedBy host *"],
    "preferred_gpu_accessed_by_host": ["SetPreferredLocation 3 *", "SetAccessedBy host *"],
    "prefetch_away": [],
}


@pytest.mark.parametrize("hint", ADVICE)
def test_a_hint_makes_its_calls_and_no_others(hint):
    _, stage = sampled("hint", hint=hint, workload="gpu_reads", passes=2)
    near, away = (["prefetch 3 *"] if hint.endswith("prefetch") else []), []
    if hint == "prefetch_away":
        away = ["prefetch host *"]
    kernel = ["launch read_dense *"]
    assert calls(stage) == [WRITTEN, *ADVICE[hint], *near, *away, *kernel, *away, *kernel, "wait *"]


def test_every_hint_is_tested():
    assert list(ADVICE) == list(HINTS)


def test_in_turns_data_are_brought_to_whoever_is_next():
    _, stage = sampled("hint", hint="read_mostly_prefetch", workload="exchange", passes=2)
    gpu = ["prefetch 3 *", "launch write_dense *", "wait *"]
    cpu = ["prefetch host *", "wait *", "cpu read_dense"]
    assert calls(stage) == [WRITTEN, "SetReadMostly host *", *gpu, *cpu, *gpu, *cpu]


def test_brought_away_in_turns_they_are_where_they_were():
    _, stage = sampled("hint", hint="prefetch_away", workload="both_read", passes=1)
    gpu = ["prefetch host *", "launch read_dense *", "wait *"]
    assert calls(stage) == [WRITTEN, *gpu, "prefetch 3 *", "wait *", "cpu read_dense"]


# The sums: the words begin at 1, and every write or update adds 1 to all of them.
@pytest.mark.parametrize(
    ("workload", "total", "seconds"),
    [
        ("gpu_reads", 3 * FIRST_SUM, 2 * CLOCKED),
        ("gpu_updates", FIRST_SUM + 3 * WORDS, 2 * CLOCKED),
        ("both_read", 6 * FIRST_SUM, 4 * CLOCKED + 3 * ON_CPU),
        ("exchange", 3 * FIRST_SUM + (1 + 2 + 3) * WORDS, 4 * CLOCKED + 3 * ON_CPU),
        ("sparse", 3 * (1 + 1025), 2 * CLOCKED),
    ],
)
def test_a_workload_leaves_the_sum_it_must_in_the_time_of_its_steps(workload, total, seconds):
    measured, _ = sampled("hint", workload=workload, passes=3)
    assert (measured.wrong, measured.observed, measured.expected) == (0, total, total)
    assert measured.timed.seconds == seconds  # the advice is a step, even if there is none
    on_cpu = 3 if workload in ("both_read", "exchange") else 0
    assert (measured.timed.major_faults, measured.timed.minor_faults) == (2 * on_cpu, 5 * on_cpu)


@pytest.mark.parametrize(
    ("workload", "operations", "bytes"),
    [
        ("gpu_reads", 3 * WORDS, 3 * 4 * WORDS),
        ("gpu_updates", 3 * WORDS, 6 * 4 * WORDS),
        ("both_read", 6 * WORDS, 6 * 4 * WORDS),
        ("exchange", 6 * WORDS, 6 * 4 * WORDS),
        ("sparse", 3 * 2, 0),
    ],
)
def test_the_work_of_a_workload(workload, operations, bytes):
    benchmark, chosen = parameters("hint", workload=workload, passes=3)
    assert (benchmark.operations(chosen), benchmark.bytes(chosen)) == (operations, bytes)


def test_each_iteration_is_a_turn_of_both():
    measured, stage = sampled("ping_pong", hint="preferred_host_accessed_by_gpu", iteration=2)
    advice = ["SetPreferredLocation host", "SetAccessedBy 3"]
    iteration = ["cpu update_dense", "launch update_dense *", "wait *"]
    back = ["UnsetAccessedBy 3", "UnsetPreferredLocation host"]
    assert calls(stage) == [WRITTEN, *advice, *iteration, *iteration, *back]
    assert measured.observed == measured.expected == FIRST_SUM + 4 * WORDS
    assert measured.timed == Timed(CLOCKED + ON_CPU, None, 2, 5)


def test_prefetches_in_an_iteration():
    measured, stage = sampled("ping_pong", hint="prefetch")
    cpu = ["prefetch host *", "wait *", "cpu update_dense"]
    assert calls(stage) == [WRITTEN, *cpu, "prefetch 3 *", "launch update_dense *", "wait *"]
    assert measured.timed.seconds == 2 * CLOCKED + ON_CPU


SWEEPS = ["gpu read_dense", "cpu read_dense", "gpu read_dense", "cpu write_dense", "gpu read_dense", "cpu read_dense"]


@pytest.mark.parametrize(
    ("step", "sweeps", "total", "seconds"),
    [
        ("gpu_read_first", SWEEPS[:1], FIRST_SUM, ON_GPU),
        ("cpu_read", SWEEPS[:2], FIRST_SUM, ON_CPU),
        ("gpu_read", SWEEPS[:3], FIRST_SUM, ON_GPU),
        ("cpu_write", SWEEPS[:4], FIRST_SUM + WORDS, ON_CPU),
        ("gpu_read_after_write", SWEEPS[:5], FIRST_SUM + WORDS, ON_GPU),
        ("cpu_read_after_write", SWEEPS[:6], FIRST_SUM + WORDS, ON_CPU),
    ],
)
def test_reading_goes_on_until_the_step_that_is_timed(step, sweeps, total, seconds):
    measured, stage = sampled("read_mostly", hint="read_mostly", step=step)
    assert calls(stage) == ["SetReadMostly host", WRITTEN, *sweeps]
    assert (measured.wrong, measured.observed, measured.expected) == (0, total, total)
    assert measured.timed.seconds == seconds
    _, bare = sampled("read_mostly", hint="none", step=step)
    assert calls(bare) == [WRITTEN, *sweeps]


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("prefetch_to_gpu", ["prefetch 3 *"]),
        ("prefetch_to_host", ["prefetch host *"]),
        ("set_read_mostly", ["SetReadMostly host *"]),
        ("unset_read_mostly", ["SetReadMostly host", "UnsetReadMostly host *"]),
        ("set_preferred_gpu", ["SetPreferredLocation 3 *"]),
        ("set_preferred_host", ["SetPreferredLocation host *"]),
        ("unset_preferred", ["SetPreferredLocation 3", "UnsetPreferredLocation 3 *"]),
        ("set_accessed_by_gpu", ["SetAccessedBy 3 *"]),
        ("set_accessed_by_host", ["SetAccessedBy host *"]),
        ("unset_accessed_by", ["SetAccessedBy 3", "UnsetAccessedBy 3 *"]),
        ("range_attribute", ["ask PreferredLocation *"]),
    ],
)
@pytest.mark.parametrize("resident", ["cpu", "gpu"])
def test_one_call_is_timed(call, made, resident):
    measured, stage = sampled("hint_call", call=call, resident=resident)
    assert calls(stage) == [WRITTEN if resident == "cpu" else "gpu write_dense", *made]
    assert (measured.timed.seconds, measured.observed, measured.expected) == (CLOCKED, FIRST_SUM, FIRST_SUM)


@pytest.mark.parametrize(
    ("setting", "answer", "note"),
    [
        ("nothing", -2, ["0", "nowhere", "nowhere", "nowhere"]),
        ("read_mostly", 1, ["1", "nowhere", "nowhere", "nowhere"]),
        ("preferred_gpu", 3, ["0", "GPU 3", "nowhere", "nowhere"]),
        ("preferred_host", -1, ["0", "host", "nowhere", "nowhere"]),
        ("accessed_by_gpu", 3, ["0", "nowhere", "GPU 3", "nowhere"]),
        ("accessed_by_host", -1, ["0", "nowhere", "host", "nowhere"]),
        ("prefetched_to_gpu", 3, ["0", "nowhere", "nowhere", "GPU 3"]),
        ("prefetched_to_host", -1, ["0", "nowhere", "nowhere", "host"]),
    ],
)
def test_what_was_set_is_what_must_be_said(setting, answer, note):
    measured, _ = sampled("range_attribute", setting=setting)
    assert (measured.wrong, measured.observed, measured.expected) == (0, answer, answer)
    names = ["ReadMostly", "PreferredLocation", "AccessedBy", "LastPrefetchLocation"]
    assert measured.note == ", ".join(f"{name} {value}" for name, value in zip(names, note, strict=True))


def test_a_driver_that_forgets_is_found_out(monkeypatch):
    monkeypatch.setattr(Arrays, "advise", lambda *arguments: None)
    measured, _ = sampled("range_attribute", setting="preferred_gpu")
    assert (measured.wrong, measured.observed, measured.expected) == (1, -2, 3)


def test_the_driver_answers_with_a_number_or_a_list(monkeypatch):
    pytest.importorskip("cuda.bindings.runtime")
    from scopemark.stage import calls as cuda

    for answer in (7, [7, -2]):
        monkeypatch.setattr(cuda, "call", lambda *arguments, answer=answer: answer)
        assert cuda.range_attribute(0, 4096, "AccessedBy") == 7


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *(
            ("hint", {"workload": w, "passes": 2})
            for w in ("gpu_reads", "gpu_updates", "both_read", "exchange", "sparse")
        ),
        ("ping_pong", {"iteration": 3}),
        ("read_mostly", {"step": "cpu_write"}),
        ("read_mostly", {"step": "cpu_read_after_write"}),
        ("hint_call", {"call": "prefetch_to_gpu"}),
    ],
)
def test_no_sweep_can_be_left_out_unseen(name, changes):
    _, whole = sampled(name, **changes)
    looked = "inspect" in whole.events[-1]
    overwritten = changes.get("workload") == "exchange"  # what the CPU wrote first nobody reads
    for number in range(overwritten, whole.sweeps - looked):
        assert sampled(name, skipped=number, **changes)[0].wrong > 0, number


def test_small_memory_has_a_block_of_its_own():
    stage = Arrays()
    memory = apart(stage, "managed", 64)
    assert (memory.bytes, stage.arrays[memory.address].nbytes) == (64, 2**21)
    memory.release()
    assert stage.live == 0
    assert stage.arrays[apart(stage, "managed", 2**22).address].nbytes == 2**22


def test_taking_back_a_hint_of_no_advice_calls_nothing():
    stage = Arrays()
    take_back(stage, apart(stage, "managed", 64), "prefetch")
    assert stage.events == []
