"""The guide's table of allocators, every cell of it measured: from the rows of one machine to a row per allocator.

Where memory lies is told by how fast a kernel goes over it: like cudaMalloc's memory, or like pinned memory, which it
reaches over the link. That the CPU has to fetch it is told by its page faults.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scopemark.canaries import ABSENT, FAILED, HELD, NOT_SENT, canaries
from scopemark.paradigm import HARDWARE_COHERENT, LIMITED, NONE, SOFTWARE_COHERENT, paradigm
from scopemark.quantities import USABLE, bandwidth, plain
from scopemark.report.format import fact
from scopemark.stage.allocators import ALLOCATORS

Row = Mapping[str, Any]
YES, NO, NOT_TRIED, ON_CPU, ON_GPU = "yes", "no", "not tried", "CPU", "GPU"
COLUMNS = ("after the CPU's touch", "after a kernel's", "CPU", "GPU", "migrates")
"""The columns that the guide has too."""


@dataclass(frozen=True)
class Cell:
    """What was found, and what the guide says; None where it was not measured, or where the guide says nothing."""

    found: str | None
    guide: str | None

    @property
    def agrees(self) -> bool | None:
        """None where there is nothing to compare: what was not tried is no evidence."""
        return None if {None, NOT_TRIED} & {self.found, self.guide} else self.found == self.guide


class Measured:
    """The rows of one machine, as the table asks for them."""

    def __init__(self, rows: Iterable[Row], machine: Mapping[str, Any]):
        rows = list(rows)
        self.machine = machine
        self._access: dict[tuple, Row] = {}
        sizes: dict[int, set[str]] = defaultdict(set)
        for row in rows:
            if row["benchmark"] == "access" and plain(row["threads"]) == 1:
                self._access[_key(row)] = row
                if row["pattern"] == "sequential" and row["stride_bytes"] == 4 and row["status"] in USABLE:
                    sizes[row["size_bytes"]].add(row["allocator"])
        self.size_bytes = max(sizes, key=lambda size: (len(sizes[size]), size), default=None)
        """The size at which most allocators were measured."""
        self._canaries = {}
        if machine["kind"] == "gpu":
            sent = [row for row in rows if row["benchmark"] == "canary" and row["access"] == "read"]
            self._canaries = {one.row["allocator"]: one.outcome for one in canaries(sent, machine["gpu"])}
        self._calls = {
            (row["allocator"], row["size_bytes"], row["call"]): row
            for row in rows
            if row["benchmark"] == "allocation" and row["status"] in USABLE
        }
        self._peers = {row["way"]: row for row in rows if row["benchmark"] == "peer"}

    @property
    def allocators(self) -> list[str]:
        """Those that give memory here, in the order in which they are declared."""
        used = {row["allocator"] for row in self._access.values() if row["status"] in USABLE}
        sent = {name for name, outcome in self._canaries.items() if outcome != ABSENT}
        known = used | sent | {name for name, _, _ in self._calls}
        return [name for name in ALLOCATORS if name in known]

    def access(self, allocator: str, processor: str, origin: str, operation: str, number: int) -> Row | None:
        """The case of pass `number`; None unless it was measured."""
        row = self._access.get((allocator, self.size_bytes, processor, operation, origin, number, "sequential", 4))
        return row if row is not None and row["status"] in USABLE else None

    def rate(self, allocator: str, processor: str, origin: str, operation: str, number: int) -> float | None:
        """Bytes per second of a pass."""
        row = self.access(allocator, processor, origin, operation, number)
        found = bandwidth(row) if row is not None else None
        return found.value if found else None

    @property
    def random_bytes(self) -> int | None:
        """The largest size that was read at random places."""
        return max((key[1] for key in self._access if key[6] == "random"), default=None)

    def random(self, allocator: str, processor: str, stride_bytes: int) -> float | None:
        """Random reads per second, a word from each granule of that size, in memory that was gone over before: if there
        is a choice, that the processor itself has written."""
        rows = [
            row
            for key, row in sorted(self._access.items(), key=lambda item: item[0][4] == processor)
            if (key[0], key[2], key[5], key[7]) == (allocator, processor, 2, stride_bytes)
            and (key[6], key[1]) == ("random", self.random_bytes)
            and row["status"] in USABLE
        ]
        return float(rows[-1]["operations_per_second"]) if rows else None

    @property
    def sizes_of_calls(self) -> list[int]:
        """The smallest and the largest size that was allocated."""
        sizes = sorted({size for _, size, _ in self._calls})
        return sizes if len(sizes) < 3 else [sizes[0], sizes[-1]]

    def call_seconds(self, allocator: str, size_bytes: int, call: str) -> float | None:
        row = self._calls.get((allocator, size_bytes, call))
        return float(row["median_seconds"]) if row is not None else None

    # The cells that the guide has too.

    def near(self, allocator: str, origin: str, number: int) -> bool | None:
        """Whether a kernel's read goes at the speed of the GPU's own memory rather than at the link's: by which of the
        two is nearer on a logarithmic scale. None where one of them was not measured."""
        rate = self.rate(allocator, "gpu", origin, "read", number)
        own, link = self.rate("device", "gpu", "gpu", "read", 2), self.rate("pinned", "gpu", "cpu", "read", 2)
        return None if None in (rate, own, link) else rate > math.sqrt(own * link)

    def placed(self, allocator: str, toucher: str) -> str | None:
        """With whom memory lies after its first touch."""
        near = self.near(allocator, toucher, 1)
        if near is not None:
            return ON_GPU if near else ON_CPU
        # What a kernel must not reach is the CPU's.
        alone = self.reachable(allocator, "gpu") == NOT_TRIED and self.reachable(allocator, "cpu") == YES
        return ON_CPU if alone and toucher == "cpu" else None

    def reachable(self, allocator: str, processor: str) -> str | None:
        """yes, failed, or not tried where nothing promises it: by the canaries and by what was measured."""
        if processor == "gpu" and allocator in self._canaries:
            return {HELD: YES, NOT_SENT: NOT_TRIED, FAILED: FAILED}.get(self._canaries[allocator])
        rows = [row for key, row in self._access.items() if (key[0], key[2]) == (allocator, processor)]
        # What it may touch is seen from what it touched first: the other's touch may be what is impossible.
        own = [row for row in rows if row["origin"] == processor] or rows
        if not own:
            return None
        if any(row["status"] in USABLE for row in own):
            return YES
        return NOT_TRIED if any(row["status"] == "unsupported" for row in own) else FAILED

    def migrates(self, allocator: str) -> str | None:
        """yes: to whoever touches it; no; or to which of the two. None unless both processors can be followed."""
        first, second = (self.near(allocator, "cpu", number) for number in (1, 2))
        faults = [self._faults(allocator, number) for number in (1, 2)]
        if None in (first, second, *faults):
            return None
        to_gpu, to_cpu = second and not first, faults[0] > 0 and faults[1] == 0
        if to_gpu == to_cpu:
            return YES if to_gpu else NO
        return "to the GPU" if to_gpu else "to the CPU"

    def _faults(self, allocator: str, number: int) -> float | None:
        """The major page faults of the CPU's pass over memory that a kernel has touched."""
        row = self.access(allocator, "cpu", "gpu", "read", number)
        return plain(row.get("major_faults_median")) if row is not None else None

    def pages(self, allocator: str) -> str | None:
        """The size of its pages as the CPU sees them, by the largest piece of it that was looked at: a small one has no
        room for a huge page."""
        told = {}
        for row in self._access.values():
            found = re.match(r"pages of (\d+) KiB, (\d+) KiB in huge ones", plain(row.get("note")) or "")
            if row["allocator"] == allocator and found:
                told[row["size_bytes"]] = f"{found[1]} KiB", 1024 * int(found[2]) / row["size_bytes"]
        if not told:
            return None
        size, huge = told[max(told)]
        huge_bytes = self.machine.get("memory", {}).get("transparent_huge_page_bytes") or 0
        if huge:
            pages = "huge pages" + (f" of {fact('bytes', huge_bytes)}" if huge_bytes else "")
            share = f"{min(1, huge):.0%}"
            return pages if share == "100%" else f"{share} in {pages}, the rest {size}"
        no_room = max(told) < huge_bytes
        return f"{size}, too small for a huge page" if allocator == "mmap_huge" and no_room else size

    def fault_bytes(self, allocator: str) -> float | None:
        """What one page fault of the CPU brings over on average; None where it takes none, or nobody looked."""
        faults = self._faults(allocator, 1)
        return self.size_bytes / faults if faults else None

    def first_writes(self, allocator: str) -> tuple[int, list[float]] | None:
        """The largest memory that nobody had touched before a CPU wrote it, and the bytes per second of its passes."""
        rows = [
            row
            for key, row in sorted(self._access.items(), key=lambda item: item[0][5])
            if (key[0], *key[2:5]) == (allocator, "cpu", "write", "nobody") and row["status"] in USABLE
        ]
        size = max((row["size_bytes"] for row in rows), default=None)
        rates = [bandwidth(row) for row in rows if row["size_bytes"] == size]
        return (size, [rate.value for rate in rates if rate]) if size else None

    def peer(self, allocator: str) -> str | None:
        """Whether another GPU reaches it: yes, no, one GPU; None where it was not tried."""
        row = self._peers.get({"device": "peer_read", "managed": "managed_both"}.get(allocator))
        if row is None:
            return None
        if row["status"] == "unsupported":
            return "one GPU" if "two GPUs" in (plain(row["reason"]) or "") else NO
        return YES if row["status"] in USABLE else row["status"]

    def cells(self, allocator: str) -> dict[str, Cell]:
        """COLUMNS to what was found and what the guide says."""
        found = (
            self.placed(allocator, "cpu"),
            self.placed(allocator, "gpu"),
            self.reachable(allocator, "cpu"),
            self.reachable(allocator, "gpu"),
            self.migrates(allocator),
        )
        told = in_guide(allocator, self.machine)
        return {name: Cell(one, told.get(name)) for name, one in zip(COLUMNS, found, strict=True)}


