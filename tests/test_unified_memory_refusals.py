"""What is refused before it is done, by the attributes of a GPU that is not there; and what is never done unasked."""

import io

import pytest
import yaml

from helpers import ROOT
from scopemark.benchmark import Machine
from scopemark.config import load_settings
from scopemark.errors import UserError
from scopemark.experiment import load_experiment
from scopemark.experiments.unified_memory import oversubscription
from scopemark.experiments.unified_memory.oversubscription import GIB, free_host_bytes, no_room
from scopemark.grid import expand
from scopemark.measure import session as session_module
from scopemark.measure.journal import Journal
from scopemark.measure.session import Session, Site
from scopemark.stage.allocators import ALLOCATORS
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY, SOFTWARE

EXPERIMENT = load_experiment("unified_memory")
BLOCK = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]["unified_memory"]
ALL = {"memory_pools_supported": 1, "host_register_supported": 1, "gpus": 2}
NATIVE = {"host_native_atomic_supported": 1}
PARADIGMS = {
    "limited": LIMITED | ALL,
    "managed only": MANAGED_ONLY | ALL,
    "HMM": SOFTWARE | ALL,
    "ATS": HARDWARE | NATIVE | ALL,
}
CASES = [
    (case.benchmark, case.parameters) for grid in BLOCK["grids"].values() for case in expand(EXPERIMENT, grid, "gpu")[0]
]


def reasons(paradigm, chosen=lambda benchmark, p: True):
    """(benchmark, parameters, why it is not run or None) of the configured cases that are chosen."""
    machine = Machine("gpu", 132, 0, 90, PARADIGMS[paradigm])
    found = [(b, p, b.lacking(p, machine)) for b, p in CASES if chosen(b, p)]
    assert found
    return found


def families(p):
    """The families of memory that a case's parameters name."""
    named = (str(value) for axis, value in p.items() if axis != "attach")  # whose "global" is no variable
    return {ALLOCATORS[value].family for value in named if value in ALLOCATORS}


def needs_gpu(b, p):
    """Whether a kernel is given the memory: of the others, one only allocates, and the rest say who touches it."""
    touching = {p.get("processor"), p.get("origin"), *{"both": ("gpu",), "gpu": ("gpu",)}.get(p.get("parties"), ())}
    alone = b.name == "access" or b.name == "sharing" or (b.name == "counter" and p["parties"] == "cpu")
    return b.name not in ("allocation", "copy") and ("gpu" in touching or not alone)


def test_no_system_memory_reaches_a_kernel_where_the_gpu_cannot_page():
    for paradigm in ("managed only", "limited"):
        for b, p, why in reasons(paradigm, lambda b, p: "system" in families(p) and needs_gpu(b, p)):
            assert why, (b.name, p)
            assert "pageable_memory_access is 0" in why or "NUMA node" in why or "there are" in why, (b.name, p, why)


def test_every_benchmark_of_allocators_says_so_of_malloc():
    for b in EXPERIMENT.benchmarks:
        for axis in b.axes:
            if b.name == "allocation" or not (axis.accepts("malloc") and axis.accepts("managed")):
                continue
            p = {one.name: one.default for one in b.all_axes} | {"target_kind": "gpu", axis.name: "malloc"}
            why = b.lacking(p, Machine("gpu", 132, 0, 90, PARADIGMS["managed only"]))
            assert "pageable_memory_access is 0" in why, (b.name, p)


@pytest.mark.parametrize("paradigm", ["HMM", "ATS"])
def test_a_gpu_that_pages_may_have_all_system_memory_but_a_files_for_atomics(paradigm):
    for b, p, why in reasons(paradigm, lambda b, p: families(p) == {"system"}):
        if why is None or "there are" in why:  # of a variable there is only so much
            continue
        if paradigm == "HMM" and "NUMA node" in why:
            continue
        assert paradigm == "HMM", (b.name, p, why)
        assert why.startswith("host_native_atomic_supported is 0"), (b.name, p, why)


HINTS = ("prefetch", "preferred", "accessed", "read_mostly", "SetPreferred")


def test_limited_support_has_no_hints():
    def hinted(b, p):
        return any(word in str(value) for value in p.values() for word in HINTS)

    for b, p, why in reasons("limited", hinted):
        assert why, (b.name, p)
        assert "concurrent_managed_access is 0" in why or "pageable_memory_access is 0" in why, (b.name, p, why)
    for b, p, why in reasons("managed only", hinted):
        assert "concurrent_managed_access" not in (why or ""), (b.name, p)


LIMITED_REFUSES = [
    ("counter", {"parties": "both"}, "the CPU must not touch managed memory while a kernel runs"),
    ("signal", {}, "the CPU must not touch managed memory while a kernel runs"),
    ("attachment", {"attach": "global", "host_threads": 2}, "attached to no stream"),
    ("overlap", {"pair": "kernel_prefetch"}, "there are no hints"),
    ("overlap", {"pair": "prefetch_order"}, "there are no hints"),
    ("peer", {"way": "preferred_other"}, "there are no hints"),
    ("peer", {"way": "system_atomics"}, "not promised"),
    ("oversubscription", {}, "no more managed memory than the GPU has"),
]
LIMITED_ALLOWS = [
    ("counter", {"parties": "gpu"}),
    ("counter", {"parties": "cpu"}),
    ("counter", {"parties": "both", "allocator": "pinned"}),
    ("signal", {"allocator": "pinned"}),
    ("attachment", {"attach": "global"}),
    ("attachment", {"attach": "single", "host_threads": 4}),
    ("attachment", {"attach": "host_then_single", "host_threads": 4}),
    ("overlap", {"pair": "kernel_copy"}),
    ("sharing", {"memory": "managed_ipc", "processor": "gpu"}),
    ("peer", {"way": "managed_both"}),
]


