"""Buffers within one allocation: each begins on 256 bytes."""

import pytest

from scopemark.measure.placement import lay_out


@pytest.mark.parametrize(
    ("sizes", "offsets", "end"),
    [({}, [], 0), ({"a": 1}, [0], 256), ({"a": 256, "b": 257, "c": 8}, [0, 256, 768], 1024)],
)
def test_buffers_lie_one_behind_another(sizes, offsets, end):
    assert lay_out(sizes) == (dict(zip(sizes, offsets, strict=True)), end)
