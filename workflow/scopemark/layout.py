"""Where things are in the repository: found by their names, so that adding a file is enough to add the thing.

Paths are relative to the directory Snakemake runs in, which is the repository.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from pathlib import Path

KERNELS = Path("kernels")
REFERENCE = Path("reports/reference")
WORKFLOW = Path(__file__).parents[1]
REPORT = WORKFLOW / "report"
_IMPORT = re.compile(r"^ *from (scopemark[\w.]*) import (\([^)]*\)|.*)", re.M)


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


def script_sources(script: str, loaded: Iterable[str] = ()) -> list[str]:
    """The modules of this package that a script, or a file that it loads, imports, near or far.

    What the script makes is made again when one changes.
    """
    found: set[Path] = set()
    waiting = {WORKFLOW / "scripts" / f"{script}.py", *map(Path, loaded)}
    while waiting:
        new = _imported(waiting.pop()) - found
        found |= new
        waiting |= new
    return sorted(map(os.path.relpath, found))


@functools.cache
def _imported(file: Path) -> frozenset[Path]:
    # By its text: to parse the syntax of every module would take longer than all else that the Snakefile does.
    names = set()
    for module, imported in _IMPORT.findall(file.read_text()):
        names |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", imported))}
    paths = (WORKFLOW.joinpath(*name.split(".")).with_suffix(".py") for name in names)
    return frozenset(path for path in paths if path.exists())
