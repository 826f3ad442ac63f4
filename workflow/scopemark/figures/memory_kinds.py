"""What figures show of a GPU's unified memory and of a CPU's memory alike: passes, page sizes, the calls' costs."""

from __future__ import annotations

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.memory import at_largest, called, cases, sized, texts
from scopemark.stage.allocators import ALLOCATORS

CALLS = ["allocate", "free"]
DOES = {"read": "reads", "write": "writes", "update": "updates"}
ORIGINS = {"gpu": ["cpu", "gpu", "nobody"], "cpu": ["gpu", "cpu", "nobody"]}
"""Who should have written the memory before: the other processor, or where it cannot, the same one."""
PASSES = [1, 2, 3]


def allocations(results: Results, kind: str) -> pd.DataFrame:
    """The points of what it costs to get memory and to give it back: seconds, by allocator and size."""
    found = cases(results, kind, "allocation", call=CALLS).sort_values("size_bytes", kind="stable")
    found = arrange(found, call=CALLS, allocator=list(ALLOCATORS))
    words = {"x": found["allocator"].map(called), "series": found["size_bytes"].map(sized)}
    return points(found, panel="call", **words, value="seconds")


def passes(results: Results, kind: str, operations: list[str], reference: str) -> pd.DataFrame:
    """The cases of the first three passes over memory: per operation at the largest size of a reference allocator.

    Of cases that differ in who has written the memory before, those that come first in ORIGINS.
    """
    wanted = {"pattern": "sequential", "stride_bytes": 4, "operation": operations, "pass": PASSES}
    found = at_largest(cases(results, kind, "access", **wanted), by=["operation"], allocator=reference)
    places = zip(found["processor"], found["origin"], strict=True)
    found = found.assign(rank=[ORIGINS[processor].index(origin) for processor, origin in places])
    same = ["machine", "allocator", "processor", "operation", "threads"]
    found = found[found["rank"] == found.groupby(same)["rank"].transform("min")]
    orders = {"processor": list(ORIGINS), "operation": operations, "allocator": list(ALLOCATORS), "pass": PASSES}
    return arrange(found, **orders)


def pages(results: Results, kind: str) -> pd.DataFrame:
    """The cases of reads at random places of memory of every allocator, and in order of as much or more, of those
    processors that have read at random.

    Of each the last pass, which has the pages where they are wanted, and if there is a choice of what the processor
    itself has written.
    The column `how` says in words what was read.
    """
    reads = cases(results, kind, "access", operation="read")
    scattered = at_largest(pick(reads, pattern="random"))
    alike = {name: list(scattered[name].unique()) for name in ("allocator", "processor")}
    ordered = pick(reads, pattern="sequential", stride_bytes=4, **alike)
    found = pd.concat(
        [at_largest(ordered[ordered["size_bytes"] >= scattered["size_bytes"].min()]), scattered], ignore_index=True
    )
    same = ["machine", "allocator", "processor", "pattern", "stride_bytes", "threads"]
    found = found[found["pass"] == found.groupby(same)["pass"].transform("max")]
    found = found.assign(other=found["origin"] != found["processor"]).sort_values("other", kind="stable")
    found = found.drop_duplicates(same)
    apart = texts(found["stride_bytes"], sized)
    how = ("at random, places " + apart + " apart").where(found["pattern"] == "random", "in order")
    found = found.assign(how=how).sort_values("stride_bytes", kind="stable")
    return arrange(found, processor=list(ORIGINS), pattern=["sequential", "random"], allocator=list(ALLOCATORS))
