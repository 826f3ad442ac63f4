"""Write the list of kernels that the configured cases need."""

from pathlib import Path

from scopemark.build import write_instances
from scopemark.experiment import load_experiment
from scopemark.grid import instances
from scopemark.jobs import job

with job(snakemake.log[0]):
    experiment = load_experiment(snakemake.wildcards.experiment)
    lines = instances(experiment, snakemake.params.grids.values(), snakemake.wildcards.kind)
    write_instances(lines, Path(snakemake.output[0]))
