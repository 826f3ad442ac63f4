"""The first launches of a process, made by a small CUDA program: each kernel once, one after another, and no other.

The program (kernels/cold_shots.cu) is told the whole series before its first launch, and what it leaves is checked
here: whatever is done between two launches, if only for a fraction of a millisecond, makes the second slower.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from scopemark.axes import cold_shots
from scopemark.benchmark import Machine, Parameters
from scopemark.grid import Case
from scopemark.kernel_benchmark import KernelBenchmark
from scopemark.layout import KERNELS
from scopemark.measure.backend import Batch, check_block_memory
from scopemark.measure.child import ending
from scopemark.measure.host_check import expected_values, host_check
from scopemark.measure.placement import lay_out

LOADING = "CUDA_MODULE_LOADING"  # what decides when kernels are loaded, which is part of a shot unless it is EAGER
END_SECONDS = 10  # from the last that the program says to its end


def series_hashes(cases: Sequence[Case], hashes: Mapping[str, str]) -> dict[str, str]:
    """What identifies the code of cold shots, by case; `hashes` identifies each case's own.

    It is the program's source, how that loads kernels, and all that it launches before. What it launches afterwards is
    no part of it: that moves the code within the module, as the name of the directory does in which it is built.
    """
    series = [case for case in cases if cold_shots(case.parameters["sampling"])]
    if not series:
        return {}
    digest = hashlib.sha256((KERNELS / "cold_shots.cu").read_bytes() + os.environ.get(LOADING, "").encode())
    found = {}
    for case in series:
        digest.update(f"{case.id} {hashes[case.id]}".encode())
        found[case.id] = digest.hexdigest()[:16]
    return found


class ColdShot:
    """One launch as the program is told it, and what it must leave.

    told: the words that say it. contents: the bytes that come after the words of all shots. Unsupported if a block asks
    for more memory than the GPU has.
    """

    def __init__(self, benchmark: KernelBenchmark, parameters: Parameters, kernel: str, machine: Machine):
        launch = benchmark.launch(parameters, machine)
        check_block_memory(launch, machine)
        arrays = {
            name: buffer.build(np) if buffer.build else np.full(buffer.count, buffer.fill or 0, buffer.dtype)
            for name, buffer in benchmark.buffers(parameters, launch).items()
        }
        arguments = benchmark.arguments(parameters, launch)
        self._given = {name: arrays[name] for name in arguments if isinstance(name, str)}
        self._check = benchmark.check(parameters, launch)
        self._expected = expected_values(self._check, arrays)
        self._cycles = benchmark.cycles

        offsets, _ = lay_out({name: array.nbytes for name, array in self._given.items()})
        flush = machine.attributes["l2_bytes"] if parameters["cache"] == "cold" else 0
        words = [kernel, launch.blocks, launch.threads, launch.block_memory_bytes, flush, len(offsets), len(arguments)]
        for name, array in self._given.items():
            words += [offsets[name], array.nbytes, int(not array.any())]
        for argument in arguments:
            words += [1, offsets[argument]] if isinstance(argument, str) else [0, argument % 2**64]
        self.told = " ".join(map(str, words))
        self.contents = b"".join(array.tobytes() for array in self._given.values() if array.any())
        self.size = sum(array.nbytes for array in self._given.values())

    def result(self, seconds: float, left: bytes) -> Batch:
        """One sample: the seconds that it took and the bytes that its buffers hold after it, one behind another."""
        found, begin = {}, 0
        for name, array in self._given.items():
            found[name] = np.frombuffer(left, array.dtype, array.size, begin)
            begin += array.nbytes
        batch = Batch()
        batch.add(
            seconds,
            host_check(self._check, found[self._check.buffer], self._expected),
            cycles=int(found[self._cycles][0]) if self._cycles else None,
            note=f"{LOADING}={os.environ[LOADING]}" if LOADING in os.environ else "",
        )
        return batch


class Series:
    """A run of the program, ready for its first launch. `program` is a build of kernels/cold_shots.cu.

    held: descriptors that stay open as long as the program lives. RuntimeError, here and later, if it ends early.
    """

    def __init__(self, program: Path, device: int, shots: Sequence[ColdShot], held: Sequence[int] = ()):
        self._shots = shots
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([str(program.resolve())], pass_fds=held, **pipes)
        words = [f"{device} {len(shots)}", *(shot.told for shot in shots)]
        with contextlib.suppress(BrokenPipeError):  # it says why
            self._process.stdin.write("\n".join(words).encode() + b"\n" + b"".join(shot.contents for shot in shots))
            self._process.stdin.close()
        self._line()

    def fire(self) -> Iterator[Batch]:
        """A batch of one sample for each shot, as they come. With the last one the program has ended."""
        for number, shot in enumerate(self._shots, 1):
            seconds = float(self._line())
            left = self._process.stdout.read(shot.size)
            if len(left) < shot.size:
                raise self._failure()
            if number == len(self._shots):
                self._end()
            yield shot.result(seconds, left)

    def _line(self) -> bytes:
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._failure()
        if line.startswith(b"error "):
            self._end()
            raise RuntimeError(line.decode(errors="replace").removeprefix("error ").strip())
        return line

    def _failure(self) -> RuntimeError:
        return RuntimeError(f"the program {ending(self._end())}; its last words are in the log")

    def _end(self) -> int:
        """Wait until the program's context is gone, which would disturb whatever is measured next. Its exit code."""
        try:
            return self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
