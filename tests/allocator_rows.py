"""Hand-made rows of a few allocators' memory, for the tests of their table."""

from memory_rows import MIB, row
from unified_memory_rows import MANAGED_ONLY, refused

NEAR, LINK, FAULTING = 1000e9, 50e9, 5e9  # bytes a second


def access(allocator, rate, processor="gpu", origin="cpu", number=1, operation="read", size_bytes=MIB, **others):
    """A pass over memory at a rate in bytes a second; an update moves each byte twice."""
    bytes = size_bytes * (2 if operation == "update" else 1)
    point = {
        "allocator": allocator,
        "size_bytes": size_bytes,
        "processor": processor,
        "origin": origin,
        "operation": operation,
    }
    return row("access", bytes / rate, **point, **{"pass": number}, **others)


def passes(allocator, first, second, processor="gpu", origin="cpu", faults=(None, None), **others):
    """A first and a second pass at their rates, with their page faults."""
    return [
        access(allocator, rate, processor, origin, number, faults=fault, **others)
        for number, rate, fault in ((1, first, faults[0]), (2, second, faults[1]))
    ]


def managed(name="managed"):
    """Memory that goes to whoever touches it: its pages of 64 KiB make 16 faults of a mebibyte."""
    return [
        *passes(name, FAULTING, NEAR),
        *passes(name, NEAR, NEAR, origin="gpu"),
        *passes(name, 4e9, 8e9, "cpu", "gpu", (16, 0)),
        *passes(name, 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


def pinned():
    """Memory of the host that a kernel reaches by the link, and that does not move."""
    return [
        *passes("pinned", LINK, LINK),
        *passes("pinned", LINK, LINK, origin="gpu"),
        *passes("pinned", 8e9, 8e9, "cpu", "gpu", (0, 0)),
        *passes("pinned", 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


def device():
    """Memory of the GPU that the CPU cannot reach."""
    cannot = [
        refused("access", MANAGED_ONLY, allocator="device", processor="cpu", origin=o, size_bytes=MIB)
        for o in ("cpu", "gpu")
    ]
    return [*passes("device", NEAR, NEAR, origin="gpu"), *cannot]


def system(machine=MANAGED_ONLY):
    """malloc's memory where a kernel must not touch it."""
    return [
        refused("canary", machine, allocator="malloc", access="read"),
        refused("access", machine, allocator="malloc", processor="gpu", size_bytes=MIB),
        refused("access", machine, allocator="malloc", processor="cpu", origin="gpu", size_bytes=MIB),
        *passes("malloc", 8e9, 8e9, "cpu", "cpu", (0, 0)),
    ]


EVERYTHING = [*managed(), *pinned(), *device(), *system()]
