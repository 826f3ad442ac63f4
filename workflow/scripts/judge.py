"""Give every claim its verdict, per run and target."""

from scopemark import tables
from scopemark.claims.code import build_target, judge_build
from scopemark.claims.definitions import load_claims
from scopemark.claims.finding import claim_tables
from scopemark.claims.judge import judge, places, rows_at
from scopemark.collect import HERE
from scopemark.experiment import load_experiment
from scopemark.jobs import job

with job(snakemake.log[0]):
    found = []
    summaries = [tables.read("summary", file) for file in snakemake.input.summaries]
    machines = places(snakemake.input.machines, summaries)
    for name, summary, kernels_file in zip(
        snakemake.params.experiments, summaries, snakemake.input.kernels, strict=True
    ):
        experiment, claims = load_experiment(name), load_claims(name)
        kernels = tables.read("kernels", kernels_file)
        hosts = [row for file in snakemake.input.hosts for row in tables.read("host_kernels", file).to_dict("records")]
        for place in machines:
            rows = rows_at(summary, place)
            for claim, definition in claims.items():
                if definition["needs"].get("kind") != "build":
                    found.append((place.run, place.target, claim, judge(definition, experiment, place, rows)))
        for toolchain in snakemake.params.toolchains:
            device = kernels[kernels["toolchain"] == toolchain].to_dict("records")
            host = [row for row in hosts if row["toolchain"] == toolchain and row["experiment"] == name]
            for claim, definition in claims.items():
                if definition["needs"].get("kind") == "build":
                    finding = judge_build(definition, experiment, device, host)
                    found.append((HERE, build_target(toolchain), claim, finding))
    claims, pairs = claim_tables(found)
    tables.write("claims", claims, snakemake.output.claims)
    tables.write("claim_pairs", pairs, snakemake.output.pairs)
