"""Words in memory, and the two processors that go over them.

A word holds a seed plus its place, so that its sum is arithmetic and either processor can prove what the other wrote.
"""

from __future__ import annotations

from collections.abc import Callable

from scopemark.procedure import Measured, Timed, checked
from scopemark.stage.allocators import no_access
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT, Stage

WORD = 4
UNIT = 16  # bytes that a dense sweep moves at once

OTHER = {"cpu": "gpu", "gpu": "cpu"}
"""The other processor."""

SWEEPS = ("read_dense", "write_dense", "update_dense", "read_words", "write_words", "update_words", "inspect")
"""The entry points that `Words` runs."""


def expected_sum(count: int, stride: int, seed: int) -> int:
    """The sum of `count` words, `stride` places apart, that hold the seed plus their place.

    >>> expected_sum(3, 2, 10)  # 10 + 12 + 14
    36
    """
    return count * seed + stride * (count * (count - 1) // 2)


def setup_threads(stage: Stage) -> int:
    """CPU threads for work that is not timed."""
    return min(8, stage.machine_cpus)


def entry(sweep: str, bytes: int, stride_bytes: int = WORD) -> str:
    """The entry point that goes over memory: in units where every word is gone over, and they fill units.

    >>> entry("read", 64), entry("read", 20), entry("read", 64, stride_bytes=8)
    ('read_dense', 'read_words', 'read_words')
    """
    return f"{sweep}_dense" if stride_bytes == WORD and bytes % UNIT == 0 else f"{sweep}_words"


class Words:
    """The words of memory, every `stride_bytes` one of them.

    threads: CPU threads that a timed sweep of the CPU has. seed: of what the words hold now.
    """

    def __init__(self, stage: Stage, memory: Memory, stride_bytes: int = WORD, threads: int = 1, seed: int = 1):
        self.stage, self.memory, self.threads, self.seed = stage, memory, threads, seed
        self.stride = stride_bytes // WORD
        self.count = memory.bytes // stride_bytes

    def _entry(self, sweep: str) -> tuple[str, tuple[int, ...]]:
        """The entry point of a sweep, and the arguments that are the words' shape: the pieces of work come first."""
        name = entry(sweep, self.memory.bytes, self.stride * WORD)
        return name, (self.memory.bytes // UNIT,) if name.endswith("_dense") else (self.count, self.stride)

    def _run(self, processor: str, sweep: str, *arguments: object, threads: int = 0) -> Timed:
        kernel, shape = self._entry(sweep)
        if processor == "gpu":
            return self.stage.on_gpu(kernel, self.memory, *shape, *arguments, items=shape[0])
        return self.stage.on_cpu(kernel, self.memory, *shape, *arguments, threads=threads or self.threads)

    def write(self, processor: str, seed: int, threads: int = 0) -> Timed:
        """Write the words with a seed."""
        self.seed = seed
        return self._run(processor, "write", seed, threads=threads)

    def update(self, processor: str) -> Timed:
        """Add one to every word."""
        self.seed += 1
        return self._run(processor, "update", 1)

    def read(self, processor: str) -> Measured:
        """Sum the words up: the sum proves what was read."""
        return self.proven(self.sweep(processor, "read"), processor, "read")

    def sweep(self, processor: str, operation: str) -> Timed:
        """read, write or update the words; `proven` tells whether it was done right."""
        if operation == "read":
            return self._run(processor, "read", OUT)
        return self.write(processor, self.seed + 1) if operation == "write" else self.update(processor)

    def queue(self, operation: str) -> None:
        """Queue a sweep of the GPU in the stage's stream. What it reads adds up in what the stage reads out."""
        self.ready("gpu", operation)()

    def ready(self, processor: str, operation: str) -> Callable[[], None]:
        """A sweep made ready for a step that the host clocks: the GPU's is then queued, the calling thread's made."""
        kernel, shape = self._entry(operation)
        if operation != "read":
            self.seed += 1
        argument = {"read": OUT, "write": self.seed, "update": 1}[operation]
        if processor == "gpu":
            return self.stage.ready(kernel, self.memory, *shape, argument, items=shape[0])
        return self.stage.ready_on_cpu(kernel, self.memory, *shape, argument)

    def proven(self, timed: Timed, processor: str, operation: str) -> Measured:
        """A sweep that was just made, with its proof: the sum that was read, or what the other processor then finds.

        Where only one may touch the words it is the same one.
        """
        if operation == "read":
            return checked(timed, self.stage.found[0], self.expected)
        other = OTHER[processor]
        return self.inspected(timed, other if self.reachable(other) else processor)

    def reachable(self, processor: str) -> bool:
        """Whether a processor may touch them."""
        machine = self.stage.machine
        if machine.kind == "cpu":
            return processor == "cpu"
        return no_access(self.memory.allocator, processor, machine.attributes) is None

    def inspected(self, timed: Timed, processor: str, note: str = "") -> Measured:
        """A sample with what a processor finds in the words, one by one."""
        arguments = (self.memory, self.count, self.stride, self.seed, OUT)
        if processor == "gpu":
            self.stage.on_gpu("inspect", *arguments, items=self.count)
        else:
            self.stage.on_cpu("inspect", *arguments, threads=setup_threads(self.stage))
        wrong, observed = self.stage.found[:2]
        return Measured(timed, wrong, observed, self.expected, note)

    @property
    def expected(self) -> int:
        """The sum that the words must have."""
        return expected_sum(self.count, self.stride, self.seed)
