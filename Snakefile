from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/start.smk"


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/compile.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/judge.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/trust.smk"
include: "workflow/rules/closing.smk"


rule all:
    default_target: True
    input:
        all_measured(),
        "reports/index.html",
        [all_figures(ending) for ending in FIGURE_ENDINGS],
        rules.paper.output,
