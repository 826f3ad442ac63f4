"""A stream that is held until the work is queued, so that a timed interval holds no launch latency.

A one-thread kernel spins on a host flag; behind it are queued an event, the work and another event; then the flag is
set. The spinning thread also meters the SM clock.
"""

from __future__ import annotations

from collections.abc import Callable

import cupy
import numpy as np
from cupy.cuda import runtime

from scopemark.measure.shot import Shot, Trigger

WARM_UP_NS = 200_000_000  # of spinning before a process's first sample, for the clocks to rise
HOLD_LIMIT_NS = 2_000_000_000  # a hold that nobody ends; far longer than queueing ever takes


class HeldStream:
    """One held stream on the current device. `support` is the module of the engine's own kernels.

    Use it as a context manager: within it, CuPy's work goes to this stream. `flush` is what an L2 flush overwrites. Its
    first hold lasts `warm_up_ns`: the hold must have been loaded before anybody waits for it.
    """

    def __init__(self, support: cupy.RawModule, flush: cupy.ndarray, warm_up_ns: int):
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._hold = support.get_function("scopemark_hold")
        self._flush = flush
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        # Host words that the device reads and writes in place: the hold's flag and its meter, and four for the user.
        self._words = cupy.cuda.alloc_pinned_memory(8 * 8)
        self._host = np.frombuffer(self._words, dtype=np.uint64, count=8)
        self._host[:] = 0
        with self:
            self._start_hold(warm_up_ns)
        self._stream.synchronize()

    def __enter__(self) -> HeldStream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self._stream.__exit__(*error)

    @property
    def pointer(self) -> int:
        """The CUDA stream, for calls that take one."""
        return self._stream.ptr

    @property
    def user_words(self) -> tuple[np.ndarray, int]:
        """Four uint64 words that host and device both see: the host's view and the device's address."""
        return self._host[4:], self._words.ptr + 4 * 8

    def _start_hold(self, limit_ns: int) -> None:
        self._host[0] = 0
        base = self._words.ptr
        self._hold((1,), (1,), (np.uint64(base), np.uint64(base + 8), np.uint64(limit_ns)))

    def synchronize(self) -> None:
        """Wait until everything queued is done."""
        self._stream.synchronize()

    def flush_l2(self) -> None:
        """Queue the overwriting of as much memory as the L2 holds."""
        runtime.memsetAsync(self._flush.data.ptr, 0, self._flush.nbytes, self.pointer)

    def timed(
        self, queue: Callable[[], None], after: Callable[[], None] = lambda: None
    ) -> tuple[float, float | None, bool]:
        """Seconds that the device spends on what `queue` queues, the SM clock in Hz, and whether the hold expired.

        `after` is queued behind the timed interval. All of it is done on return.
        """
        self._start_hold(HOLD_LIMIT_NS)
        self._begin.record(self._stream)
        queue()
        self._end.record(self._stream)
        after()
        self._host[0] = 1
        self._stream.synchronize()
        cycles, nanoseconds, expired = (int(word) for word in self._host[1:4])
        seconds = cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3
        return seconds, cycles / nanoseconds * 1e9 if nanoseconds else None, bool(expired)

    def single_shot(self, shot: Shot, trigger: Trigger) -> float:
        """Seconds between two events around a launch that nothing holds, as a plain program takes them."""
        self._stream.synchronize()
        trigger.fire(shot, self._stream.ptr, self._begin.ptr, self._end.ptr)
        self._stream.synchronize()
        return cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3

    def unheld(self, queue: Callable[[], None]) -> float:
        """Seconds between two events around what `queue` queues; nothing is held: it may wait for the device."""
        self._stream.synchronize()
        self._begin.record(self._stream)
        queue()
        self._end.record(self._stream)
        self._stream.synchronize()
        return cupy.cuda.get_elapsed_time(self._begin, self._end) * 1e-3
