import os

from scopemark.axes import cold_shots
from scopemark.config import load_settings, origin
from scopemark.experiment import load_experiment
from scopemark.grid import instances_of, spellings
from scopemark.jobs import share_package
from scopemark.layout import (
    REFERENCE,
    host_sources,
    kernel_sources,
    recorded_runs,
    script_sources,
)
from scopemark.procedure import Procedure
from scopemark.targets import describe_target

share_package()

try:
    settings = load_settings(
        config, origin(workflow.configfiles, workflow.config_settings.config)
    )
    targets = {target.name: target for target in settings.targets}
    toolchains = {chain.identity: chain for chain in settings.toolchains}
    architectures = settings.architectures
except UserError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    target="|".join(targets),
    toolchain="|".join(toolchains),
    experiment="|".join(settings.grids),
    kind="gpu|cpu",
    architecture=r"\d+",
    part="main|last",


def kernel_table_files(wildcards):
    """The machine-code tables of an experiment: every toolchain and architecture."""
    return expand(
        "results/build/{toolchain}/{experiment}.sm_{architecture}.kernels.csv",
        toolchain=toolchains,
        experiment=wildcards.experiment,
        architecture=architectures,
    )


def target_toolchains(target):
    """The toolchains a target is measured with. The host build takes only headers from one: the first."""
    return list(toolchains) if targets[target].kind == "gpu" else list(toolchains)[:1]


def binary_file(wildcards):
    """The build that a target runs."""
    target = targets[wildcards.target]
    name = f"sm_{target.architecture}.cubin" if target.kind == "gpu" else "host.so"
    return f"results/build/{wildcards.toolchain}/{wildcards.experiment}.{name}"


def measured_parts(experiment, target):
    """The grids that the preset measures of an experiment on a target, by part.

    What may harm the machine is the part "last", everything else the part "main".
    """
    parts = {}
    for name, grid in settings.grids_on(experiment, targets[target].kind).items():
        last = load_experiment(experiment).benchmark(grid["benchmark"]).last
        parts.setdefault("last" if last else "main", {})[name] = grid
    return parts


def part_grids(experiment, target, part, **_):
    """The grids of a job."""
    return measured_parts(experiment, target).get(part, {})


def part_benchmarks(wildcards):
    """The benchmarks that a job measures, each once."""
    names = {grid["benchmark"] for grid in part_grids(**wildcards).values()}
    return [
        load_experiment(wildcards.experiment).benchmark(name) for name in sorted(names)
    ]


def count_spellings(wildcards):
    """How the experiment's grids, whatever the preset, spell the numbers of blocks and threads, by benchmark."""
    grids = settings.raw["experiments"][wildcards.experiment]["grids"].values()
    kind = targets[wildcards.target].kind
    return {
        benchmark.name: spellings(benchmark, grids, kind)
        for benchmark in part_benchmarks(wildcards)
    }


def evidence_files(wildcards):
    """What identifies the machine code that a target runs, and on a GPU the engine's own kernels.

    CPU code takes part only where there are sequences: the host build is of no concern to other experiments.
    """
    target = targets[wildcards.target]
    build = f"results/build/{wildcards.toolchain}"
    if target.kind == "cpu":
        return {"kernels": f"{build}/{wildcards.experiment}.host.csv"}
    architecture = f"sm_{target.architecture}"
    files = {
        "kernels": f"{build}/{wildcards.experiment}.{architecture}.kernels.csv",
        "support": f"{build}/support.{architecture}.cubin",
        "support_host": "results/build/support.host.so",
        "machine": f"results/machines/{wildcards.target}.json",
    }
    if cold_shot_instances(wildcards.experiment):
        program = f"{wildcards.experiment}.{architecture}.cold_shots"
        files["cold_shots"] = f"{build}/{program}"
    if has_procedures(wildcards):
        files["host"] = f"{build}/{wildcards.experiment}.host.so"
        files["host_kernels"] = f"{build}/{wildcards.experiment}.host.csv"
    return files


def cold_shot_instances(experiment):
    """The kernels that an experiment fires as cold shots: kernel to its entry of the instance list.

    They are in the order in which they are fired, as in the source of a program that somebody writes: where code lies
    is part of what a first launch costs.
    """
    return instances_of(
        load_experiment(experiment),
        settings.grids_on(experiment, "gpu").values(),
        "gpu",
        lambda case: cold_shots(case.parameters["sampling"]),
    )


def has_procedures(wildcards):
    """Whether any of a job's cases is a sequence, in which the CPU takes part."""
    return any(
        isinstance(benchmark, Procedure) for benchmark in part_benchmarks(wildcards)
    )


