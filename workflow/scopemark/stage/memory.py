"""A piece of memory, whoever gave it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

HOST = "host"
"""The CPU's memory as a place; a GPU's is its ordinal."""


@dataclass
class Memory:
    """`bytes` from `address` on. on_gpu: the address a kernel is to be given, where that is another."""

    allocator: str
    address: int
    bytes: int
    give_back: Callable[[], None] = field(default=lambda: None, repr=False)
    on_gpu: int = 0

    def __post_init__(self):
        self.on_gpu = self.on_gpu or self.address

    def words(self) -> numpy.ndarray:
        """The memory as the CPU sees it: uint32, no copy. Only for memory that the CPU can address."""
        import numpy

        kind = ctypes.c_uint32 * (self.bytes // 4)
        return numpy.frombuffer(kind.from_address(self.address), dtype=numpy.uint32)

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        give_back, self.give_back = self.give_back, lambda: None
        give_back()
