"""An experiment whose cases crash, hang, lose updates or miscount. Only the tests use it."""

from scopemark.axes import choice, count, integer, resolve_count
from scopemark.experiment import Experiment
from scopemark.kernel_benchmark import Buffer, Check, KernelBenchmark, Launch

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

EXPERIMENT = Experiment("faults", "Faults", "Does one case's failure cost the others?", (FAULT,))
