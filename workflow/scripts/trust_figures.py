"""Draw the figures of the trust page."""

import matplotlib

matplotlib.use("agg")

from scopemark.figures.drawing import draw_figures
from scopemark.jobs import job
from scopemark.trust_report.runs import load_runs

with job(snakemake.log[0]):
    runs = load_runs(dict(snakemake.input.items()))
    draw_figures(snakemake.input.modules, runs, dict(snakemake.output.items()))
