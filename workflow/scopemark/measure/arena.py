"""Where on the device the samples of a case put their memory."""

from __future__ import annotations

import cupy


class Arena:
    """Memory in which every sample of a case has a place of its own.

    An L2 atomic's speed depends on the address, by several percent and for as long as the process lives: which slices
    serve it, and from how far. A case at one address would report that as its own. So the samples of a case walk
    through the arena, and all cases take the same walk.
    """

    BYTES = 256 * 2**20
    SLOT = 4096

    def __init__(self):
        self._memory = cupy.empty(self.BYTES, dtype=cupy.uint8)

    def pointer(self, index: int, bytes: int) -> cupy.cuda.MemoryPointer:
        """Where sample `index` of a case puts its `bytes`: multiples of the golden ratio spread evenly."""
        slots = max(1, (self.BYTES - bytes) // self.SLOT)
        return self._memory.data + int(index * 0.6180339887498949 % 1.0 * slots) * self.SLOT
