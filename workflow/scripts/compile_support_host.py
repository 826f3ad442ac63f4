"""Compile the engine's own host code."""

from pathlib import Path

from scopemark.build import compile_library
from scopemark.jobs import job

with job(snakemake.log[0]):
    compile_library([Path(snakemake.input.source)], Path(snakemake.output.library), Path(snakemake.log[0]))
