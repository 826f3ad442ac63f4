"""Draw one figure: write the points it shows, read them back, and draw those."""

import matplotlib

matplotlib.use("agg")

from scopemark import style
from scopemark.figures.data import load_figure, load_results
from scopemark.figures.plots import nothing
from scopemark.figures.save import read_points, save, write_points
from scopemark.jobs import job

with job(snakemake.log[0]):
    style.apply()
    module = load_figure(snakemake.input.module)
    results = load_results(snakemake.input.summary, snakemake.input.machines, snakemake.input.published)
    write_points(module.data(results), snakemake.output.csv)
    points = read_points(snakemake.output.csv)
    drawing = nothing(module.TITLE) if points.empty else module.draw(points)
    save(drawing, snakemake.output.pdf, snakemake.output.svg, snakemake.output.png)
