"""Where things are in the repository: found by their names, so that adding a file is enough to add the thing.

Paths are relative to the directory Snakemake runs in, which is the repository.
"""

from __future__ import annotations

import os
from pathlib import Path

KERNELS = Path("kernels")
REFERENCE = Path("reports/reference")
REPORT = Path(__file__).parents[1] / "report"


def kernel_sources(experiment: str) -> list[str]:
    """A kernel file, its own headers and those that all kernel files share: what its build depends on."""
    headers = [*KERNELS.glob(f"{experiment}/*.cuh"), *KERNELS.glob("common/*.cuh")]
    return [str(KERNELS / f"{experiment}.cu"), *sorted(map(str, headers))]


def host_sources(experiment: str) -> list[str]:
    """What the host build takes besides a kernel file and the headers."""
    return sorted(map(str, [*KERNELS.glob("host/*"), *KERNELS.glob(f"{experiment}/*.cpp")]))


def recorded_runs(experiment: str) -> list[str]:
    """The directories of the recorded runs that hold an experiment."""
    return sorted(str(path.parent) for path in REFERENCE.glob(f"*/{experiment}.cases.csv"))


def figures(experiment: str) -> list[str]:
    """The figures of an experiment: the modules in its directory of `workflow/report/figures/`, in their order."""
    return [path.stem for path in sorted((REPORT / "figures" / experiment).glob("[a-z]*.py"))]


def texts(experiment: str) -> list[str]:
    """The texts of an experiment: the modules in its directory of `workflow/report/texts/`, in their order."""
    return [path.stem for path in sorted((REPORT / "texts" / experiment).glob("[a-z]*.py"))]


def openings(experiment: str) -> list[str]:
    """What opens the section of an experiment: a module of its name in `workflow/report/openings/`, if there is one."""
    return [os.path.relpath(path) for path in (REPORT / "openings").glob(f"{experiment}.py")]


def definitions(kind: str) -> list[str]:
    """The definition files of a kind, claims or advice: one per experiment, of its name."""
    return sorted(os.path.relpath(path) for path in (REPORT / kind).glob("*.yaml"))


def captions(experiment: str, figure: str) -> Path:
    """A figure's caption."""
    return REPORT / "captions" / experiment / f"{figure}.rst"
