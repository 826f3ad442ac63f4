"""Measure the cases of one experiment on one target."""

from pathlib import Path

from scopemark.capabilities import described_machine, machine_of
from scopemark.collect import read_machine
from scopemark.experiment import load_experiment
from scopemark.grid import spelled
from scopemark.jobs import job
from scopemark.measure.run import build_files, measure_experiment

description = snakemake.input.get("machine")
with job(snakemake.log[0]) as log:
    target, spellings = snakemake.params.target, snakemake.params.spellings
    experiment = load_experiment(snakemake.wildcards.experiment)
    machine = described_machine(read_machine(description)) if description else machine_of(target)
    measure_experiment(
        experiment=experiment,
        grids=[
            spelled(experiment.benchmark(grid["benchmark"]), grid, spellings[grid["benchmark"]], machine.processors)
            for grid in snakemake.params.grids.values()
        ],
        target=target,
        facts=snakemake.params.facts,
        toolchain=snakemake.wildcards.toolchain,
        build=build_files(snakemake.input),
        kernels=Path(snakemake.input.kernels),
        host_kernels=snakemake.input.get("host_kernels"),
        machine=machine,
        limits=snakemake.params.limits,
        cases_path=Path(snakemake.output.cases),
        samples_path=Path(snakemake.output.samples),
        log=log,
    )
