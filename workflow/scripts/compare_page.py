"""Render the page of a comparison."""

import sys

from scopemark import tables
from scopemark.compare.page import finding, write_page
from scopemark.jobs import job

with job(snakemake.log[0]):
    files = snakemake.input
    machines = {"base": files.base[0], "new": files.new[0]}
    found = {name: files[name] for name in ("cases", "groups", "code", "facts")}
    write_page(snakemake.output[0], found, machines, snakemake.params.settings)
    words = finding(tables.read("compare", files["cases"]), tables.read("compare_groups", files["groups"]))
    print(f"scopemark: {words}: {snakemake.output[0]}", file=sys.stderr)
