"""Compare two stored runs, case by case."""

from pathlib import Path

from scopemark import tables
from scopemark.compare.runs import Thresholds, compare_code, compare_groups, compare_runs
from scopemark.jobs import job
from scopemark.stored_run import StoredRun, changed_facts, check_same_machine

with job(snakemake.log[0]):
    settings, output = snakemake.params.settings, snakemake.output
    runs = [StoredRun(Path(settings["runs"][end]).expanduser()) for end in ("base", "new")]
    check_same_machine(*runs)
    cases = compare_runs(*runs, Thresholds(settings["same_within"], settings["offset_seconds"]))
    tables.write("compare", cases, output.cases)
    tables.write("compare_groups", compare_groups(cases), output.groups)
    tables.write("compare_code", compare_code(cases), output.code)
    tables.write("compare_facts", tables.make("compare_facts", changed_facts(*runs)), output.facts)
