"""Draw the figures of an experiment."""

import matplotlib

matplotlib.use("agg")

from scopemark.figures.data import load_results
from scopemark.figures.drawing import draw_figures
from scopemark.jobs import job

with job(snakemake.log[0]):
    results = load_results(snakemake.input.summary, snakemake.input.machines, snakemake.input.published)
    draw_figures(snakemake.input.modules, results, dict(snakemake.output.items()))
