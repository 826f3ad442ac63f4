# From what was measured to tables: first per target, then with the recorded runs beside it.


rule collect:
    input:
        script_sources("collect"),
        "workflow/schemas/tables/measured.yaml",
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
        script_sources("summarise"),
        "workflow/schemas/tables/measured.yaml",
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
        script_sources("toolchains"),
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


# Keeps this machine's measurements as a recorded run. It declares no output: those files are inputs of the summary, and
# must change when recording is asked for and at no other time.
rule record:
    input:
        all_measured(),
        record_measured,
    log:
        "logs/record.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        copies=record_copies,
    script:
        "../scripts/record.py"
