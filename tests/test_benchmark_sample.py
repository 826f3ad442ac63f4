"""The comparison with the sample itself: what it prints, in turns with ours."""

import importlib.util
import re

import pytest

from helpers import ROOT
from scopemark.build import compile_cubin

spec = importlib.util.spec_from_file_location("benchmark_sample", ROOT / "benchmarks/sample.py")
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_times_are_those_that_the_sample_prints(tmp_path):
    lines = ["[add] expected: every element = 100000", "non-atomic                 (0.57 ms): { 11 12 }"]
    lines += ["atomicAdd()         (1.7e-01 ms): { 100000 }", "[CAS] …", "atomicCAS()    (1328 ms): { 1 }"]
    sample = program(tmp_path / "sample", "\n".join(f"echo '{line}'" for line in lines))
    assert benchmark.sample_times(sample) == [0.57, 0.17, 1328.0]


def test_another_program_is_told_from_the_sample(tmp_path):
    with pytest.raises(RuntimeError, match="printed no times: it is not the sample"):
        benchmark.sample_times(program(tmp_path / "other", "echo done"))


def test_they_run_in_turns_and_as_far_as_the_sample_comes():
    asked = []

    def sample():
        asked.append("sample")
        return [1.0, 2.0 * len(asked)]

    def ours(kernels):
        asked.append(f"ours, {kernels}")
        return [3.0, 4.0]

    found = benchmark.in_turns(sample, ours, 2)
    assert asked == ["sample", "ours, 2", "sample", "ours, 2"]
    assert found == [([1.0, 1.0], [3.0, 3.0]), ([2.0, 6.0], [4.0, 4.0])]


def test_a_row_has_medians_and_their_ratio():
    assert benchmark.row("add plain", [1.0, 2.0, 3.0], [1.0, 3.0, 5.0]).split() == ["add", "plain", "2", "3", "1.5"]


def test_six_runs_give_each_an_interval():
    """Six make one from the least to the most; as ours do not vary, the ratio has the sample's."""
    cells = benchmark.row("add plain", [1.0, 2.0, 2.0, 2.0, 2.0, 4.0], [3.0] * 6).split(maxsplit=2)[-1]
    assert re.sub(" +", " ", cells) == "2 [1, 4] 3 [3, 3] 1.5 [0.75, 3]"


def test_kernels_of_the_same_machine_code_are_known_by_it(toolchain, tmp_path):
    source, program = tmp_path / "kernels.cu", tmp_path / "kernels.cubin"
    sum_ = "(int* total) { atomicAdd(total, 1); }"
    kernels = [f"theirs{sum_}", f"ours{sum_}", f"another{sum_.replace('1', '2')}"]
    source.write_text("\n".join(f'extern "C" __global__ void {kernel}' for kernel in kernels))
    compile_cubin(toolchain, "90", source, None, program, tmp_path / "report.txt")
    found = benchmark.code_hashes(program, "90")
    assert found["theirs"] == found["ours"] != found["another"]


def test_the_kernels_are_the_samples_in_its_order():
    cases = [(case.parameters["operation"], case.parameters["api"]) for case in benchmark.sample_cases()]
    ways = ["plain", "intrinsic", "std_atomic_ref", "atomic_ref"]
    assert cases == [(operation, api) for operation in ("add", "max", "cas") for api in ways]
