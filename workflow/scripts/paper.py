"""Write the tables and numbers of a paper, as CSV and LaTeX."""

from pathlib import Path

from scopemark.figures.data import load_figure, load_machines, load_results
from scopemark.jobs import job
from scopemark.report import latex as report_latex
from scopemark.report.code import code_table
from scopemark.report.tables import claims_table, headline_numbers, with_intervals

with job(snakemake.log[0]):
    files, output = snakemake.input, snakemake.output
    numbers = headline_numbers(files.modules, files.points, load_machines(files.machines))
    claims = claims_table(files.claims, snakemake.params.experiments)
    code = code_table(files.kernels, files.mnemonics)

    for frame, (csv, _) in ((numbers, output.headline), (claims, output.claims), (code, output.code)):
        frame.to_csv(csv, index=False, lineterminator="\n")

    shown = numbers[["machine", "quantity"]].assign(value=with_intervals(numbers))
    Path(output.headline[1]).write_text(report_latex.table(shown, ["Machine", "Quantity", "Value"], "llr"))
    shown = claims[["claim", "run", "target", "verdict"]].assign(value=with_intervals(claims, "ratio"))
    headings = ["Claim", "Run", "Target", "Verdict", "Value"]
    Path(output.claims[1]).write_text(report_latex.table(shown, headings, "llllr"))
    shown = code[["kernel", "architectures", "instruction", "warp_aggregated", "fences", "registers", "spill_bytes"]]
    headings = ["Kernel", "sm", "Instruction", "Aggregated", "Fences", "Registers", "Spills, bytes"]
    typewriter = ["kernel", "instruction", "fences"]
    Path(output.code[1]).write_text(report_latex.table(shown, headings, "lllllrr", typewriter))
    summaries = dict(zip(snakemake.params.experiments, files.summaries, strict=True))
    for module, path in zip(files.texts, output.texts, strict=True):
        results = load_results(summaries[Path(module).parent.name], files.machines, files.published)
        Path(path).write_text(load_figure(module).text(results))
    Path(output.numbers).write_text(report_latex.macros(numbers))
