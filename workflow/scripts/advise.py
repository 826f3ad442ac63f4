"""Answer every question of a reader, per run and target."""

from scopemark import tables
from scopemark.advice.code import built_fences, with_fences
from scopemark.advice.questions import answer, load_advice
from scopemark.claims.judge import places, rows_at
from scopemark.experiment import load_experiment
from scopemark.jobs import job

with job(snakemake.log[0]):
    answers = []
    files, names = snakemake.input, snakemake.params.experiments
    summaries = [tables.read("summary", file) for file in files.summaries]
    machines = places(files.machines, summaries)
    for name, summary, kernels, mnemonics in zip(names, summaries, files.kernels, files.mnemonics, strict=True):
        experiment, questions = load_experiment(name), load_advice(name)
        built = built_fences(tables.read("kernels", kernels), tables.read("mnemonics", mnemonics))
        for place in machines:
            rows = with_fences(rows_at(summary, place), place.machine, built)
            for question in questions.values():
                common = {
                    "run": place.run,
                    "target": place.target,
                    "experiment": name,
                    "topic": question.get("topic"),
                    "lead": question.get("lead", False),
                    "question": question["question"],
                }
                for text, ratio, surprise in answer(question, experiment, place.machine, rows):
                    bounds = {} if ratio is None else {"value": ratio.value, "low": ratio.low, "high": ratio.high}
                    answers.append(common | {"answer": text, "surprise": surprise or None} | bounds)
    tables.write("advice", tables.make("advice", answers), snakemake.output[0])
