"""Which cases of the benchmarks of hints there are: on which machines, and in which of the configured grids."""

import pytest

from scopemark.benchmark import Machine
from scopemark.experiment import load_experiment
from scopemark.grid import check_grid, expand
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY, SOFTWARE

EXPERIMENT = load_experiment("unified_memory")


def parameters(name, **changes):
    benchmark = EXPERIMENT.benchmark(name)
    chosen = {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"}
    chosen |= changes
    assert not [rule.reason for rule in benchmark.rules if rule.excludes(chosen)]
    return benchmark, chosen


def missing(name, attributes, **changes):
    benchmark, chosen = parameters(name, **changes)
    return benchmark.missing(chosen, Machine("gpu", 132, 0, 90, attributes))


def test_without_concurrent_access_there_are_no_hints_but_the_same_work():
    assert missing("hint", LIMITED, hint="none") is None
    assert missing("ping_pong", LIMITED, hint="none") is None
    assert missing("read_mostly", LIMITED, hint="none") is None
    reason = "concurrent_managed_access is 0: there are no hints"
    for name, changes in [
        ("hint", {"hint": "prefetch"}),
        ("hint", {"hint": "read_mostly"}),
        ("ping_pong", {"hint": "preferred_gpu"}),
        ("read_mostly", {"hint": "read_mostly"}),
        ("hint_call", {"call": "prefetch_to_host"}),
        ("range_attribute", {"setting": "nothing"}),
    ]:
        assert missing(name, LIMITED, **changes) == reason
        for attributes in (MANAGED_ONLY, SOFTWARE, HARDWARE):
            assert missing(name, attributes, **changes) is None
        assert missing(name, {}, **changes) == "cudaMallocManaged: managed_memory is 0"


def test_system_memory_goes_back_and_forth_where_kernels_may_touch_it():
    for hint in ("none", "prefetch"):
        reason = missing("ping_pong", MANAGED_ONLY, allocator="malloc", hint=hint)
        assert reason == "pageable_memory_access is 0: a kernel must not be given malloc memory"
        assert missing("ping_pong", SOFTWARE, allocator="malloc", hint=hint) is None


def test_memory_that_does_not_migrate_is_not_tried():
    benchmark = EXPERIMENT.benchmark("ping_pong")
    allocators = next(axis for axis in benchmark.axes if axis.name == "allocator")
    assert allocators.accepts("memfd")
    assert not any(allocators.accepts(name) for name in ("device", "pinned", "managed_variable", "static"))


@pytest.mark.parametrize("name", ["hint", "ping_pong", "read_mostly", "hint_call", "range_attribute"])
def test_a_cpu_target_has_no_such_case(name):
    benchmark, chosen = parameters(name)
    assert any(rule.excludes(chosen | {"target_kind": "cpu"}) for rule in benchmark.rules)


@pytest.mark.parametrize("name", ["hint", "ping_pong", "read_mostly"])
def test_what_is_timed_is_a_kernel_that_is_used(name):
    benchmark, chosen = parameters(name)
    axis = next(axis for axis in benchmark.axes if axis.name in ("workload", "step", "iteration"))
    values = [1] if axis.name == "iteration" else axis.accepted.removeprefix("one of ").split(", ")
    for value in values:
        assert benchmark.times(chosen | {axis.name: value}) in benchmark.uses(chosen)


DEFAULT = {
    "ping_pong": 5 * 7,
    "ping_pong_far": 3 * 4,
    "hints": 12 * 2,
    "hints_updated": 10,
    "hints_in_turns": 12,
    "hints_exchanged": 10,
    "hints_misused": 3,
    "hints_misused_in_turns": 2,
    "hints_reused": 3 * 2,
    "read_mostly": 2 * 6,
    "hint_calls": 11 * 2,
    "range_attributes": 8,
}
WIDE = {
    "ping_pong_wide": 5 * 3 * 3 * 13,
    "hints_wide": 12 * 5 * 2,
    "read_mostly_wide": 2 * 6 * 2,
    "hint_calls_wide": 66,
}


def test_the_configured_grids(configuration):
    block = configuration["experiments"]["unified_memory"]
    for name, cases in (DEFAULT | WIDE).items():
        check_grid(EXPERIMENT, block["grids"][name], name)
        expanded, excluded = expand(EXPERIMENT, block["grids"][name], "gpu")
        assert (len(expanded), sum(excluded.values())) == (cases, 0), name
        most = 2**26 if name in DEFAULT else 2**28
        assert all(case.parameters.get("size_bytes", 0) <= most for case in expanded)
    hints = [name for name in DEFAULT if name.startswith("hints") and name != "hints_reused"]
    points = [case.parameters for name in hints for case in expand(EXPERIMENT, block["grids"][name], "gpu")[0]]
    assert len({(p["hint"], p["workload"]) for p in points}) == 12 * 5  # every hint for every workload
    assert len({(p["hint"], p["workload"], p["size_bytes"]) for p in points}) == len(points)
    # And what a hint's gain is reckoned against, at every size.
    sizes = {(p["workload"], p["size_bytes"]) for p in points if "read_mostly" in p["hint"]}
    assert sizes <= {(p["workload"], p["size_bytes"]) for p in points if p["hint"] == "none"}
    presets = {name: set(grids) for name, grids in block["presets"].items()}
    assert presets["default"] >= DEFAULT.keys()
    assert presets["full"] >= DEFAULT.keys() | WIDE.keys()
    assert not presets["quick"] & (DEFAULT | WIDE).keys()
    assert not presets["default"] & WIDE.keys()
