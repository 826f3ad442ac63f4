# From tables to answers. Nothing here measures: all of it is recomputed from stored CSVs.
include: "figures_common.smk"


rule figure:
    input:
        FIGURE_SOURCES,
        summary="results/tables/{experiment}.summary.csv",
        machines=machines_of_all_runs,
        published="workflow/report/published.csv",
        module="workflow/report/figures/{experiment}/{figure}.py",
    output:
        svg=report(
            "reports/figures/{experiment}/{figure}.svg",
            caption="../report/captions/figure.rst",
            category="{experiment}",
            subcategory=figure_kind,
            labels=figure_labels,
        ),
        pdf="reports/figures/{experiment}/{figure}.pdf",
        png="reports/figures/{experiment}/{figure}.png",
        csv="reports/figures/{experiment}/{figure}.csv",
    log:
        "logs/figure/{experiment}/{figure}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        caption=figure_caption,
    script:
        "../scripts/figure.py"


# The tables and numbers of a paper. The numbers are those that the figures draw.
rule paper:
    input:
        FIGURE_SOURCES,
        script_sources("paper"),
        points=all_figures("csv"),
        modules=all_figure_modules,
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
        modules=all_figure_modules,
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
