# From tables to answers. Nothing here measures: all of it is recomputed from stored CSVs.
include: "figures_common.smk"


# One job draws all figures of an experiment: to start Python and its libraries takes longer than to draw one.
for experiment in settings.grids:

    rule:
        name:
            f"figures_{experiment}"
        input:
            script_sources("figures", figure_modules(experiment)),
            summary=f"results/tables/{experiment}.summary.csv",
            machines=machines_of_all_runs,
            published="workflow/report/published.csv",
            modules=figure_modules(experiment),
        output:
            svg=reported_figures(experiment),
            pdf=figure_files(experiment, "pdf"),
            png=figure_files(experiment, "png"),
            csv=figure_files(experiment, "csv"),
        log:
            f"logs/figures/{experiment}.log",
        conda:
            "../envs/scopemark.yaml"
        script:
            "../scripts/figures.py"


# The tables and numbers of a paper. The numbers are those that the figures draw.
rule paper:
    input:
        script_sources("paper", all_figure_modules()),
        points=all_figures("csv"),
        modules=all_figure_modules(),
        texts=all_text_modules,
        summaries=summary_files,
        published="workflow/report/published.csv",
        kernels=merged_kernel_files,
        mnemonics=merged_mnemonic_files,
        machines=machines_of_all_runs,
        claims="results/tables/claims.csv",
        definitions=definitions("claims"),
    output:
        texts=all_texts(),
        headline=multiext("reports/tables/headline", ".csv", ".tex"),
        claims=multiext("reports/tables/claims", ".csv", ".tex"),
        code=multiext("reports/tables/machine_code", ".csv", ".tex"),
        numbers="reports/tables/numbers.tex",
    log:
        "logs/paper.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        experiments=list(settings.grids),
    script:
        "../scripts/paper.py"


rule report:
    input:
        script_sources("report"),
        summaries=summary_files,
        kernels=merged_kernel_files,
        mnemonics=merged_mnemonic_files,
        machines=machines_of_all_runs,
        figures=all_figures("svg"),
        points=all_figures("csv"),
        modules=all_figure_modules(),
        captions=all_captions,
        openings=all_openings,
        text_modules=all_text_modules,
        texts=rules.paper.output.texts,
        claims="results/tables/claims.csv",
        definitions=definitions("claims"),
        advice="results/tables/advice.csv",
        toolchains=toolchains_file,
        published="workflow/report/published.csv",
        templates=report_templates(),
        tables=rules.paper.output,
    output:
        "reports/index.html",
    log:
        "logs/report.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        settings=report_settings,
    script:
        "../scripts/report.py"
