# From tables to answers. Nothing here measures: all of it is recomputed from stored CSVs.


rule report:
    input:
        summaries=summary_files,
    output:
        "reports/index.html",
    log:
        "logs/report.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/report.py"
