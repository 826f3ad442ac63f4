# What a run says last, as Snakemake is told to be quiet about the rules themselves.
from scopemark.closing import case_counts

PAGES = {
    "report": "reports/index.html",
    "compare_page": "reports/compare.html",
    "trust": "reports/trust.html",
}


def say(text):
    print(f"scopemark: {text}", file=sys.stderr)


def say_pages():
    """Every page that was asked for, and of the report the number of cases by status."""
    made = {job.rule.name for job in workflow.dag.jobs}
    for name, page in PAGES.items():
        if name in made:
            counts = case_counts(summary_files(None)) if name == "report" else ""
            say(f"{page} ({counts})" if counts else page)


onsuccess:
    say_pages()


onerror:
    say(
        "not finished; what failed is said above and in logs/. Nothing measured is lost: the same command goes on from there"
    )
