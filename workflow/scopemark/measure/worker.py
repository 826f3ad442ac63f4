"""The child process that holds the CUDA context or the host library.

Says with a line that it has imported what it needs. Then it reads JSON, a line at a time: first what to open, and then
lists of requests, of which each is answered with a line. A CUDA error that may have spoiled the context is reported
and then ends the process; its parent starts another.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from scopemark.axes import cold_shots
from scopemark.benchmark import Benchmark, Machine
from scopemark.capabilities import gpu_machine
from scopemark.experiment import load_experiment
from scopemark.measure.backend import COLD_SHOTS, Backend, Unsupported, backend_of
from scopemark.measure.cold_shots import ColdShot, Series

T = TypeVar("T")
PR_SET_PDEATHSIG = 1  # of prctl(2)
WARM_UP_SECONDS = 0.005  # a launch longer than this needs no untimed one before its batch


def import_backends(kind: str) -> None:
    """Import all that a target of a kind may need: none of it is left to the first case."""
    gpu = "measure.gpu", "stage.gpu_stage"
    for module in ("measure.rehearsal", *(gpu if kind == "gpu" else ("measure.cpu",))):
        importlib.import_module(f"scopemark.{module}")


def open_backend(name: str, request: dict[str, Any]) -> Backend:
    """Where procedures run, or where kernels are launched."""
    if name == "procedures":
        from scopemark.measure.rehearsal import open_stage_backend

        return open_stage_backend(request)
    if request["kind"] == "gpu":
        from scopemark.measure.gpu import GpuBackend

        return GpuBackend(request["device"], *(Path(request[name]) for name in ("binary", "support", "support_host")))
    from scopemark.measure.cpu import CpuBackend

    return CpuBackend(Path(request["binary"]))


class Worker:
    """Cases by id, the least recently sampled dropped when their memory passes the limit.

    held: descriptors that stay open as long as any program of this process lives.
    """

    def __init__(self, request: dict[str, Any], held: Sequence[int] = ()):
        self._experiment = load_experiment(request["experiment"])
        self._prepared: OrderedDict[str, Any] = OrderedDict()
        self._held_bytes = 0  # by all of them; to add them up again for every case would be quadratic
        self._last: dict[str, float] = {}
        # What cannot be loaded is found out before any case is tried.
        self._backends = {name: open_backend(name, request) for name in request["backends"] if name != COLD_SHOTS}
        self._opening, self._held = request, held

    def _prepare(self, request: dict[str, Any], benchmark: Benchmark, backend: Backend) -> Any:
        case = request["case"]
        if case in self._prepared:
            self._prepared.move_to_end(case)
            return self._prepared[case]
        self._drop(backend.keep_bytes)
        wanted = benchmark, request["parameters"], request["kernel"]
        try:
            prepared = backend.prepare(*wanted)
        except MemoryError:
            if not self._prepared:
                raise
            self._drop(-1)  # what is kept for speed alone must not make a case impossible
            prepared = backend.prepare(*wanted)
        self._prepared[case] = prepared
        self._held_bytes += prepared.bytes
        return prepared

    def _drop(self, keep_bytes: int) -> None:
        """Give back the least recently sampled cases until what is left holds no more than that."""
        while self._prepared and self._held_bytes > keep_bytes:
            prepared = self._prepared.popitem(last=False)[1]
            self._held_bytes -= prepared.bytes
            prepared.close()

    def sample(self, request: dict[str, Any]) -> dict[str, Any]:
        """So many samples of one case."""
        start = time.perf_counter()
        benchmark = self._experiment.benchmark(request["benchmark"])
        backend = self._backends[backend_of(benchmark, request["parameters"])]
        prepared = self._prepare(request, benchmark, backend)
        ready = time.perf_counter()
        warm_up = self._last.get(request["case"], 0.0) < WARM_UP_SECONDS
        batch = backend.sample(prepared, request["first"], request["n"], warm_up)
        self._last[request["case"]] = min(batch.seconds)
        return {**vars(batch), "prepare_seconds": ready - start, "sample_seconds": time.perf_counter() - ready}

    def fire(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One cold shot of each case. This process has no context on the GPU: the program's is the only one.

        What goes wrong before the first launch is no case's fault: all have that reason.
        """
        start = time.perf_counter()
        built = [attempt(lambda request=request: self._cold_shot(request)) for request in requests]
        shots = [shot for shot, event in built if event is None]
        program, device = Path(self._opening["cold_shots"]), self._opening["device"]
        series, failure = attempt(lambda: Series(program, device, shots, self._held)) if shots else (None, None)
        batches = series.fire() if series else iter(())
        last = time.perf_counter()
        prepare = last - start
        for _, event in built:
            if event or failure:
                yield {"event": event or failure, "fatal": False}
                continue
            batch, event = attempt(lambda: next(batches))
            if event:
                yield {"event": event, "fatal": True}
                return
            now = time.perf_counter()
            yield {**vars(batch), "prepare_seconds": prepare, "sample_seconds": now - last}
            last, prepare = now, 0.0

    def _cold_shot(self, request: dict[str, Any]) -> ColdShot:
        benchmark = self._experiment.benchmark(request["benchmark"])
        return ColdShot(benchmark, request["parameters"], request["kernel"], self._machine)

    @cached_property
    def _machine(self) -> Machine:
        return gpu_machine(self._opening["device"])


def attempt(action: Callable[[], T]) -> tuple[T | None, list[str] | None]:
    """What an action gives, or else the event that it ends with: status and reason."""
    try:
        return action(), None
    except Unsupported as error:
        return None, ["unsupported", str(error)]
    except MemoryError as error:  # CuPy's for the GPU's memory too
        return None, ["unsupported", f"not enough memory: {error}"]
    except Exception as error:
        return None, ["failed", f"{type(error).__name__}: {error}"]


def answers(worker: Worker, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The replies to requests, one for each, up to one that is `fatal`: the process must end after it."""
    if cold_shots(requests[0]["parameters"]["sampling"]):
        yield from worker.fire(requests)
        return
    for request in requests:
        reply, event = attempt(lambda request=request: worker.sample(request))
        yield reply or {"event": event, "fatal": event[0] == "failed"}


def main() -> None:
    # A killed parent drops its lock: what runs on then would disturb the next measurement, and what hangs never ends.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # Replies go to the pipe alone: whatever else prints goes to the log.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def reply(what: dict[str, Any]) -> None:
        replies.write(json.dumps(what) + "\n")
        replies.flush()

    import_backends(sys.argv[1])
    reply({"waiting": True})
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        if worker is None:
            worker = Worker(request, [replies.fileno()])
            reply({"ready": True})
            continue
        for answered in answers(worker, request):
            reply(answered)
            if answered.get("fatal"):
                os._exit(3)  # a spoiled context may hang in its destructors


if __name__ == "__main__":
    main()
