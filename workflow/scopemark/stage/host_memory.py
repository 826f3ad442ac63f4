"""Memory that the operating system gives."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from scopemark.stage.memory import Memory

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.malloc.restype = ctypes.c_void_p
_LIBC.malloc.argtypes = [ctypes.c_size_t]
_LIBC.free.argtypes = [ctypes.c_void_p]


def allocate(name: str, bytes: int, library: ctypes.CDLL) -> Memory:
    """Memory of one of the allocators that need no GPU; `library` holds the variables. MemoryError if there is none."""
    if name == "malloc":
        address = _LIBC.malloc(bytes)
        if not address:
            raise MemoryError(f"malloc of {bytes} bytes failed")
        return Memory(name, address, bytes, lambda: _LIBC.free(address))
    if name in ("static", "global", "extern", "stack"):
        return _variable(name, bytes, library)
    if name == "file":
        # Where the measurements are: /tmp is memory on many machines.
        with tempfile.TemporaryFile(dir=Path.cwd()) as file:
            os.posix_fallocate(file.fileno(), 0, bytes)
            return mapped(name, file.fileno(), bytes)
    if name == "memfd":
        descriptor = os.memfd_create("scopemark")
        try:
            os.ftruncate(descriptor, bytes)
            return mapped(name, descriptor, bytes)
        finally:
            os.close(descriptor)
    mapping = mmap.mmap(-1, bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if name == "mmap_huge":
        mapping.madvise(mmap.MADV_HUGEPAGE)
    elif name == "mmap_small":
        mapping.madvise(mmap.MADV_NOHUGEPAGE)
    return _mapped(name, mapping)


def mapped(name: str, descriptor: int, bytes: int) -> Memory:
    """The first `bytes` of an open file, or of an object of memory, that other processes may map too."""
    return _mapped(name, mmap.mmap(descriptor, bytes, mmap.MAP_SHARED))


def _mapped(name: str, mapping: mmap.mmap) -> Memory:
    view = ctypes.c_char.from_buffer(mapping)
    address, size = ctypes.addressof(view), len(mapping)
    del view  # a mapping that is still seen through cannot be closed
    return Memory(name, address, size, mapping.close)


def _variable(name: str, bytes: int, library: ctypes.CDLL) -> Memory:
    find = getattr(library, f"scopemark_{name}_variable")
    find.restype = ctypes.c_void_p
    if name != "stack":
        return Memory(name, find(), bytes)
    address = find(ctypes.c_size_t(bytes))
    if not address:
        raise MemoryError(f"no thread with a stack of {bytes} bytes")
    release: Callable[[ctypes.c_void_p], None] = library.scopemark_end_stack_variable
    return Memory(name, address, bytes, lambda: release(ctypes.c_void_p(address)))


def pages(memory: Memory) -> str:
    """What pages the kernel has put under memory, in words: their size, and how much of it is huge pages."""
    text = Path("/proc/self/smaps").read_text()
    for header in re.finditer(r"^([0-9a-f]+)-([0-9a-f]+) .*$", text, re.M):
        if int(header[1], 16) <= memory.address < int(header[2], 16):
            entry = text[header.end() : header.end() + 2000]
            size = re.search(r"KernelPageSize:\s+(\d+) kB", entry)
            huge = sum(
                int(kb) for kb in re.findall(r"(?:AnonHugePages|ShmemPmdMapped|FilePmdMapped):\s+(\d+)", entry)[:3]
            )
            return f"pages of {size[1]} KiB, {huge} KiB in huge ones" if size else ""
    return ""
