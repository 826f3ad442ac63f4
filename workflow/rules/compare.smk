# Two stored runs of one machine, on request: what a driver, a toolkit or a kernel changed. Nothing is measured.
include: "compare_common.smk"


rule compare:
    input:
        compare_results,


rule compare_runs:
    input:
        script_sources("compare"),
        "workflow/schemas/tables/compare.yaml",
        base=compared_files("base"),
        new=compared_files("new"),
    output:
        cases="reports/tables/compare.csv",
        groups="results/compare/groups.csv",
        code="results/compare/code.csv",
        facts="results/compare/facts.csv",
    log:
        "logs/compare/runs.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        settings=compare_params,
    script:
        "../scripts/compare.py"


rule compare_page:
    input:
        script_sources("compare_page"),
        cases="reports/tables/compare.csv",
        groups="results/compare/groups.csv",
        code="results/compare/code.csv",
        facts="results/compare/facts.csv",
        base=compared_files("base"),
        new=compared_files("new"),
        templates=report_templates(),
    output:
        "reports/compare.html",
    log:
        "logs/compare/page.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        settings=compare_params,
    script:
        "../scripts/compare_page.py"


# On its own, so that the page and the table are kept when it fails.
rule compare_check:
    input:
        "reports/compare.html",
        cases="reports/tables/compare.csv",
        groups="results/compare/groups.csv",
    output:
        touch("results/compare/checked.txt"),
    log:
        "logs/compare/check.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/compare_check.py"
