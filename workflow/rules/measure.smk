# Timing. One job per target, toolchain and experiment; what it has measured before it takes from its journal. What may
# harm the machine is a part of its own, after all others.


rule machine:
    output:
        "results/machines/{target}.json",
    log:
        "logs/machines/{target}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        target=lambda wildcards: targets[wildcards.target],
        facts=lambda wildcards: describe_target(targets[wildcards.target]),
    script:
        "../scripts/machine.py"


rule measure:
    input:
        unpack(evidence_files),
        binary=binary_file,
        before=measured_before,
    output:
        cases="results/measured/{target}/{toolchain}/{experiment}.{part}.cases.csv",
        samples="results/measured/{target}/{toolchain}/{experiment}.{part}.samples.csv.gz",
    log:
        "logs/measure/{target}/{toolchain}/{experiment}.{part}.log",
    conda:
        "../envs/scopemark.yaml"
    # What is timed on CPUs has them to itself; the profile lets one GPU measurement run at a time.
    threads: lambda wildcards: workflow.cores or 1 if takes_the_machine(wildcards) else 1
    resources:
        gpu=lambda wildcards: int(targets[wildcards.target].kind == "gpu"),
    params:
        target=lambda wildcards: targets[wildcards.target],
        facts=lambda wildcards: describe_target(targets[wildcards.target]),
        grids=lambda wildcards: part_grids(**wildcards),
        spellings=count_spellings,
        limits=lambda wildcards: settings.limits(wildcards.experiment),
        code=procedure_code,
    script:
        "../scripts/measure.py"
