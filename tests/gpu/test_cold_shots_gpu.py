"""Cold shots on the first GPU, through the session and its workers."""

import pytest

from helpers import LIMITS
from scopemark.build import compile_cold_shots, compile_cubin, compile_library, write_instances
from scopemark.experiment import load_experiment
from scopemark.grid import expand_all, instances, instances_of
from scopemark.layout import KERNELS
from scopemark.measure.journal import Journal
from scopemark.measure.run import site_of
from scopemark.measure.session import Session
from scopemark.targets import find_gpus

pytestmark = pytest.mark.gpu

POINT = {"benchmark": "sample", "kind": "gpu", "cache": "warm", "updates": 100_000}
GRIDS = [
    {**POINT, "operation": ["add", "max"], "api": ["plain", "intrinsic"], "sampling": "cold_shots_3"},
    {**POINT, "operation": "add", "api": "intrinsic", "sampling": "single_shots_9"},
]


@pytest.fixture(scope="module")
def session(tmp_path_factory, toolchain):
    build, gpu = tmp_path_factory.mktemp("shots"), find_gpus()[0]
    experiment = load_experiment("atomic_intrinsics")
    write_instances(instances(experiment, GRIDS, "gpu"), build / "instances.inc")
    for source, list_ in (("atomic_intrinsics.cu", build / "instances.inc"), ("support.cu", None)):
        cubin = build / f"{source}bin"
        compile_cubin(toolchain, gpu.architecture, (KERNELS / source).resolve(), list_, cubin, build / "report.txt")
    compile_library([KERNELS / "support.cpp"], build / "support.so", build / "report.txt")
    cold = instances_of(experiment, GRIDS[:1], "gpu", lambda case: True)
    source = (KERNELS / "atomic_intrinsics.cu").resolve()
    compile_cold_shots(toolchain, gpu.architecture, source, cold, build / "program", build / "report.txt")
    files = {"binary": "atomic_intrinsics.cubin", "support": "support.cubin", "support_host": "support.so"}
    files["cold_shots"] = "program"
    site = site_of(experiment, gpu, {}, {name: str(build / file) for name, file in files.items()})
    cases = expand_all(experiment, GRIDS, "gpu")[0]
    hashes = {case.id: "" for case in cases}
    with (build / "log").open("w") as log:
        session = Session("test", site, cases, hashes, Journal(build / "journal"), LIMITS, log)
        session.outcomes = session.run()
    return session


def of(session, **parameters):
    """The outcome and the record of one case."""
    (case,) = [case for case in session._cases if parameters.items() <= case.parameters.items()]
    return session.outcomes[case.id], session.records[case.id]


@pytest.mark.parametrize("operation", ["add", "max"])
def test_each_of_three_processes_takes_a_shot_of_each(session, operation):
    for api in ("plain", "intrinsic"):
        status, record = of(session, operation=operation, api=api, sampling="cold_shots_3")
        assert status == ("ok", "")
        assert record.samples["session"] == [1, 2, 3]
    (later,) = set(of(session, sampling="single_shots_9")[1].samples["session"])
    assert later > 3


def test_atomics_lose_nothing_and_plain_code_does(session):
    record = of(session, operation="add", api="intrinsic", sampling="cold_shots_3")[1]
    assert record.samples["wrong"] == [0, 0, 0]
    assert record.samples["observed"] == [100_000] * 3
    assert min(of(session, operation="add", api="plain", sampling="cold_shots_3")[1].samples["wrong"]) > 0
