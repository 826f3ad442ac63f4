"""Passes over more managed memory than the GPU has. It is never done unless the configuration asks for it.

Machines have hung at this so that only a reboot helped, with everything else that ran on them. The guard is `skipped`:
it is asked before a worker is started, and what it refuses is never handed to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scopemark.axes import integer, number
from scopemark.benchmark import Machine, Parameters
from scopemark.experiments.unified_memory.common import CPU_RULE, GIB
from scopemark.experiments.unified_memory.words import UNIT, WORD, expected_sum
from scopemark.measure.backend import Unsupported
from scopemark.procedure import Measured, Procedure, checked
from scopemark.stage import Stage
from scopemark.stage.allocators import no_memory
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

LIMIT = "oversubscription_limit"  # the key of the configuration's `measure`
MOST = 1.25  # times the GPU's memory, whatever is asked for; the schema of the configuration says so too
HAZARD = (
    "filling a GPU's memory with managed memory and going beyond it has hung drivers until the machine was rebooted "
    "(open-gpu-kernel-modules, issues 968 and 1223)"
)
PIECE = GIB
HOST_FILES = ("/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
RESERVE = 8 * GIB  # of the host's memory, that stays free


def allowed(factor: float, limits: Mapping[str, float]) -> bool:
    """Whether the configuration's opt-in covers a factor."""
    return factor <= min(limits.get(LIMIT, 0), MOST)


def free_host_bytes(meminfo: str, most: str, used: str) -> int:
    """What the host can give: of /proc/meminfo, and of the control group's limit and use, as their files have them."""
    (kib,) = (line.split()[1] for line in meminfo.splitlines() if line.startswith("MemAvailable:"))
    of_group = [int(most) - int(used)] if most.strip().isdigit() and used.strip().isdigit() else []
    return min([int(kib) * 1024, *of_group])


def _text(path: str) -> str:
    return Path(path).read_text() if Path(path).exists() else ""


def no_room(bytes: int, device_bytes: int, host_bytes: int) -> str | None:
    """Why the host has no room for what does not fit the GPU, or None."""
    needed = max(0, bytes - device_bytes) + RESERVE
    if needed <= host_bytes:
        return None
    return f"needs {needed / GIB:.0f} GiB of the host's memory for what does not fit; {host_bytes / GIB:.0f} are free"


def _missing(p: Parameters, machine: Machine) -> str | None:
    if not machine.attributes.get("concurrent_managed_access"):
        return "concurrent_managed_access is 0: there is no more managed memory than the GPU has"
    return no_memory("managed", PIECE, machine)


def _run(p: Parameters, stage: Stage) -> Iterator[Measured]:
    from scopemark.stage import calls

    _, device_bytes = calls.call("cudaMemGetInfo")
    bytes = int(p["factor"] * device_bytes) // PIECE * PIECE
    host_bytes = free_host_bytes(*map(_text, HOST_FILES))
    if (reason := no_room(bytes, device_bytes, host_bytes)) is not None:
        raise Unsupported(reason)
    units = PIECE // UNIT
    while True:
        # In pieces, each a sum that 64 bits hold; populated by the GPU in the order of the passes.
        pieces: list[Memory] = []
        for _ in range(bytes // PIECE):
            pieces.append(stage.allocate("managed", PIECE))
            stage.launch("write_dense", pieces[-1], units, 1, items=units)
        stage.synchronize()

        def sweep(pieces: list[Memory] = pieces) -> None:
            for piece in pieces:
                stage.launch("read_dense", piece, units, OUT, items=units)
            stage.synchronize()

        for _ in range(p["pass"]):
            stage.clear_out()
            stage.synchronize()
            timed = stage.clocked(sweep)
        observed = stage.read_out()[0]
        for piece in pieces:
            piece.release()
        yield checked(timed, observed, len(pieces) * expected_sum(PIECE // WORD, 1, 1))


@dataclass(frozen=True, kw_only=True)
class _Oversubscription(Procedure):
    last = True
    warning = HAZARD

    def skipped(self, p: Parameters, limits: Mapping[str, float]) -> str | None:
        if allowed(p["factor"], limits):
            return None
        return f"not without measure.{LIMIT} in the configuration, which is {limits.get(LIMIT, 0):g}: {HAZARD}"


OVERSUBSCRIPTION = _Oversubscription(
    name="oversubscription",
    axes=(
        number("factor", 1.125, 0.5, MOST, "managed memory over the GPU's memory"),
        integer("pass", 1, 1, 4, "which reading of all of it is timed, after the GPU has written it"),
    ),
    rules=(CPU_RULE,),
    run=_run,
    uses=lambda p: ("read_dense", "write_dense"),
    times=lambda p: "read_dense",
    missing=_missing,
    operations=lambda p: 1,
    held_bytes=lambda p: 0,
)
