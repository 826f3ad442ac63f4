"""Render the report."""

from scopemark.jobs import job
from scopemark.report.page import write_page

with job(snakemake.log[0]):
    write_page(snakemake.output[0], dict(snakemake.input.items()), snakemake.params.settings)
