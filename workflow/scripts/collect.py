"""Put an experiment's measurements on one target together: every case once."""

from scopemark import tables
from scopemark.collect import merge_runs
from scopemark.jobs import job

with job(snakemake.log[0]):
    cases, samples = merge_runs(snakemake.input.cases, snakemake.input.samples)
    tables.write("cases", cases, snakemake.output.cases)
    tables.write("samples", samples, snakemake.output.samples)
