"""Tabulate what changed between the toolchains, of all experiments."""

import pandas as pd

from scopemark import tables
from scopemark.jobs import job
from scopemark.toolchain_changes import toolchain_changes

with job(snakemake.log[0]):
    frames = []
    for kernels, summary in zip(snakemake.input.kernels, snakemake.input.summaries, strict=True):
        found = tables.read("kernels", kernels), tables.read("summary", summary)
        frames.append(toolchain_changes(*found, snakemake.params.targets, snakemake.params.toolchains))
    tables.write("toolchains", pd.concat(frames, ignore_index=True), snakemake.output[0])
