# Whether the engine can be believed: measured on every GPU of this machine, on request.
include: "trust_common.smk"


rule trust_probe:
    input:
        unpack(trust_inputs),
    output:
        nvbench="results/trust/{target}/nvbench.csv",
        durations="results/trust/{target}/durations.csv",
        pairs="results/trust/{target}/pairs.csv",
    log:
        "logs/trust/{target}.probe.log",
    conda:
        "../envs/scopemark.yaml"
    resources:
        gpu=1,
    params:
        target=lambda wildcards: targets[wildcards.target],
        experiment=TRUST.get("experiment"),
        grid=trust_grid,
        limits=settings.measure,
    script:
        "../scripts/trust_probe.py"


rule trust_repeat:
    input:
        unpack(trust_inputs),
    output:
        repeat="results/trust/{target}/repeat.csv",
        timing="results/trust/{target}/timing.csv",
    log:
        "logs/trust/{target}.repeat.log",
    conda:
        "../envs/scopemark.yaml"
    resources:
        gpu=1,
    params:
        target=lambda wildcards: targets[wildcards.target],
        facts=lambda wildcards: describe_target(targets[wildcards.target]),
        experiment=TRUST.get("experiment"),
        grids=trust_repeat_grids,
        limits=settings.measure,
    script:
        "../scripts/trust_repeat.py"


rule trust:
    input:
        tables=trust_tables,
