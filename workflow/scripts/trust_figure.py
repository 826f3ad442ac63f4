"""Draw one figure of the trust page: write the points it shows, read them back, and draw those."""

import matplotlib

matplotlib.use("agg")

from scopemark import style
from scopemark.figures.data import load_figure
from scopemark.figures.save import read_points, save, write_points
from scopemark.jobs import job
from scopemark.trust_report.runs import load_runs

with job(snakemake.log[0]):
    style.apply()
    module = load_figure(snakemake.input.module)
    write_points(module.data(load_runs(dict(snakemake.input.items()))), snakemake.output.csv)
    drawing = module.draw(read_points(snakemake.output.csv))
    save(drawing, snakemake.output.pdf, snakemake.output.svg, snakemake.output.png)
