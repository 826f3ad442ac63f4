"""An experiment whose cases crash, hang, lose updates or miscount. Only the tests use it."""

import itertools
import os
import signal
import time

from scopemark.axes import choice, count, integer, resolve_count
from scopemark.experiment import Experiment
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch
from scopemark.procedure import Procedure, checked

FAULT = KernelBenchmark(
    name="fault",
    axes=(
        choice("step", ["exact", "wrong", "race", "crash", "hang", "spin"], "what each thread does"),
        integer("number", 16, 0, 2**40, "nanoseconds to spin, or the address to crash at"),
        integer("iterations", 1, 1, 2**24, "steps per thread"),
        integer("shared_bytes", 0, 0, 2**24, "memory of a block"),
        count("blocks", 1, "blocks"),
        count("threads_per_block", 1, "threads in a block"),
    ),
    compile_axes=("step",),
    rules=(),
    launch=lambda p, machine: Launch(
        resolve_count(p["blocks"], machine.processors),
        resolve_count(p["threads_per_block"], machine.processors),
        p["shared_bytes"],
    ),
    buffers=lambda p, launch: {"counter": Buffer("uint32", 1, 0)},
    arguments=lambda p, launch: ["counter", p["number"], p["iterations"]],
    check=lambda p, launch: Check(
        "counter", 1, 1, p["iterations"] * launch.blocks * launch.threads, exact=p["step"] != "race"
    ),
    operations=lambda p, launch: p["iterations"] * launch.blocks * launch.threads,
)


def _sequence(p, stage):
    """Three words of memory are written and looked at; what goes wrong goes wrong in the third sample."""
    for sample in itertools.count():
        memory = stage.allocate("mmap", 4096)
        memory.words()[:3] = (1, 2, 3)
        if sample == 2:
            _go_wrong(p["accident"], memory)
        timed = stage.clocked(lambda: time.sleep(p["sleep_us"] * 1e-6))
        yield checked(timed, int(memory.words()[:3].sum()), 6, note="three words")
        if p["accident"] != "leak":
            memory.release()


def _go_wrong(accident, memory):
    if accident == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if accident == "raise":
        raise RuntimeError("by accident")
    if accident == "hang":
        time.sleep(600)
    if accident == "lack":
        raise MemoryError("by accident")
    if accident == "wrong":
        memory.words()[0] = 7


SEQUENCE = Procedure(
    name="sequence",
    axes=(
        choice("accident", ["none", "wrong", "kill", "raise", "hang", "lack", "leak"], "what goes wrong"),
        integer("sleep_us", 0, 0, 10**6, "microseconds that the timed step lasts"),
        integer("least_processors", 0, 0, 10**6, "processors that it says it needs"),
    ),
    rules=(),
    run=_sequence,
    uses=lambda p: (),
    times=lambda p: "sleep",
    missing=lambda p, machine: (
        f"needs {p['least_processors']} processors" if p["least_processors"] > machine.processors else None
    ),
    operations=lambda p: 3,
)

EXPERIMENT = Experiment("faults", "Faults", "Does one case's failure cost the others?", (FAULT, SEQUENCE))
