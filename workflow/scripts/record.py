"""Keep measurements as a recorded run, byte for byte."""

import shutil
from pathlib import Path

from scopemark.jobs import job
from scopemark.stored_run import check_replaceable

with job(snakemake.log[0]):
    copies = {Path(source): Path(copy) for source, copy in snakemake.params.copies.items()}
    for source, copy in copies.items():
        if copy.name == "machine.json":
            check_replaceable(source, copy)
    for source, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
