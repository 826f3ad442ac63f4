"""Which paradigm of unified memory each GPU has, by its attributes, and what the canaries say to that."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from scopemark.canaries import ABSENT, FAILED, HELD, NOT_SENT, Canary, canaries
from scopemark.collect import HERE
from scopemark.figures.data import label
from scopemark.paradigm import (
    DECIDING,
    FURTHER,
    addressing_mode,
    deciding,
    hmm_conditions,
    mode_disagrees,
    paradigm,
    why_not_pageable,
)
from scopemark.report.format import DASH, fact, flat
from scopemark.stage.allocators import ALLOCATORS

ACCESSES = ("read", "write", "atomic")
TAGS = {HELD: "holds", NOT_SENT: "", FAILED: ""}
"""Of canaries that did what the attributes say; one that was not promised may fail."""
SYSTEM_FACTS = (
    "page_bytes",
    "transparent_huge_page_bytes",
    "transparent_huge_pages_enabled",
    "transparent_huge_pages_shmem",
    "numa_nodes",
    "cgroup_limit_bytes",
)


def parts(summary: pd.DataFrame, machines: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One part for every GPU of the page, those of this run first."""
    sent = summary[summary["benchmark"] == "canary"]
    found = []
    for (run, target), machine in machines.items():
        if machine["kind"] == "gpu":
            rows = sent[(sent["run"] == run) & (sent["target"] == target)].to_dict("records")
            found.append((run != HERE, _part(machine, label(machine, run, target), rows)))
    return [part for _, part in sorted(found, key=lambda one: one[0])]


def headline(machine: Mapping[str, Any]) -> str:
    """What the page says of a machine before all else: its paradigm, and what a kernel may do. Empty if not told."""
    named = paradigm(machine["gpu"]) if machine["kind"] == "gpu" else None
    return f"{named.name[:1].upper()}{named.name[1:]}. {named.follows}" if named else ""


def _part(machine: Mapping[str, Any], name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    gpu = machine["gpu"]
    named, decided, sent = paradigm(gpu), deciding(gpu) or (), canaries(rows, gpu)
    return {
        "machine": name,
        "paradigm": named.name if named else None,
        "follows": named.follows if named else "",
        "attributes": [(one, _told(gpu, one), one in decided) for one in (*DECIDING, *FURTHER)],
        "mode": addressing_mode(gpu),
        "findings": [*filter(None, [mode_disagrees(gpu)]), *map(_disagreement, filter(_disagrees, sent))],
        "why_not": why_not_pageable(machine),
        "conditions": hmm_conditions(machine),
        "system": _system(machine),
        "canaries": _table(sent),
        "reasons": _reasons(sent),
    }


def _told(gpu: Mapping[str, Any], name: str) -> str:
    return fact(name, gpu[name]) if gpu.get(name) is not None else "not told"


def _disagrees(canary: Canary) -> bool:
    return canary.disagrees


def _disagreement(canary: Canary) -> str:
    """What is wrong, in a sentence."""
    what = f"{ALLOCATORS[canary.row['allocator']].call}, {canary.row['access']}"
    if canary.outcome == FAILED:
        return f"{what}: the attributes promise it, and the canary failed ({canary.reason})."
    return f"{what}: the canary held, though nothing promises it: {canary.promise}."


def _table(sent: list[Canary]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Per allocator its call, and per access: the outcome in words, and how it is tagged."""
    latest = {(one.row["allocator"], one.row["access"]): one for one in sorted(sent, key=_was_sent)}
    table = []
    for name, allocator in ALLOCATORS.items():
        cells = [latest.get((name, access)) for access in ACCESSES]
        if any(cells):
            table.append((allocator.call, [_cell(cell) for cell in cells]))
    return table


def _was_sent(canary: Canary) -> bool:
    """A canary that was sent tells more than one that was not, where the grids have both."""
    return canary.outcome in (HELD, FAILED)


def _cell(canary: Canary | None) -> tuple[str, str]:
    if canary is None or canary.outcome == ABSENT:
        return DASH, ""
    if canary.disagrees:
        return "failed" if canary.outcome == FAILED else "unpromised", "contradicted"
    return canary.outcome, TAGS[canary.outcome]


def _reasons(sent: list[Canary]) -> list[str]:
    """Why canaries were not sent or are not there, each reason once, without the allocator it was found for."""
    found: dict[str, list[str]] = {}
    for canary in sent:
        if canary.outcome in (NOT_SENT, ABSENT):
            call = ALLOCATORS[canary.row["allocator"]].call
            found.setdefault(canary.reason.replace(f" ({call})", "").replace(call, "such"), []).append(call)
    return [f"{', '.join(dict.fromkeys(calls))}: {reason}" for reason, calls in found.items()]


def _system(machine: Mapping[str, Any]) -> str:
    """The operating system's part in a line."""
    gpu, memory = machine["gpu"], machine.get("memory", {})
    words = [f"Linux {machine['host']['kernel']}"]
    words += [f"driver {gpu['driver']}"] if "driver" in gpu else []
    words += [f"{gpu['kernel_module']} kernel module"] if "kernel_module" in gpu else []
    for name in SYSTEM_FACTS:
        if name == "numa_nodes" and name in memory:
            words.append(_nodes(memory[name]))
        elif name in memory:
            words.append(f"{name.removesuffix('_bytes').replace('_', ' ')} {fact(name, memory[name])}")
    reserved = sum(value for _, value in flat(memory.get("reserved_huge_pages", {})))
    words += [f"{reserved:,} huge pages reserved"] if reserved else []
    return ", ".join(words)


def _nodes(nodes: Mapping[str, Mapping[str, Any]]) -> str:
    without = [node for node, facts in nodes.items() if not facts["cpus"]]
    text = f"{len(nodes)} NUMA node{'s' if len(nodes) > 1 else ''}"
    return text + (f", of which {', '.join(without)} without CPUs" if without else "")
