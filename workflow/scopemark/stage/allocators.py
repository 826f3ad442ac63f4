"""The ways to get memory, and who may touch what they give.

The rules are those of the CUDA Programming Guide, 4.1, "Overview of Memory Allocators for Unified Memory". They are
asked before memory is handed to a processor: on a GPU that cannot page, a kernel that is given a pointer of malloc's is
a fault that ends its process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scopemark.benchmark import Machine


@dataclass(frozen=True)
class Allocator:
    """A way to get memory.

    call: as its user writes it. family: system, managed, device or pinned; it decides who may touch the memory. shared:
    whether it is mapped from a file or an object that other processes may map too. most_bytes: where the size is fixed.
    """

    name: str
    call: str
    family: str
    shared: bool = False
    most_bytes: int = 0


VARIABLE_BYTES = 2**20  # of the variables of the C++ library, in kernels/unified_memory/variables.cpp
MANAGED_VARIABLE_BYTES = 2**26  # of the __managed__ variable, in kernels/unified_memory.cu

ALLOCATORS = {
    allocator.name: allocator
    for allocator in (
        Allocator("managed", "cudaMallocManaged", "managed"),
        Allocator("managed_variable", "__managed__ variable", "managed", most_bytes=MANAGED_VARIABLE_BYTES),
        Allocator("device", "cudaMalloc", "device"),
        Allocator("device_pool", "cudaMallocAsync", "device"),
        Allocator("host_pool", "cudaMallocFromPoolAsync, host pool", "pinned"),
        Allocator("pinned", "cudaHostAlloc", "pinned"),
        Allocator("write_combined", "cudaHostAlloc, write-combined", "pinned"),
        Allocator("registered", "cudaHostRegister on mmap", "pinned"),
        Allocator("malloc", "malloc", "system"),
        Allocator("mmap", "mmap", "system"),
        Allocator("mmap_huge", "mmap, MADV_HUGEPAGE", "system"),
        Allocator("mmap_small", "mmap, MADV_NOHUGEPAGE", "system"),
        Allocator("file", "mmap of a file", "system", shared=True),
        Allocator("memfd", "mmap of a memfd", "system", shared=True),
        Allocator("stack", "stack variable", "system", most_bytes=VARIABLE_BYTES),
        Allocator("static", "static variable", "system", most_bytes=VARIABLE_BYTES),
        Allocator("global", "global variable", "system", most_bytes=VARIABLE_BYTES),
        Allocator("extern", "extern variable of a library", "system", most_bytes=VARIABLE_BYTES),
        Allocator("numa_gpu", "mmap, bound to the GPU's NUMA node", "system"),
    )
}

HERE = ("malloc", "mmap", "mmap_huge", "mmap_small", "file", "memfd", "stack", "static", "global", "extern")
"""Those that need no GPU."""


def no_memory(name: str, bytes: int, machine: Machine) -> str | None:
    """Why a machine has no such memory of that size, or None."""
    allocator = ALLOCATORS[name]
    if machine.kind == "cpu" and name not in HERE:
        return f"{allocator.call} needs a GPU"
    if allocator.most_bytes and bytes > allocator.most_bytes:
        return f"{allocator.call}: there are {allocator.most_bytes} bytes of it"
    needed = {
        "managed": "managed_memory",
        "managed_variable": "managed_memory",
        "device_pool": "memory_pools_supported",
        "host_pool": "memory_pools_supported",
        "registered": "host_register_supported",
    }
    attribute = needed.get(name)
    if attribute and not machine.attributes.get(attribute):
        return f"{allocator.call}: {attribute} is 0"
    if name == "numa_gpu" and not machine.attributes.get("pageable_memory_access_uses_host_page_tables"):
        return "the GPU's memory is no NUMA node of this machine"
    return None


def no_access(name: str, processor: str, attributes: Mapping[str, int], atomic: bool = False) -> str | None:
    """Why a processor ("gpu" or "cpu") may not touch such memory, or None.

    `atomic`: whether it is to be touched by atomic operations.
    """
    allocator = ALLOCATORS[name]
    if processor == "cpu":
        return f"the CPU cannot address {allocator.call} memory" if allocator.family == "device" else None
    if allocator.family == "system":
        if not attributes.get("pageable_memory_access"):
            return f"pageable_memory_access is 0: a kernel must not be given {allocator.call} memory"
        if atomic and allocator.shared and not attributes.get("host_native_atomic_supported"):
            return f"host_native_atomic_supported is 0: no atomics on memory that is a file's ({allocator.call})"
    return None


def no_hints(name: str, attributes: Mapping[str, int]) -> str | None:
    """Why cudaMemAdvise and cudaMemPrefetchAsync cannot be used on such memory, or None."""
    allocator = ALLOCATORS[name]
    if not attributes.get("concurrent_managed_access"):
        return "concurrent_managed_access is 0: there are no hints"
    if allocator.family == "managed" or (allocator.family == "system" and attributes.get("pageable_memory_access")):
        return None
    return f"{allocator.call} memory does not migrate: there is nothing to hint"


def no_sharing_in_time(name: str, attributes: Mapping[str, int]) -> str | None:
    """Why the CPU may not touch such memory while a kernel runs, or None."""
    family = ALLOCATORS[name].family
    if family == "managed" and not attributes.get("concurrent_managed_access"):
        return "concurrent_managed_access is 0: the CPU must not touch managed memory while a kernel runs"
    return no_access(name, "cpu", attributes) or no_access(name, "gpu", attributes)
