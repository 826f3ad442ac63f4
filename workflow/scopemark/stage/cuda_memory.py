"""Memory that CUDA gives."""

from __future__ import annotations

from typing import Any

from cuda.bindings import runtime

from scopemark.measure.backend import Unsupported
from scopemark.stage import host_memory
from scopemark.stage.calls import CudaError, call, location
from scopemark.stage.memory import Memory

MAPPED = 0x02  # cudaHostAllocMapped, and cudaHostRegisterMapped
WRITE_COMBINED = 0x04
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4
DEFAULT_STREAM = 0


def allocate(name: str, bytes: int, device: int, module: Any, flags: int = 0) -> Memory:
    """Memory of one of CUDA's allocators; `module` holds the __managed__ variable. `flags`: of cudaMallocManaged."""
    if name == "managed":
        address = call("cudaMallocManaged", bytes, flags or ATTACH_GLOBAL)
        return Memory(name, int(address), bytes, lambda: call("cudaFree", address))
    if name == "managed_variable":
        return Memory(name, module.get_global("managed_variable").ptr, bytes)
    if name == "device":
        address = call("cudaMalloc", bytes)
        return Memory(name, int(address), bytes, lambda: call("cudaFree", address))
    if name == "device_pool":
        address = call("cudaMallocAsync", bytes, DEFAULT_STREAM)
        return Memory(name, int(address), bytes, lambda: call("cudaFreeAsync", address, DEFAULT_STREAM))
    if name in ("pinned", "write_combined"):
        address = call("cudaHostAlloc", bytes, MAPPED | (WRITE_COMBINED if name == "write_combined" else 0))
        on_gpu = int(call("cudaHostGetDevicePointer", address, 0))
        return Memory(name, int(address), bytes, lambda: call("cudaFreeHost", address), on_gpu)
    if name == "registered":
        return _registered(bytes)
    if name == "host_pool":
        return _from_host_pool(bytes, device)
    raise Unsupported(f"{name}: no way to allocate it here")


def _registered(bytes: int) -> Memory:
    memory = host_memory.allocate("mmap", bytes, None)
    call("cudaHostRegister", memory.address, bytes, MAPPED)

    def give_back() -> None:
        call("cudaHostUnregister", memory.address)
        memory.release()

    on_gpu = int(call("cudaHostGetDevicePointer", memory.address, 0))
    return Memory("registered", memory.address, bytes, give_back, on_gpu)


def _from_host_pool(bytes: int, device: int) -> Memory:
    properties = runtime.cudaMemPoolProps()
    properties.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    properties.location = location("host")
    access = runtime.cudaMemAccessDesc()
    access.location = location(device)
    access.flags = runtime.cudaMemAccessFlags.cudaMemAccessFlagsProtReadWrite
    try:
        pool = call("cudaMemPoolCreate", properties)
        call("cudaMemPoolSetAccess", pool, [access], 1)
    except CudaError as error:
        raise Unsupported(f"no pool of host memory: {error}") from None
    address = call("cudaMallocFromPoolAsync", bytes, pool, DEFAULT_STREAM)
    call("cudaStreamSynchronize", DEFAULT_STREAM)

    def give_back() -> None:
        call("cudaFreeAsync", address, DEFAULT_STREAM)
        call("cudaStreamSynchronize", DEFAULT_STREAM)
        call("cudaMemPoolDestroy", pool)

    return Memory("host_pool", int(address), bytes, give_back)
