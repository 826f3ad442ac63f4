"""Both processors, threads and processes at the same memory of a GPU: every configured kind of case, once."""

from itertools import islice

import pytest
import yaml

from helpers import ROOT
from scopemark.experiment import load_experiment
from scopemark.grid import expand
from scopemark.measure.backend import Unsupported
from scopemark.measure.rehearsal import StageBackend

pytestmark = pytest.mark.gpu

EXPERIMENT = load_experiment("unified_memory")
BLOCK = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]["unified_memory"]
TOGETHER = ("counter", "signal", "attachment", "overlap", "sharing", "peer")
CASES = [
    (grid, case)
    for grid in BLOCK["presets"]["default"]
    if BLOCK["grids"][grid]["benchmark"] in TOGETHER  # oversubscription is not: no test ever runs it
    for case in expand(EXPERIMENT, BLOCK["grids"][grid], "gpu")[0]
]


@pytest.fixture(scope="module")
def backend(gpu_stage):
    return StageBackend(gpu_stage)


def label(value):
    return value if isinstance(value, str) else "-".join(str(v) for v in islice(value.parameters.values(), 3))


@pytest.mark.parametrize(("grid", "case"), CASES, ids=label)
def test_it_ends_and_is_right_where_that_is_promised(backend, grid, case):
    from cupy.cuda import runtime

    device = runtime.getDevice()
    if (reason := case.benchmark.lacking(case.parameters, backend.machine)) is not None:
        with pytest.raises(Unsupported, match=reason.split(":")[0]):
            backend.prepare(case.benchmark, case.parameters, case.kernel)
        return
    prepared = backend.prepare(case.benchmark, case.parameters, case.kernel)
    try:
        batch = backend.sample(prepared, 0, 2, False)
    finally:
        prepared.close()
    print(case.parameters, batch.seconds, batch.observed, batch.expected, batch.note)
    assert runtime.getDevice() == device
    if case.benchmark.exact(case.parameters, backend.machine):
        assert batch.wrong == [0, 0], batch.note
        assert all(seconds > 0 for seconds in batch.seconds)
        assert not any(batch.discarded)
