"""What a launch left, compared on the host with what it must leave."""

from __future__ import annotations

import numpy as np

from scopemark.kernel_benchmark import Check


def host_check(check: Check, buffer: np.ndarray, expected: np.ndarray) -> tuple[int, float, float]:
    """How many of the checked elements of `buffer` differ, their sum, and the sum that they should have.

    expected: the value of all of them, shape (1,), or one for each, shape (check.count,).
    """
    observed = buffer[:: check.stride][: check.count]
    expected = np.broadcast_to(expected, observed.shape)
    wide = np.float64 if observed.dtype.kind == "f" else np.int64
    return (
        int(np.count_nonzero(observed != expected)),
        observed.sum(dtype=wide).item(),
        expected.sum(dtype=wide).item(),
    )
