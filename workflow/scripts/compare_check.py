"""Fail where a comparison confirmed a regression."""

from scopemark import tables
from scopemark.compare.runs import regressions
from scopemark.errors import UserError
from scopemark.jobs import job

with job(snakemake.log[0]):
    cases = tables.read("compare", snakemake.input.cases)
    found = regressions(cases, tables.read("compare_groups", snakemake.input.groups))
    if found:
        shown = [*found[:20], *([f"and {len(found) - 20} more"] if len(found) > 20 else [])]
        raise UserError(
            "a regression is confirmed; reports/compare.html shows it. compare.fail_on_regression is true, so this "
            "is an error:\n  " + "\n  ".join(shown)
        )
