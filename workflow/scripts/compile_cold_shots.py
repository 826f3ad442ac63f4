"""Compile the program that fires an experiment's cold shots."""

from pathlib import Path

from scopemark.build import compile_cold_shots
from scopemark.jobs import job

with job(snakemake.log[0]):
    compile_cold_shots(
        snakemake.params.toolchain,
        snakemake.wildcards.architecture,
        Path(snakemake.input.sources[0]),
        snakemake.params.entries,
        Path(snakemake.output.program),
        Path(snakemake.log[0]),
    )
