"""Answer every question of a reader, per run and target."""

from scopemark import tables
from scopemark.advice import answer, load_advice
from scopemark.claims import places, rows_at
from scopemark.experiment import load_experiment
from scopemark.jobs import job

with job(snakemake.log[0]):
    answers = []
    summaries = [tables.read("summary", file) for file in snakemake.input.summaries]
    machines = places(snakemake.input.machines, summaries)
    for name, summary in zip(snakemake.params.experiments, summaries, strict=True):
        experiment, questions = load_experiment(name), load_advice(name)
        for place in machines:
            rows = rows_at(summary, place)
            for question in questions.values():
                common = {
                    "run": place.run,
                    "target": place.target,
                    "experiment": name,
                    "question": question["question"],
                }
                for text, ratio in answer(question, experiment, place.machine, rows):
                    bounds = {} if ratio is None else {"value": ratio.value, "low": ratio.low, "high": ratio.high}
                    answers.append(common | {"answer": text} | bounds)
    tables.write("advice", tables.make("advice", answers), snakemake.output[0])
