"""Compare the engine with NVBench and with known durations, and look for differences where there are none."""

from pathlib import Path

from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.grid import expand
from scopemark.jobs import job
from scopemark.measure.gpu import GpuBackend
from scopemark.measure.lock import exclusive
from scopemark.trust.null import equal_pairs, known_durations
from scopemark.trust.nvbench import compare

with job(snakemake.log[0]):
    target = snakemake.params.target
    cases, _ = expand(load_experiment(snakemake.params.experiment), snakemake.params.grid, "gpu")
    limits = dict(snakemake.params.limits)
    with exclusive(target.uuid):
        files = (Path(snakemake.input[name]) for name in ("binary", "support", "support_host"))
        backend = GpuBackend(target.device, *files)
        # Before NVBench is loaded, which changes what a launch costs.
        durations = known_durations(backend)
        pairs = list(equal_pairs(backend, cases[::4], limits))
        rows = compare(backend, cases, limits)
    for name, found in {"nvbench": rows, "durations": durations, "pairs": pairs}.items():
        table = f"trust_{name}"
        tables.write(table, tables.make(table, found), snakemake.output[name])
