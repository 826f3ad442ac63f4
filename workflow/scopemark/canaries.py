"""What became of each canary: did the promise hold, was it not sent because nothing is promised, or did it fail?

A canary is one kernel that touches one page of memory of a kind. Whether the attributes promise it is asked again from
the machine description, so that what is shown depends on nothing that was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scopemark.quantities import USABLE, plain
from scopemark.stage.allocators import no_access

HELD, NOT_SENT, FAILED, ABSENT = "held", "not sent", "failed", "absent"


@dataclass(frozen=True)
class Canary:
    """outcome: held, failed, not sent where nothing is promised, which is no evidence, or absent where the machine has
    no such memory or it was skipped.

    promise: why the attributes promise nothing, or None if they do. reason: of a canary that did not hold.
    """

    row: Mapping[str, Any]
    outcome: str
    promise: str | None
    reason: str

    @property
    def disagrees(self) -> bool:
        """Whether it and the attributes say different things: a promise that failed, or none that held."""
        return (self.promise is None and self.outcome == FAILED) or (self.promise is not None and self.outcome == HELD)


def canaries(rows: Iterable[Mapping[str, Any]], gpu: Mapping[str, Any]) -> list[Canary]:
    """The canaries of one machine, whose GPU has these attributes. Rows without an access are of other benchmarks:
    what those cases do is promised unless they are unsupported."""
    return [_canary(row, gpu) for row in rows]


def _canary(row: Mapping[str, Any], gpu: Mapping[str, Any]) -> Canary:
    status, reason = row["status"], plain(row.get("reason")) or ""
    access = plain(row.get("access"))
    if access is None:
        promise = reason if status == "unsupported" else None
    else:
        promise = no_access(row["allocator"], "gpu", gpu, atomic=access == "atomic")
    if status in USABLE:
        outcome = HELD
    elif status == "unsupported":
        outcome = NOT_SENT if promise is not None and reason == promise else ABSENT
    else:
        outcome = ABSENT if status == "skipped" else FAILED
    if outcome == FAILED:
        reason = f"{status}: {reason}" if reason and status != "failed" else reason or status
    return Canary(row, outcome, promise, reason)
