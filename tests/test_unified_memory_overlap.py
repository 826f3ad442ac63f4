"""A kernel, and data on their way: what one stream puts in order, on a stage of threads."""

import pytest

from scopemark.experiments.unified_memory import overlap
from stage_of_threads import PREFETCH_SECONDS, right

SIZE = 2**20


@pytest.mark.parametrize("pair", overlap.PAIRS)
@pytest.mark.parametrize("arrangement", ["first_alone", "second_alone", "one_stream", "two_streams"])
def test_the_data_arrive_whatever_the_order(samples, pair, arrangement):
    found = samples("overlap", pair=pair, arrangement=arrangement, size_bytes=SIZE)
    assert right(found)
    if arrangement == "first_alone":
        assert [one.observed for one in found] == [2 * 512 // 32] * 2  # warps of two SMs
    else:
        # Words of a seed plus their place, with another seed in every sample.
        words = SIZE // 4
        assert [one.observed for one in found] == [words * seed + words * (words - 1) // 2 for seed in (2, 3)]


def test_data_that_were_not_moved_are_found_out(samples):
    def lazy(stage):
        stage.copy = lambda *arguments: None

    found = samples("overlap", pair="kernel_copy", arrangement="two_streams", size_bytes=SIZE, prepare=lazy)
    assert [one.wrong for one in found] == [SIZE // 4] * 2


def test_one_stream_puts_in_order_what_two_overlap(samples, monkeypatch):
    monkeypatch.setattr(overlap, "NOMINAL", SIZE / 60e6)  # the kernel takes 60 ms, the prefetch 40
    took = {}
    for arrangement in ("first_alone", "second_alone", "one_stream", "two_streams"):
        found = samples("overlap", pair="prefetch_order", arrangement=arrangement, size_bytes=SIZE, n=3)
        took[arrangement] = min(one.timed.seconds for one in found)
        if arrangement == "one_stream":
            assert all(one.note.startswith("it began after the kernel before it; ") for one in found)
            assert any(one.note.endswith("the kernel behind it found the data in place") for one in found)
    assert took["first_alone"] >= 0.060
    assert took["second_alone"] >= PREFETCH_SECONDS
    assert took["one_stream"] >= 0.060 + PREFETCH_SECONDS
    assert 0.060 <= took["two_streams"] < 0.060 + PREFETCH_SECONDS


def test_a_kernel_that_waits_for_data_is_told_from_one_that_does_not(samples):
    def late(stage):
        original = stage.prefetch

        def prefetch(memory, where, stream=0):
            original(memory, where, stream)
            if stream and stage.sampled:  # all but the first: a prefetch that does nothing, and a kernel that faults
                stage._pending[stream].pop().cancel()
                stage.queue(stream, lambda: None)
                stage.slow[stream] = PREFETCH_SECONDS
            stage.sampled = stage.sampled or bool(stream)

        stage.sampled, stage.prefetch = False, prefetch

    (found,) = samples("overlap", pair="prefetch_order", arrangement="second_alone", size_bytes=SIZE, n=1, prepare=late)
    assert found.note == "the kernel behind it had to wait for data"
