"""How a figure says the way in which its cases were launched."""

import pandas as pd
import pytest

from scopemark.figures.data import launch_words

LAUNCH = {"target_kind": "gpu", "cache": "warm", "launch_blocks": 1, "launch_threads": 256}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (LAUNCH | {"iterations": 64}, "1 block × 256 threads × 64 operations, L2 warm"),
        (
            LAUNCH | {"iterations": 2000, "counters_per_thread": 128},
            "1 block × 256 threads × 256,000 operations, L2 warm",
        ),
        (LAUNCH | {"iterations": 64, "counters_per_thread": None}, "1 block × 256 threads × 64 operations, L2 warm"),
        (LAUNCH | {"iterations": None}, "1 block × 256 threads, L2 warm"),
        (LAUNCH, "1 block × 256 threads, L2 warm"),
        (LAUNCH | {"target_kind": "cpu", "launch_blocks": 2, "launch_threads": 1}, "2 teams × 1 thread"),
        ({"target_kind": "gpu", "launch_blocks": None, "size_bytes": 2**20}, "1 MiB"),
    ],
)
def test_a_launch_in_words(row, words):
    assert launch_words(pd.DataFrame([row])) == [words]
