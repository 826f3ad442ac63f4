"""Reduce the samples of all runs of an experiment to one row per case."""

from scopemark import tables
from scopemark.collect import run_names, summarise_runs
from scopemark.jobs import job

with job(snakemake.log[0]):
    names = run_names(snakemake.input.machines)
    summary = summarise_runs(zip(snakemake.input.cases, snakemake.input.samples, strict=True), names)
    tables.write("summary", summary, snakemake.output.summary)
