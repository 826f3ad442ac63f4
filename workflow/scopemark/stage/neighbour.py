"""Another process that sees the same memory. A program of its own, never a fork of one that has a CUDA context.

It maps a file, or opens a handle of CUDA's, and then reads and writes words there: one JSON request a line, one answer.
A word holds a seed plus its place, as in `unified_memory.words`.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import subprocess
import sys
from typing import Any

ANSWER_SECONDS = 30


class Neighbour:
    """The other process, from this one's side. `descriptors`: open files that it is to have too."""

    def __init__(self, descriptors: tuple[int, ...] = ()):
        # -P: this directory's modules must not stand before the library's.
        command = [sys.executable, "-P", __file__]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=descriptors, text=True
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Its answer; {"error": text} if it could not do it. RuntimeError if there is no answer any more."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the other process ended with exit status {self._process.wait(ANSWER_SECONDS)}")
        return json.loads(line)

    def close(self) -> None:
        """Let it give back what it opened and end, or end it."""
        self._process.stdin.close()
        try:
            self._process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Mapped:
    """The words of a file that is mapped."""

    def __init__(self, descriptor: int, bytes: int):
        self._mapping = mmap.mmap(descriptor, bytes, mmap.MAP_SHARED)
        self._count = bytes // 4

    def get(self) -> Any:
        import numpy

        return numpy.frombuffer(self._mapping, dtype=numpy.uint32)

    def put(self, words: Any) -> None:
        self.get()[:] = words

    def close(self) -> None:
        self._mapping.close()


class Opened:
    """The words of another process's device memory, through a handle."""

    def __init__(self, handle: str, bytes: int, device: int):
        from cuda.bindings import runtime

        self._runtime, self._bytes = runtime, bytes
        self._call("cudaSetDevice", device)
        opened = runtime.cudaIpcMemHandle_t()
        opened.reserved = bytes_of(handle)
        (self._address,) = self._call("cudaIpcOpenMemHandle", opened, runtime.cudaIpcMemLazyEnablePeerAccess)

    def _call(self, name: str, *arguments: Any) -> list[Any]:
        error, *values = getattr(self._runtime, name)(*arguments)
        if error != self._runtime.cudaError_t.cudaSuccess:
            raise OSError(f"{name}: {error.name}")
        return values

    def get(self) -> Any:
        import numpy

        words = numpy.empty(self._bytes // 4, dtype=numpy.uint32)
        kind = self._runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        self._call("cudaMemcpy", words.ctypes.data, int(self._address), self._bytes, kind)
        return words

    def put(self, words: Any) -> None:
        kind = self._runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
        self._call("cudaMemcpy", int(self._address), words.ctypes.data, self._bytes, kind)
        self._call("cudaDeviceSynchronize")

    def close(self) -> None:
        self._call("cudaIpcCloseMemHandle", int(self._address))


def bytes_of(handle: str) -> bytes:
    """A handle from its hexadecimal digits."""
    return bytes.fromhex(handle)


def seeded(count: int, seed: int) -> Any:
    """Words that hold a seed plus their place."""
    import numpy

    return numpy.arange(count, dtype=numpy.uint32) + numpy.uint32(seed)


def main() -> None:
    """Answer until there is nobody who asks."""
    ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM: never outlive the process that asks
    memory: Mapped | Opened | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if "descriptor" in request:
                memory = Mapped(request["descriptor"], request["bytes"])
            elif "handle" in request:
                memory = Opened(request["handle"], request["bytes"], request["device"])
            elif "read" in request:
                words = memory.get()
                answer["sum"] = int(words.sum(dtype="uint64"))
                answer["wrong"] = int((words != seeded(len(words), request["read"])).sum())
                del words
            else:
                memory.put(seeded(request["count"], request["write"]))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
    if memory is not None:
        memory.close()


if __name__ == "__main__":
    main()