def in_guide(allocator: str, machine: Mapping[str, Any]) -> dict[str, str]:
    """What the guide says of an allocator on a machine of this paradigm; COLUMNS that it leaves open are not there."""
    if machine["kind"] != "gpu" or (named := paradigm(machine["gpu"])) is None:
        return {}
    made = ALLOCATORS[allocator]
    pages = named in (SOFTWARE_COHERENT, HARDWARE_COHERENT)
    if made.family == "system" and not pages:
        return dict(zip(COLUMNS[2:4], (YES, NO), strict=True))
    if made.family == "managed" and named in (NONE, LIMITED):
        return {}
    first_touch = (ON_CPU, ON_GPU, YES, YES, YES)
    told = {
        "device": (ON_GPU, ON_GPU, NO, YES, NO),
        "pinned": (ON_CPU, ON_CPU, YES, YES, NO),
        "managed": first_touch,
        "system": (ON_CPU, ON_CPU, YES, YES, NO) if made.shared else first_touch,
    }[made.family]
    if allocator == "numa_gpu":
        told = (ON_GPU, ON_GPU, YES, YES, NO)
    return dict(zip(COLUMNS, told, strict=True))


def _key(row: Row) -> tuple:
    names = ("allocator", "size_bytes", "processor", "operation", "origin", "pass", "pattern", "stride_bytes")
    return tuple(plain(row[name]) for name in names)
