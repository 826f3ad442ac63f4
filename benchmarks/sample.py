"""The sample's twelve kernels by the sample itself and by scopemark's own program, run in turns: do they agree?

    python benchmarks/sample.py ./simpleAtomicIntrinsics            20 runs of each
    python benchmarks/sample.py ./simpleAtomicIntrinsics --runs 50

The sample is NVIDIA's, compiled by you for the first GPU here; one that ends after its first kernels is compared as far
as it comes. Run this in the repository's directory, where `snakemake` has measured atomic_intrinsics on that GPU. What
an H200 takes for a run that does not change drifts by a quarter within minutes: hence in turns. With
CUDA_MODULE_LOADING=EAGER both load their kernels before they launch any, which the shortest ones scatter less by.

The last column says whether the sample holds a kernel of the same machine code as ours.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from scopemark.axes import cold_shots  # noqa: E402
from scopemark.capabilities import gpu_machine  # noqa: E402
from scopemark.config import load_settings  # noqa: E402
from scopemark.experiment import load_experiment  # noqa: E402
from scopemark.grid import Case, expand_all  # noqa: E402
from scopemark.machinecode import disassemble, parse_disassembly  # noqa: E402
from scopemark.measure.cold_shots import LOADING, ColdShot, Series  # noqa: E402
from scopemark.measure.lock import exclusive  # noqa: E402
from scopemark.statistics import Interval, median_interval, ratio_interval  # noqa: E402
from scopemark.targets import find_gpus  # noqa: E402
from scopemark.toolchain import find_toolchains  # noqa: E402

EXPERIMENT = "atomic_intrinsics"
TIME = re.compile(r"\(([0-9.e+-]+) ms\)")


def sample_times(sample: Path) -> list[float]:
    """The milliseconds that a run of the sample prints, in its order. RuntimeError if it prints none."""
    done = subprocess.run([str(sample.resolve())], capture_output=True, text=True, check=True)
    times = [float(found) for found in TIME.findall(done.stdout)]
    if not times:
        raise RuntimeError(f"{sample} printed no times: it is not the sample simpleAtomicIntrinsics")
    return times


def in_turns(
    sample: Callable[[], list[float]], ours: Callable[[int], list[float]], runs: int
) -> list[tuple[list[float], list[float]]]:
    """By kernel, as many as the sample times: the milliseconds of its runs and of ours, one after the other."""
    pairs = []
    for _ in range(runs):
        theirs = sample()
        pairs.append((theirs, ours(len(theirs))))
    kernels = range(len(pairs[0][0]))
    return [([theirs[i] for theirs, _ in pairs], [own[i] for _, own in pairs]) for i in kernels]


def sample_cases() -> list[Case]:
    """The cold shots of the preset `default`: they are in the sample's order."""
    settings = load_settings(yaml.safe_load((ROOT / "config.yaml").read_text()) | {"preset": "default"})
    cases = expand_all(load_experiment(EXPERIMENT), settings.grids_on(EXPERIMENT, "gpu").values(), "gpu")[0]
    return [case for case in cases if cold_shots(case.parameters["sampling"])]


def code_hashes(program: Path, architecture: str) -> dict[str, str]:
    """What identifies the machine code of a program's kernels, by kernel. UserError if it is no CUDA program."""
    cuobjdump = find_toolchains("auto", "toolchains")[0].cuobjdump
    kernels = parse_disassembly(disassemble(cuobjdump, program, architecture))
    return {kernel: code.code_hash for kernel, code in kernels.items()}


def row(name: str, theirs: Sequence[float], ours: Sequence[float]) -> str:
    """A line of the table: the medians and their ratio, each with its 95 % interval where the runs make one."""
    own, its = median_interval(ours), median_interval(theirs)
    return f"{name:22}{_text(its):>32}{_text(own):>32}{_text(ratio_interval(own, its)):>24}"


def _text(found: Interval) -> str:
    bounds = "" if math.isnan(found.low) else f" [{found.low:.4g}, {found.high:.4g}]"
    return f"{found.value:.4g}{bounds}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", type=Path, help="the compiled sample")
    parser.add_argument("--runs", type=int, default=20, help="of each")
    options = parser.parse_args()
    if not (gpus := find_gpus()):
        parser.error("there is no GPU here")
    gpu, cases = gpus[0], sample_cases()
    programs = sorted(Path("results/build").glob(f"*/{EXPERIMENT}.sm_{gpu.architecture}.cold_shots"))
    if not programs:
        parser.error(f"results/build holds no program of {EXPERIMENT}: let snakemake measure it on {gpu.name} first")
    own_code, sample_code = (code_hashes(one, gpu.architecture) for one in (programs[-1], options.sample))
    if lacking := [case.kernel for case in cases if case.kernel not in own_code]:
        parser.error(f"{programs[-1]} holds no kernel {lacking[0]}: let snakemake measure {EXPERIMENT} again")
    same_code = [own_code[case.kernel] in sample_code.values() for case in cases]
    machine = gpu_machine(gpu.device)
    shots = [ColdShot(case.benchmark, case.parameters, case.kernel, machine) for case in cases]

    def ours(kernels: int) -> list[float]:
        return [batch.seconds[0] * 1e3 for batch in Series(programs[-1], gpu.device, shots[:kernels]).fire()]

    with exclusive(gpu.uuid):
        found = in_turns(lambda: sample_times(options.sample), ours, options.runs)
    print(f"{gpu.name}, {programs[-1]}, {LOADING}={os.environ.get(LOADING, '')}")
    print(f"milliseconds: medians of {options.runs} runs of each, in turns; with 95 % intervals, if six or more")
    print(f"{'':22}{'the sample':>32}{'scopemark':>32}{'ratio':>24}  code")
    for case, same, (theirs, own) in zip(cases, same_code, found, strict=False):
        name = f"{case.parameters['operation']} {case.parameters['api']}"
        print(f"{row(name, theirs, own)}  {'same' if same else 'differs'}")


if __name__ == "__main__":
    main()
