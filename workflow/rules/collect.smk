# From what was measured to tables: first per target, then with the recorded runs beside it.


rule collect:
    input:
        unpack(measured_files),
    output:
        cases="results/collected/{target}/{experiment}.cases.csv",
        samples="results/collected/{target}/{experiment}.samples.csv.gz",
    log:
        "logs/collect/{target}/{experiment}.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/collect.py"


rule summarise:
    input:
        cases=cases_of_all_runs,
        samples=samples_of_all_runs,
        machines=machines_of_all_runs,
    output:
        summary="results/tables/{experiment}.summary.csv",
    log:
        "logs/summarise/{experiment}.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/summarise.py"


rule merge_kernels:
    input:
        kernels=kernel_table_files,
        mnemonics=lambda wildcards: [
            path.replace(".kernels.csv", ".mnemonics.csv")
            for path in kernel_table_files(wildcards)
        ],
    output:
        kernels="results/tables/{experiment}.kernels.csv",
        mnemonics="results/tables/{experiment}.mnemonics.csv",
    log:
        "logs/merge_kernels/{experiment}.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/merge_kernels.py"


rule toolchains:
    input:
        kernels=merged_kernel_files,
        summaries=summary_files,
    output:
        "results/tables/toolchains.csv",
    log:
        "logs/toolchains.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        targets=gpu_architectures,
        toolchains=list(toolchains),
    script:
        "../scripts/toolchains.py"


# Keeps this machine's measurements as a recorded run: the CSVs as they are, and the machine they come from.
rule record:
    input:
        [
            f"reports/reference/{target}/{file}"
            for target in targets
            for file in [
                "machine.json",
                *(f"{name}.cases.csv" for name in experiments_on(target)),
            ]
        ],


rule record_machine:
    input:
        "results/machines/{target}.json",
    output:
        "reports/reference/{target}/machine.json",
    log:
        "logs/record/{target}.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/record.py"


rule record_experiment:
    input:
        "results/collected/{target}/{experiment}.cases.csv",
        "results/collected/{target}/{experiment}.samples.csv.gz",
    output:
        "reports/reference/{target}/{experiment}.cases.csv",
        "reports/reference/{target}/{experiment}.samples.csv.gz",
    log:
        "logs/record/{target}.{experiment}.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/record.py"
