TRUST = settings.raw.get("trust", {})


def gpu_targets(wildcards):
    """The GPUs among the targets; an error where there is none to trust."""
    found = [name for name, target in targets.items() if target.kind == "gpu"]
    if not found:
        raise WorkflowError(
            "snakemake trust measures a GPU, and there is none among the targets"
        )
    return found


def trust_inputs(wildcards):
    """The build that the trust report measures: of the first toolchain."""
    build = f"results/build/{list(toolchains)[0]}"
    architecture = f"sm_{targets[wildcards.target].architecture}"
    stem = f"{build}/{TRUST['experiment']}.{architecture}"
    return {
        "binary": f"{stem}.cubin",
        "kernels": f"{stem}.kernels.csv",
        "support": f"{build}/support.{architecture}.cubin",
    }


def trust_grid(wildcards):
    """The grid whose kernels NVBench measures too."""
    return settings.raw["experiments"][TRUST["experiment"]]["grids"][TRUST["grid"]]


def trust_repeat_grids(wildcards):
    """The grids that are measured twice: those of the preset that the configuration names for it."""
    grids = settings.grids_on(TRUST["experiment"], "gpu")
    return {name: grid for name, grid in grids.items() if name in TRUST["repeat"]}


def trust_tables(wildcards):
    """The tables of the trust report, for every GPU."""
    return expand(
        "results/trust/{target}/{table}.csv",
        target=gpu_targets(wildcards),
        table=["nvbench", "durations", "pairs", "repeat", "timing"],
    )
