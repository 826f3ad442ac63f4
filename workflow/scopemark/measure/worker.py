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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scopemark.benchmark import Benchmark
from scopemark.capabilities import gpu_machine
from scopemark.experiment import load_experiment
from scopemark.measure.backend import COLD_SHOTS, Backend, Unsupported, backend_of
from scopemark.measure.cold_shots import ColdShot, Series

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
    """Cases by id, the least recently sampled dropped when their memory passes the limit."""

    def __init__(self, request: dict[str, Any]):
        self._experiment = load_experiment(request["experiment"])
        self._prepared: OrderedDict[str, Any] = OrderedDict()
        self._held_bytes = 0  # by all of them; to add them up again for every case would be quadratic
        self._last: dict[str, float] = {}
        # What cannot be loaded is found out before any case is tried.
        self._backends = {name: open_backend(name, request) for name in request["backends"] if name != COLD_SHOTS}
        self._opening = request

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

    def sample(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What was measured, for one request after another."""
        benchmarks = [self._experiment.benchmark(request["benchmark"]) for request in requests]
        if backend_of(benchmarks[0], requests[0]["parameters"]) == COLD_SHOTS:
            yield from self._fire(list(zip(benchmarks, requests, strict=True)))
            return
        for benchmark, request in zip(benchmarks, requests, strict=True):
            yield self._sample(benchmark, request)

    def _sample(self, benchmark: Benchmark, request: dict[str, Any]) -> dict[str, Any]:
        start = time.perf_counter()
        backend = self._backends[backend_of(benchmark, request["parameters"])]
        prepared = self._prepare(request, benchmark, backend)
        ready = time.perf_counter()
        warm_up = self._last.get(request["case"], 0.0) < WARM_UP_SECONDS
        batch = backend.sample(prepared, request["first"], request["n"], warm_up)
        self._last[request["case"]] = min(batch.seconds)
        return {**vars(batch), "prepare_seconds": ready - start, "sample_seconds": time.perf_counter() - ready}

    def _fire(self, cases: Sequence[tuple[Benchmark, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
        """A series of cold shots. This process has no context on the GPU: the program's is the only one."""
        start, device = time.perf_counter(), self._opening["device"]
        machine = gpu_machine(device)
        shots = [ColdShot(case, request["parameters"], request["kernel"], machine) for case, request in cases]
        series = Series(Path(self._opening["cold_shots"]), device, shots)
        last = time.perf_counter()
        prepare = last - start
        for batch in series.fire():
            now = time.perf_counter()
            yield {**vars(batch), "prepare_seconds": prepare, "sample_seconds": now - last}
            last, prepare = now, 0.0


def answers(worker: Worker, requests: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
    """The replies to requests, one for each, and whether the process must end after it."""
    replies = worker.sample(requests)
    for _ in requests:
        try:
            yield next(replies), False
        except Unsupported as error:
            yield {"event": ["unsupported", str(error)]}, False
        except MemoryError as error:  # CuPy's for the GPU's memory too
            yield {"event": ["unsupported", f"not enough memory: {error}"]}, False
        except Exception as error:
            yield {"event": ["failed", f"{type(error).__name__}: {error}"]}, True
            return


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
            worker = Worker(request)
            reply({"ready": True})
            continue
        for answered, fatal in answers(worker, request):
            reply(answered)
            if fatal:
                os._exit(3)  # a spoiled context may hang in its destructors


if __name__ == "__main__":
    main()
