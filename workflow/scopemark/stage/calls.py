"""CUDA's calls as procedures need them: with errors as exceptions, and the same under CUDA 12 and 13.

The bindings give what CuPy does not: locations that are the host, range attributes, and attachment to streams.
"""

from __future__ import annotations

from typing import Any

from cuda.bindings import runtime

from scopemark.stage.memory import HOST


class CudaError(RuntimeError):
    """A call that CUDA refused. `name` is CUDA's for the error, as cudaErrorInvalidValue."""

    def __init__(self, call: str, name: str):
        super().__init__(f"{call}: {name}")
        self.name = name


def call(name: str, *arguments: Any) -> Any:
    """What the call of that name returns; None, one value, or a tuple. CudaError if CUDA refuses."""
    error, *values = getattr(runtime, name)(*arguments)
    if error != runtime.cudaError_t.cudaSuccess:
        runtime.cudaGetLastError()  # a refused call must not be the next launch's error
        raise CudaError(name, error.name)
    return (values[0] if len(values) == 1 else tuple(values)) if values else None


def location(where: str | int) -> Any:
    """A place for memory: HOST, or a GPU's ordinal."""
    place, kinds = runtime.cudaMemLocation(), runtime.cudaMemLocationType
    place.type = kinds.cudaMemLocationTypeHost if where == HOST else kinds.cudaMemLocationTypeDevice
    place.id = 0 if where == HOST else where
    return place


def _newest(name: str) -> str:
    """CUDA 12 has the calls that take locations as _v2; in CUDA 13 they have the plain name."""
    return f"{name}_v2" if hasattr(runtime, f"{name}_v2") else name


def prefetch(address: int, bytes: int, where: str | int, stream: int) -> None:
    """Queue the migration of a range."""
    call(_newest("cudaMemPrefetchAsync"), address, bytes, location(where), 0, stream)


def advise(address: int, bytes: int, advice: str, where: str | int) -> None:
    """Give advice, as SetReadMostly or UnsetAccessedBy, on a range."""
    call(
        _newest("cudaMemAdvise"),
        address,
        bytes,
        getattr(runtime.cudaMemoryAdvise, f"cudaMemAdvise{advice}"),
        location(where),
    )


def range_attribute(address: int, bytes: int, attribute: str) -> int:
    """One attribute of a range of managed memory, as ReadMostly or PreferredLocation. CPUs are -1, no place -2."""
    kind = getattr(runtime.cudaMemRangeAttribute, f"cudaMemRangeAttribute{attribute}")
    answer = call("cudaMemRangeGetAttribute", 4, kind, address, bytes)
    # AccessedBy is answered by a list of as many processors as were asked for; it is filled up with no place.
    return int(answer[0] if isinstance(answer, list) else answer)


def copy(to: int, source: int, bytes: int, kind: str, stream: int) -> None:
    """Queue a copy; kind as HostToDevice or Default. From pageable memory it may wait before it returns."""
    call("cudaMemcpyAsync", to, source, bytes, getattr(runtime.cudaMemcpyKind, f"cudaMemcpy{kind}"), stream)


def fill(address: int, byte: int, bytes: int, stream: int) -> None:
    """Queue the setting of every byte of a range."""
    call("cudaMemsetAsync", address, byte, bytes, stream)


def synchronize(stream: int) -> None:
    """Wait until a stream is done."""
    call("cudaStreamSynchronize", stream)
