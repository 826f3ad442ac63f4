"""What is refused before it is done, by the attributes of a GPU that is not there."""

import pytest
import yaml

from helpers import ROOT
from scopemark.benchmark import Machine
from scopemark.experiments.unified_memory import counter
from scopemark.grid import expand
from scopemark.stage.allocators import ALLOCATORS
from scopemark.targets import usable_cpus
from stage_of_arrays import HARDWARE, LIMITED, MANAGED_ONLY, SOFTWARE
from stage_of_threads import EXPERIMENT, Threads, missing, right, taken

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


@pytest.mark.parametrize(("name", "changes", "why"), LIMITED_REFUSES)
def test_limited_support_refuses_what_the_guide_forbids(name, changes, why):
    reason = missing(name, PARADIGMS["limited"], **changes)
    assert reason.startswith("concurrent_managed_access is 0")
    assert why in reason


@pytest.mark.parametrize(("name", "changes"), LIMITED_ALLOWS)
def test_limited_support_allows_the_rest(name, changes):
    assert missing(name, PARADIGMS["limited"], **changes) is None


# Every sequence that limited support allows is walked through: the CPU must never meet a kernel.

SMALL = {"size_bytes": 65536, "pass": 2, "repeats": 2, "passes": 2, "iteration": 2, "rounds": 5, "adds": 2}
SMALL |= {"threads": 1, "host_threads": 2, "stride_bytes": 4096}


def allowed_cases():
    """The configured cases that limited support allows, made small, each kind once."""
    found = {}
    for b, p, why in reasons("limited"):
        small = {axis: min(SMALL[axis], value) if axis in SMALL else value for axis, value in p.items()}
        if why is None and not any(rule.excludes(small) for rule in b.rules):
            found[b.name, str(small)] = b.name, small
    return list(found.values())


@pytest.mark.skipif(usable_cpus() < 2, reason="two processors need two CPUs here")
@pytest.mark.parametrize("name", sorted({b.name for b, _ in CASES} - {"peer"}))  # of which its own tests take care
def test_the_cpu_never_meets_a_kernel_on_limited_support(memory_library, monkeypatch, name, tmp_path):
    monkeypatch.chdir(tmp_path)
    for constant in ("GPU_BLOCKS", "GPU_THREADS", "CPU_THREADS"):
        monkeypatch.setattr(counter, constant, 1)  # more would queue for the CPUs there are
    cases = [p for benchmark, p in allowed_cases() if benchmark == name]
    for p in cases:
        stage = Threads(memory_library, PARADIGMS["limited"], monkeypatch)
        (sample,) = taken(stage, name, n=1, **p)
        assert right([sample]) or sample.timed.discarded, p
    assert cases or name in ("range_attribute", "oversubscription", "hint_call")
