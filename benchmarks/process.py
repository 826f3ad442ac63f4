"""Running a command, and what it cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Cost:
    """seconds: wall time. cpu_seconds: of the command and its children, which a busy machine changes less.
    peak_bytes: the most memory that they held at once."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    output: str


def run(command: Sequence[str], tree: Path) -> Cost:
    """Run a command in a copy of the repository; RuntimeError with the end of its output if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "workflow"), "SCOPEMARK_LOCKS": str(tree / "locks")}
    log = tree / "benchmark.log"
    with log.open("w") as output:
        start, used = time.perf_counter(), _cpu_seconds()
        process = subprocess.Popen(command, cwd=tree, env=environment, stdout=output, stderr=subprocess.STDOUT)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(0.02)
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{log.read_text()[-3000:]}")
    return Cost(seconds, _cpu_seconds() - used, peak, log.read_text())


def snakemake(tree: Path, *arguments: str) -> Cost:
    """Run Snakemake in a copy of the repository."""
    return run([sys.executable, "-m", "snakemake", *arguments], tree)


def python(tree: Path, code: str, *arguments: str) -> Cost:
    """Run Python code in a copy of the repository, with the package to import."""
    return run([sys.executable, "-c", code, *arguments], tree)


def _cpu_seconds() -> float:
    """Of all processes that this one started and has waited for, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _resident(pid: int) -> int:
    """The memory of a process and of all that it started; what is shared counts once per process."""
    total = 0
    try:
        parent = psutil.Process(pid)
        for process in [parent, *parent.children(recursive=True)]:
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
    except psutil.NoSuchProcess:
        return total
    return total
