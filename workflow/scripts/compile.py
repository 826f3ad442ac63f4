"""Compile a kernel file to a cubin for one architecture."""

import shutil
from pathlib import Path

from scopemark.build import compile_cubin
from scopemark.jobs import job

with job(snakemake.log[0]):
    instances = snakemake.input.get("instances")
    sources = snakemake.input.sources
    compile_cubin(
        snakemake.params.toolchain,
        snakemake.wildcards.architecture,
        Path(sources if isinstance(sources, str) else sources[0]),
        Path(instances) if instances else None,
        Path(snakemake.output.cubin),
        Path(snakemake.log[0]),  # where it stays when this fails: Snakemake deletes a failed job's outputs
    )
    shutil.copyfile(snakemake.log[0], snakemake.output.ptxas)
