"""Cases of the atomic_intrinsics experiment, by benchmark and axis values."""

from scopemark.experiment import load_experiment
from scopemark.grid import expand

INTRINSICS = load_experiment("atomic_intrinsics")


def cases(benchmark, kind="gpu", **grid):
    return expand(INTRINSICS, {"benchmark": benchmark, "kind": kind, **grid}, kind)[0]
