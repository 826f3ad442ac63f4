# From tables to verdicts and advice. What is claimed and what is asked are data: workflow/report/claims and advice.
from scopemark.layout import definitions


rule judge:
    input:
        script_sources("judge"),
        "workflow/schemas/tables/judged.yaml",
        summaries=summary_files,
        kernels=merged_kernel_files,
        # The host build is made with one toolchain: the first.
        hosts=expand(
            "results/build/{toolchain}/{experiment}.host.csv",
            toolchain=list(toolchains)[:1],
            experiment=settings.grids,
        ),
        machines=machines_of_all_runs,
        definitions=definitions("claims"),
    output:
        claims="results/tables/claims.csv",
        pairs="results/tables/claim_pairs.csv",
    log:
        "logs/judge.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        experiments=list(settings.grids),
        toolchains=list(toolchains),
    script:
        "../scripts/judge.py"


rule advise:
    input:
        script_sources("advise"),
        "workflow/schemas/tables/judged.yaml",
        summaries=summary_files,
        kernels=merged_kernel_files,
        mnemonics=merged_mnemonic_files,
        machines=machines_of_all_runs,
        definitions=definitions("advice"),
    output:
        "results/tables/advice.csv",
    log:
        "logs/advise.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        experiments=list(settings.grids),
    script:
        "../scripts/advise.py"
