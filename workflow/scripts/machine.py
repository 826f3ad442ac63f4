"""Describe the machine of a target."""

import json
from pathlib import Path

from scopemark.jobs import job
from scopemark.machine import describe

with job(snakemake.log[0]):
    Path(snakemake.output[0]).write_text(json.dumps(describe(snakemake.params.target), indent=2) + "\n")
