"""What a launch left, compared on the host with what it must leave."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scopemark.kernel_benchmark import Check


def expected_values(check: Check, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """What a check compares with: shape (1,), or (check.count,). `arrays` holds the buffers by name."""
    if isinstance(check.expected, str):
        return arrays[check.expected]
    return np.array([check.expected]).astype(arrays[check.buffer].dtype)


def host_check(check: Check, buffer: np.ndarray, expected: np.ndarray) -> tuple[int, float, float]:
    """How many of the checked elements of `buffer` differ, their sum, and the sum that they should have.

    expected: as expected_values gives it.
    """
    observed = buffer[:: check.stride][: check.count]
    expected = np.broadcast_to(expected, observed.shape)
    wide = np.float64 if observed.dtype.kind == "f" else np.int64
    return (
        int(np.count_nonzero(observed != expected)),
        observed.sum(dtype=wide).item(),
        expected.sum(dtype=wide).item(),
    )
