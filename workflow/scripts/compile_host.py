"""Compile a kernel file for CPU threads, and list its kernels with what identifies their code."""

import re
from pathlib import Path

from scopemark import tables
from scopemark.build import compile_host, host_code_hash
from scopemark.jobs import job

with job(snakemake.log[0]):
    instances = Path(snakemake.input.instances)
    source = Path(snakemake.input.sources[0])
    compile_host(
        snakemake.params.toolchain,
        source,
        instances,
        Path(snakemake.output.library),
        Path(snakemake.log[0]),
    )
    code_hash = host_code_hash(snakemake.params.toolchain, [*snakemake.input.sources, *snakemake.input.host])
    rows = [
        {
            "toolchain": snakemake.wildcards.toolchain,
            "architecture": "host",
            "experiment": snakemake.wildcards.experiment,
            "kernel": kernel,
            "code_hash": code_hash,
        }
        # From the list, and those that the file itself makes.
        for kernel in re.findall(r"^[A-Z_]+\((\w+)", instances.read_text() + source.read_text(), re.M)
    ]
    tables.write("host_kernels", tables.make("host_kernels", rows), snakemake.output.kernels)
