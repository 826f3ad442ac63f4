"""What a GPU says it can do. The one place where device attributes are read; everything else is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scopemark.benchmark import Machine
from scopemark.targets import Target, usable_cpus

DEVICE_ATTRIBUTES = {
    "multiprocessors": "MultiProcessorCount",
    "l2_bytes": "L2CacheSize",
    "shared_bytes_per_multiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "shared_bytes_per_block": "MaxSharedMemoryPerBlockOptin",
    "registers_per_multiprocessor": "MaxRegistersPerMultiprocessor",
    "threads_per_multiprocessor": "MaxThreadsPerMultiProcessor",
    "memory_bus_bits": "GlobalMemoryBusWidth",
    "copy_engines": "AsyncEngineCount",
    "integrated": "Integrated",
    "managed_memory": "ManagedMemory",
    "concurrent_managed_access": "ConcurrentManagedAccess",
    "pageable_memory_access": "PageableMemoryAccess",
    "pageable_memory_access_uses_host_page_tables": "PageableMemoryAccessUsesHostPageTables",
    "direct_managed_mem_access_from_host": "DirectManagedMemAccessFromHost",
    "host_native_atomic_supported": "HostNativeAtomicSupported",
    "can_map_host_memory": "CanMapHostMemory",
    "host_register_supported": "HostRegisterSupported",
    "memory_pools_supported": "MemoryPoolsSupported",
}
"""Our name to CUDA's, less its prefix cudaDevAttr."""


def device_attributes(device: int) -> dict[str, int]:
    """A GPU's attributes by our names; what this CUDA does not know is left out. Makes no context."""
    from cupy.cuda import Device

    found = Device(device).attributes
    return {ours: found[theirs] for ours, theirs in DEVICE_ATTRIBUTES.items() if theirs in found}


def gpus_here() -> int:
    """How many GPUs this process may use."""
    from cupy.cuda import runtime

    return runtime.getDeviceCount()


def machine_of(target: Target) -> Machine:
    """What a case may know of a target."""
    if target.kind == "cpu":
        return Machine("cpu", usable_cpus())
    return gpu_machine(target.device)


def described_machine(description: Mapping[str, Any]) -> Machine:
    """What a case may know of a GPU, from the description of its machine: it has been asked once, and is not again."""
    gpu = description["gpu"]
    attributes = {name: gpu[name] for name in (*DEVICE_ATTRIBUTES, "gpus") if name in gpu}
    return _machine(int(gpu["architecture"].removeprefix("sm_")), attributes)


def gpu_machine(device: int) -> Machine:
    """What a case may know of a GPU, asked now."""
    from cupy.cuda import Device

    return _machine(int(Device(device).compute_capability), device_attributes(device) | {"gpus": gpus_here()})


def _machine(architecture: int, attributes: Mapping[str, int]) -> Machine:
    """What a case may know of a GPU with these attributes. `gpus` is one of them: how many there are here."""
    return Machine("gpu", attributes["multiprocessors"], attributes["shared_bytes_per_block"], architecture, attributes)
