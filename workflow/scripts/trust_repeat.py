"""Measure the preset's grids twice, in separate processes."""

import shutil
from pathlib import Path

from scopemark import tables
from scopemark.experiment import load_experiment
from scopemark.grid import budgeted, expand_all
from scopemark.jobs import job
from scopemark.measure.lock import exclusive
from scopemark.measure.run import build_files, code_hash, site_of
from scopemark.trust.repeat import measure_twice

with job(snakemake.log[0]) as log:
    target = snakemake.params.target
    experiment = load_experiment(snakemake.params.experiment)
    cases = {
        case.id: case
        for case in expand_all(experiment, budgeted(snakemake.params.grids.values(), snakemake.params.limits), "gpu")[0]
        if case.parameters["sampling"] == "adaptive"
    }
    kernels = tables.read("kernels", snakemake.input.kernels).set_index("kernel")
    site = site_of(experiment, target, snakemake.params.facts, build_files(snakemake.input))
    journals = Path("results/trust") / target.name / "journal"
    with exclusive(target.uuid):
        repeat, timing = measure_twice(
            site,
            list(cases.values()),
            {case: code_hash(cases[case], kernels["code_hash"]) for case in cases},
            dict(snakemake.params.limits),
            journals,
            log,
        )
    tables.write("trust_repeat", tables.make("trust_repeat", repeat), snakemake.output.repeat)
    tables.write("trust_timing", tables.make("trust_timing", timing), snakemake.output.timing)
    shutil.rmtree(journals)  # asked for again, it is measured again
