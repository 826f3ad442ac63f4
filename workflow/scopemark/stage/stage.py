"""The stage without a GPU: the operating system's memory, CPU threads, and the host's clock."""

from __future__ import annotations

import ctypes
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from scopemark.benchmark import Machine
from scopemark.measure.backend import Unsupported
from scopemark.procedure import Timed
from scopemark.stage import host_memory
from scopemark.stage.allocators import no_access, no_memory
from scopemark.stage.memory import Memory

OUT_WORDS = 4
OUT = object()
"""Stands among a kernel's arguments for the words it reports in: OUT_WORDS of uint64, zero before it runs."""

Argument = Memory | int | object
Result = TypeVar("Result")


class Stage:
    """Where a procedure runs. One procedure at a time is on it; several may have memory here.

    `library` is the host build of the experiment's kernels. found: what the last kernel that ran alone reported.
    """

    def __init__(self, machine: Machine, library: Path):
        self.machine = machine
        self.library = ctypes.CDLL(str(library))
        self._launch = self.library.scopemark_launch
        self._launch.restype = ctypes.c_double
        self._launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_size_t]
        self._out = (ctypes.c_uint64 * OUT_WORDS)()
        self.found: list[int] = [0] * OUT_WORDS
        self.allowed: tuple[str, ...] = ()  # the entry points that the procedure says it uses
        self._owned: list[Memory] | None = None

    @contextmanager
    def owner(self, owned: list[Memory], allowed: tuple[str, ...]) -> Iterator[None]:
        """Within it, memory that is allocated goes to `owned`, and no kernel but those `allowed` is launched."""
        before = self._owned, self.allowed
        self._owned, self.allowed = owned, allowed
        try:
            yield
        finally:
            self._owned, self.allowed = before

    def allocate(self, allocator: str, bytes: int) -> Memory:
        """Memory, given back when the procedure ends if it has not been before. Unsupported if there is none."""
        if (reason := no_memory(allocator, bytes, self.machine)) is not None:
            raise Unsupported(reason)
        memory = self._new(allocator, bytes)
        if self._owned is not None:
            self._owned.append(memory)
        return memory

    def _new(self, allocator: str, bytes: int) -> Memory:
        return host_memory.allocate(allocator, bytes, self.library)

    def _check_entry(self, kernel: str) -> None:
        if kernel not in self.allowed:
            raise RuntimeError(f"the procedure launches {kernel}, which is not among what it says it uses")

    def on_cpu(self, kernel: str, *arguments: Argument, threads: int = 1) -> Timed:
        """Run a kernel on that many CPU threads and wait for it; their creation is not in the time."""
        self._check_entry(kernel)
        if threads > self.machine_cpus:
            raise Unsupported(f"needs {threads} CPUs; {self.machine_cpus} may be used here")
        words = self._words(arguments)
        entry = ctypes.cast(getattr(self.library, kernel), ctypes.c_void_p)
        ctypes.memset(self._out, 0, ctypes.sizeof(self._out))
        seconds, faults = _with_faults(lambda: self._launch(entry, words, 1, threads, 0))
        self.found = list(self._out)
        return Timed(seconds, None, *faults)

    def ready_on_cpu(self, kernel: str, *arguments: Argument) -> Callable[[], None]:
        """A kernel made ready to run on the calling thread, in a step that the host clocks; `found` as ever."""
        self._check_entry(kernel)
        words = self._words(arguments)
        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)((kernel, self.library))

        def run() -> None:
            ctypes.memset(self._out, 0, ctypes.sizeof(self._out))
            entry(ctypes.addressof(words))
            self.found = list(self._out)

        return run

    @property
    def machine_cpus(self) -> int:
        """CPUs this process may use."""
        return self.machine.processors

    def _words(self, arguments: tuple[Argument, ...]) -> ctypes.Array:
        return (ctypes.c_uint64 * max(1, len(arguments)))(*map(self._cpu_word, arguments))

    def _cpu_word(self, argument: Argument) -> int:
        if argument is OUT:
            return ctypes.addressof(self._out)
        if isinstance(argument, Memory):
            if (reason := no_access(argument.allocator, "cpu", self.machine.attributes)) is not None:
                raise Unsupported(reason)
            return argument.address
        return argument % 2**64

    def clocked(self, step: Callable[[], object]) -> Timed:
        """The host's time for a step, and the page faults of this process meanwhile."""

        def timed() -> int:
            begin = time.perf_counter_ns()
            step()
            return time.perf_counter_ns() - begin

        nanoseconds, faults = _with_faults(timed)
        return Timed(nanoseconds * 1e-9, None, *faults)

    def pages(self, memory: Memory) -> str:
        """What pages the kernel has put under memory that the CPU can address, in words."""
        return host_memory.pages(memory)


def _with_faults(run: Callable[[], Result]) -> tuple[Result, tuple[int, int]]:
    """What a call returns, and this process's major and minor page faults meanwhile."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    result = run()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return result, (after.ru_majflt - before.ru_majflt, after.ru_minflt - before.ru_minflt)
