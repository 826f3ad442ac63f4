"""Reduce the samples of all runs of an experiment to one row per case."""

from scopemark import tables
from scopemark.collect import run_names, summarise_runs
from scopemark.experiment import load_experiment
from scopemark.jobs import job

with job(snakemake.log[0]):
    names = run_names(snakemake.input.machines)
    files = zip(snakemake.input.cases, snakemake.input.samples, strict=True)
    summary = summarise_runs(files, names, load_experiment(snakemake.wildcards.experiment).parameter_names)
    tables.write("summary", summary, snakemake.output.summary)
