"""The child process that holds the CUDA context or the host library.

Reads one JSON request a line and answers each with one line. A CUDA error that may have spoiled the context is reported
and then ends the process; its parent starts another.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from scopemark.experiment import load_experiment
from scopemark.measure.backend import Backend, Unsupported
from scopemark.procedure import Procedure

WARM_UP_SECONDS = 0.005  # a launch longer than this needs no untimed one before its batch


def open_backend(request: dict[str, Any], procedures: bool) -> Backend:
    """Where kernels are launched, or where procedures run."""
    if procedures:
        from scopemark.measure.rehearsal import open_stage_backend

        return open_stage_backend(request)
    if request["kind"] == "gpu":
        from scopemark.measure.gpu import GpuBackend

        return GpuBackend(request["device"], Path(request["binary"]), Path(request["support"]))
    from scopemark.measure.cpu import CpuBackend

    return CpuBackend(Path(request["binary"]))


class Worker:
    """Cases by id, the least recently sampled dropped when their memory passes the limit."""

    def __init__(self, request: dict[str, Any]):
        self._experiment = load_experiment(request["experiment"])
        self._request = request
        self._backends: dict[bool, Backend] = {}
        self._prepared: OrderedDict[str, Any] = OrderedDict()
        self._last: dict[str, float] = {}
        # What cannot be loaded is found out before any case is tried.
        self._backend(isinstance(self._experiment.benchmarks[0], Procedure))

    def _backend(self, procedures: bool) -> Backend:
        if procedures not in self._backends:
            self._backends[procedures] = open_backend(self._request, procedures)
        return self._backends[procedures]

    def _prepare(self, request: dict[str, Any]) -> Any:
        case = request["case"]
        if case in self._prepared:
            self._prepared.move_to_end(case)
            return self._prepared[case]
        benchmark = self._experiment.benchmark(request["benchmark"])
        backend = self._backend(isinstance(benchmark, Procedure))
        while self._prepared and sum(p.bytes for p in self._prepared.values()) > backend.keep_bytes:
            self._prepared.popitem(last=False)[1].close()
        self._prepared[case] = backend.prepare(benchmark, request["parameters"], request["kernel"])
        return self._prepared[case]

    def sample(self, request: dict[str, Any]) -> dict[str, Any]:
        start = time.perf_counter()
        prepared = self._prepare(request)
        ready = time.perf_counter()
        warm_up = self._last.get(request["case"], 0.0) < WARM_UP_SECONDS
        procedures = isinstance(self._experiment.benchmark(request["benchmark"]), Procedure)
        batch = self._backend(procedures).sample(prepared, request["first"], request["n"], warm_up)
        self._last[request["case"]] = min(batch.seconds)
        return {**vars(batch), "prepare_seconds": ready - start, "sample_seconds": time.perf_counter() - ready}


def answer(worker: Worker, request: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The reply to a request, and whether the process must end after it."""
    try:
        return worker.sample(request), False
    except Unsupported as error:
        return {"event": ["unsupported", str(error)]}, False
    except MemoryError as error:
        return {"event": ["unsupported", f"not enough memory: {error}"]}, False
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":
            return {"event": ["unsupported", f"not enough GPU memory: {error}"]}, False
        return {"event": ["failed", f"{type(error).__name__}: {error}"]}, True


def main() -> None:
    # Replies go to the pipe alone: whatever else prints goes to the log.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        if worker is None:
            worker = Worker(request)
            reply, fatal = {"ready": True}, False
        else:
            reply, fatal = answer(worker, request)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if fatal:
            os._exit(3)  # a spoiled context may hang in its destructors


if __name__ == "__main__":
    main()
