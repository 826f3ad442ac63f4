# Whether the engine can be believed: measured on every GPU of this machine on request, beside recorded runs.
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


rule trust_figures:
    input:
        script_sources("trust_figures", figure_modules("trust")),
        unpack(trust_runs),
        modules=figure_modules("trust"),
    output:
        svg=reported_figures("trust"),
        pdf=figure_files("trust", "pdf"),
        png=figure_files("trust", "png"),
        csv=figure_files("trust", "csv"),
    log:
        "logs/trust/figures.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/trust_figures.py"


# The page of this machine's GPUs and the recorded ones. Without a GPU nothing is measured.
rule trust:
    input:
        script_sources("trust_page", figure_modules("trust")),
        unpack(trust_runs),
        unpack(trust_source),
        figures=figure_files("trust", "svg"),
        points=figure_files("trust", "csv"),
        modules=figure_modules("trust"),
        captions=trust_captions(),
        templates=report_templates(),
    output:
        page="reports/trust.html",
        goals="reports/tables/trust_goals.csv",
        source="reports/tables/trust_source.csv",
        nvbench="reports/tables/trust_nvbench.csv",
        durations="reports/tables/trust_durations.csv",
        pairs="reports/tables/trust_pairs.csv",
        repeat="reports/tables/trust_repeat.csv",
        timing="reports/tables/trust_timing.csv",
    log:
        "logs/trust/page.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        settings=dict(settings.measure),
    script:
        "../scripts/trust_page.py"


# Keeps this machine's trust runs as recorded ones. It declares no output: those files are inputs of the page, and must
# change when recording is asked for and at no other time.
rule record_trust:
    input:
        trust_measured,
    log:
        "logs/trust/record.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        copies=trust_copies,
    script:
        "../scripts/record.py"