def takes_the_machine(wildcards):
    """Whether a measurement needs the CPUs to itself."""
    return targets[wildcards.target].kind == "cpu" or has_procedures(wildcards)


def procedure_code(wildcards):
    """What identifies the sequences that a job's cases go through: their change is a new measurement."""
    return [benchmark.code() for benchmark in part_benchmarks(wildcards)]


def all_measured():
    """The measurements of every target, toolchain, experiment and part.

    Named as a goal beside what is made from them: where a job has died, what an earlier one led to may still be there,
    and Snakemake would take it for up to date.
    """
    return [
        f"results/measured/{target}/{toolchain}/{experiment}.{part}.cases.csv"
        for target in targets
        for toolchain in target_toolchains(target)
        for experiment in experiments_on(target)
        for part in measured_parts(experiment, target)
    ]


def measured_before(wildcards):
    """What a measurement waits for beside its kernels: every other one, if it is one of the last."""
    if wildcards.part != "last":
        return []
    return [path for path in all_measured() if path.endswith(".main.cases.csv")]


def measured_files(wildcards):
    """The measurements of one experiment on one target: every toolchain and part, cases and samples."""
    if wildcards.target not in targets_of(wildcards.experiment):
        raise WorkflowError(
            f"there is nothing to collect of {wildcards.experiment} on {wildcards.target}: the preset "
            f"{settings.preset} measures it on {', '.join(targets_of(wildcards.experiment)) or 'none of the targets'}"
        )
    return {
        table: expand(
            "results/measured/{target}/{toolchain}/{experiment}.{part}.{table}",
            target=wildcards.target,
            toolchain=target_toolchains(wildcards.target),
            experiment=wildcards.experiment,
            part=measured_parts(wildcards.experiment, wildcards.target),
            table=file,
        )
        for table, file in {"cases": "cases.csv", "samples": "samples.csv.gz"}.items()
    }


def experiments_on(target):
    """The experiments that the preset runs on a target."""
    kind = targets[target].kind
    return [name for name in settings.grids if settings.grids_on(name, kind)]


def targets_of(experiment):
    """The targets that the preset measures an experiment on."""
    return [name for name in targets if experiment in experiments_on(name)]


def cases_of_all_runs(wildcards):
    """An experiment's cases from this machine's targets and from the recorded runs."""
    here = [
        f"results/collected/{target}/{wildcards.experiment}.cases.csv"
        for target in targets_of(wildcards.experiment)
    ]
    return here + [
        f"{run}/{wildcards.experiment}.cases.csv"
        for run in recorded_runs(wildcards.experiment)
    ]


def samples_of_all_runs(wildcards):
    """The samples beside `cases_of_all_runs`."""
    return [
        path.replace(".cases.csv", ".samples.csv.gz")
        for path in cases_of_all_runs(wildcards)
    ]


def machines_of_all_runs(wildcards):
    """The machine descriptions of this machine's targets and of the recorded runs."""
    runs = sorted({run for name in settings.grids for run in recorded_runs(name)})
    return [f"results/machines/{target}.json" for target in targets] + [
        f"{run}/machine.json" for run in runs
    ]


def summary_files(wildcards):
    return expand("results/tables/{experiment}.summary.csv", experiment=settings.grids)


def merged_kernel_files(wildcards):
    return expand("results/tables/{experiment}.kernels.csv", experiment=settings.grids)


def merged_mnemonic_files(wildcards):
    return expand(
        "results/tables/{experiment}.mnemonics.csv", experiment=settings.grids
    )


def gpu_architectures(wildcards):
    """The GPUs among the targets, each with its architecture."""
    return {
        name: f"sm_{target.architecture}"
        for name, target in targets.items()
        if target.kind == "gpu"
    }


def toolchains_file(wildcards):
    """What changed between the toolchains, where there are several."""
    return ["results/tables/toolchains.csv"] if len(toolchains) > 1 else []


def record_copies(wildcards):
    """What recording a run copies, and where to: machine descriptions, cases and samples."""
    copies = {}
    for target in targets:
        run = f"{REFERENCE}/{target}"
        copies[f"results/machines/{target}.json"] = f"{run}/machine.json"
        for name in experiments_on(target):
            for file in (f"{name}.cases.csv", f"{name}.samples.csv.gz"):
                copies[f"results/collected/{target}/{file}"] = f"{run}/{file}"
    return copies


def record_measured(wildcards):
    """What recording a run keeps."""
    return list(record_copies(wildcards))
