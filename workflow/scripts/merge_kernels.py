"""Put the machine-code tables of every toolchain and architecture together."""

import pandas as pd

from scopemark import tables
from scopemark.jobs import job

with job(snakemake.log[0]):
    for table in ("kernels", "mnemonics"):
        frames = [tables.read(table, path) for path in snakemake.input[table]]
        tables.write(table, pd.concat(frames, ignore_index=True), snakemake.output[table])
