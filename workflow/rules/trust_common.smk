import os

from scopemark.layout import REFERENCE, captions, figures

TRUST = settings.raw.get("trust", {})
TRUST_TABLES = ["nvbench", "durations", "pairs", "repeat", "timing"]


def gpu_targets():
    """The GPUs among the targets."""
    return [name for name, target in targets.items() if target.kind == "gpu"]


def trust_inputs(wildcards):
    """The build that the trust report measures: of the first toolchain."""
    build = f"results/build/{list(toolchains)[0]}"
    architecture = f"sm_{targets[wildcards.target].architecture}"
    stem = f"{build}/{TRUST['experiment']}.{architecture}"
    return {
        "binary": f"{stem}.cubin",
        "kernels": f"{stem}.kernels.csv",
        "support": f"{build}/support.{architecture}.cubin",
        "support_host": "results/build/support.host.so",
    }


def trust_grid(wildcards):
    """The grid whose kernels NVBench measures too."""
    return settings.raw["experiments"][TRUST["experiment"]]["grids"][TRUST["grid"]]


def trust_repeat_grids(wildcards):
    """The grids that are measured twice: those of the preset that the configuration names for it."""
    grids = settings.grids_on(TRUST["experiment"], "gpu")
    return {name: grid for name, grid in grids.items() if name in TRUST["repeat"]}


def recorded_trust_runs():
    """The directories of recorded trust runs."""
    return sorted(map(str, REFERENCE.glob("*/trust")))


def recorded_trust_machine(run):
    """The machine that a trust run was recorded on: its own description, or that of the runs beside it."""
    own = f"{run}/machine.json"
    return own if os.path.exists(own) else f"{os.path.dirname(run)}/machine.json"


def trust_runs(wildcards):
    """Every table and the machine of every trust run, in one order: this machine's GPUs, then the recorded ones."""
    here, recorded = gpu_targets() if TRUST else [], recorded_trust_runs()
    if not here and not recorded:
        raise WorkflowError(
            "snakemake trust measures a GPU or shows recorded trust runs: there is no GPU among the targets "
            f"and no {REFERENCE}/<machine>/trust"
        )
    runs = [f"results/trust/{target}" for target in here] + recorded
    return {
        "machines": [f"results/machines/{target}.json" for target in here]
        + [recorded_trust_machine(run) for run in recorded],
        **{table: [f"{run}/{table}.csv" for run in runs] for table in TRUST_TABLES},
    }


def trust_source(wildcards):
    """Cases, samples and machine of what was measured in a source's way, of this machine's GPUs and recorded runs.

    Of this machine it is what the report has collected: nothing is measured for this page alone. A recorded run of one of
    this machine's own targets is left out: `record` writes it, and would be asked to.
    """
    here = [
        (
            f"results/collected/{target}/{name}.cases.csv",
            f"results/machines/{target}.json",
        )
        for target in gpu_targets()
        for name in experiments_on(target)
    ]
    found = [pair for pair in here if os.path.exists(pair[0])] + [
        (f"{run}/{experiment}.cases.csv", f"{run}/machine.json")
        for experiment in settings.grids
        for run in recorded_runs(experiment)
        if os.path.basename(run) not in targets
    ]
    return {
        "source_cases": [cases for cases, _ in found],
        "source_samples": [
            cases.replace(".cases.csv", ".samples.csv.gz") for cases, _ in found
        ],
        "source_machines": [machine for _, machine in found],
    }


def trust_captions():
    return [os.path.relpath(captions("trust", name)) for name in figures("trust")]


def trust_copies(wildcards):
    """What recording a trust run copies, and where to."""
    if not gpu_targets():
        raise WorkflowError(
            "snakemake record_trust keeps what was measured on a GPU, and there is none among the targets"
        )
    copies = {
        f"results/trust/{target}/{table}.csv": f"{REFERENCE}/{target}/trust/{table}.csv"
        for target in gpu_targets()
        for table in TRUST_TABLES
    }
    return copies | {
        f"results/machines/{target}.json": f"{REFERENCE}/{target}/trust/machine.json"
        for target in gpu_targets()
    }


def trust_measured(wildcards):
    """What recording a trust run keeps."""
    return list(trust_copies(wildcards))