def limited(name, changes):
    benchmark = EXPERIMENT.benchmark(name)
    p = {axis.name: axis.default for axis in benchmark.all_axes} | {"target_kind": "gpu"} | changes
    return benchmark.lacking(p, Machine("gpu", 132, 0, 90, PARADIGMS["limited"]))


@pytest.mark.parametrize(("name", "changes", "why"), LIMITED_REFUSES)
def test_limited_support_refuses_what_the_guide_forbids(name, changes, why):
    reason = limited(name, changes)
    assert reason.startswith("concurrent_managed_access is 0")
    assert why in reason


@pytest.mark.parametrize(("name", "changes"), LIMITED_ALLOWS)
def test_limited_support_allows_the_rest(name, changes):
    assert limited(name, changes) is None


# More memory than there is.


class Started(Exception):
    """A worker was started."""


def run(monkeypatch, tmp_path, limits, grid):
    """A session of the grid in which no worker can be started; what it gives and what it logs."""

    def child(opening, log):
        raise Started

    monkeypatch.setattr(session_module, "Child", child)
    cases = expand(
        EXPERIMENT, {"benchmark": "oversubscription", "kind": "gpu", "sampling": "best_of_3", **grid}, "gpu"
    )[0]
    site = Site({"binary": "none"}, {"name": "gpu"}, Machine("gpu", 132, 0, 90, PARADIGMS["managed only"]))
    log = io.StringIO()
    limits = {"budget_seconds": 1, "minimum_samples": 6, "timeout_seconds": 1, **limits}
    hashes = {case.id: "code" for case in cases}
    session = Session("oversubscription", site, cases, hashes, Journal(tmp_path / "journal"), limits, log)
    outcomes = session.run()
    return [(case.parameters["factor"], *outcomes[case.id]) for case in cases], log.getvalue()


@pytest.mark.parametrize("limits", [{}, {"oversubscription_limit": 0}, {"oversubscription_limit": 0.5}])
def test_nothing_is_oversubscribed_unasked(monkeypatch, tmp_path, limits):
    outcomes, log = run(monkeypatch, tmp_path, limits, {"factor": [0.875, 1.125, 1.25], "pass": [1, 2]})
    assert [(factor, status) for factor, status, _ in outcomes] == [
        (factor, "skipped") for factor in (0.875, 1.125, 1.25) for _ in (1, 2)
    ]
    assert all("measure.oversubscription_limit" in why for *_, why in outcomes)
    assert all("hung drivers until the machine was rebooted" in why for *_, why in outcomes)
    assert "warning" not in log
    assert not (tmp_path / "journal").exists()


def test_beyond_the_limit_is_skipped_and_within_it_a_worker_is_asked_after_a_warning(monkeypatch, tmp_path, capsys):
    outcomes, _ = run(monkeypatch, tmp_path, {"oversubscription_limit": 1.1}, {"factor": [1.125, 1.25]})
    assert {status for _, status, _ in outcomes} == {"skipped"}
    with pytest.raises(Started):
        run(monkeypatch, tmp_path, {"oversubscription_limit": 1.125}, {"factor": [1.125, 1.25]})
    assert "rebooted" in capsys.readouterr().err
    # Whatever is asked for, by a way around the schema: never beyond the bound.
    assert not oversubscription.allowed(1.3, {"oversubscription_limit": 10})


@pytest.mark.parametrize("value", [-1, 1.26, 2, "much"])
def test_the_limit_has_a_limit(configuration, value, monkeypatch):
    configuration["measure"]["oversubscription_limit"] = value
    with pytest.raises(UserError, match=r"measure.oversubscription_limit: .* accepted: a number from 0 to 1.25"):
        load_settings(configuration)
    configuration["measure"]["oversubscription_limit"] = 1.25
    assert load_settings(configuration).measure["oversubscription_limit"] == 1.25


def test_it_is_off_and_in_the_full_preset_alone():
    configuration = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert configuration["measure"]["oversubscription_limit"] == 0
    assert not any("oversubscription_limit" in preset for preset in configuration["presets"].values())
    assert [name for name, grids in BLOCK["presets"].items() if "oversubscription" in grids] == ["full"]
    assert BLOCK["presets"]["full"][-1] == "oversubscription"


def test_the_host_must_have_room_for_what_does_not_fit():
    assert no_room(150 * GIB, 140 * GIB, 18 * GIB) is None
    assert no_room(150 * GIB, 140 * GIB, 17 * GIB) == (
        "needs 18 GiB of the host's memory for what does not fit; 17 are free"
    )
    assert no_room(100 * GIB, 140 * GIB, 8 * GIB) is None
    assert free_host_bytes("MemTotal: 9 kB\nMemAvailable:   2048 kB\n") == 2 * 2**20
