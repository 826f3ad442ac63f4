"""Where the buffers of a case lie within one allocation of device memory."""

from __future__ import annotations

from collections.abc import Mapping

ALIGNMENT = 256  # bytes, of each buffer


def lay_out(sizes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """The offsets of buffers of so many bytes, one behind another, and the bytes of all.

    >>> lay_out({"slots": 40, "cycles": 8})
    ({'slots': 0, 'cycles': 256}, 512)
    """
    offsets, end = {}, 0
    for name, bytes in sizes.items():
        offsets[name] = end
        end += -(-bytes // ALIGNMENT) * ALIGNMENT
    return offsets, end
