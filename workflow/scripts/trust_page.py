"""Render the trust page and its tables."""

from scopemark.jobs import job
from scopemark.trust_report.page import write

with job(snakemake.log[0]):
    write(dict(snakemake.output.items()), dict(snakemake.input.items()), snakemake.params.settings)
