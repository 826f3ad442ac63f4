from scopemark.compare.settings import comparison


def compare_settings():
    """The comparison that is configured; an error that says how to name two runs where there is none."""
    try:
        return comparison(settings.raw.get("compare"), settings.file)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def compared_files(end):
    """An input function: the files of the run at one end of the comparison."""

    def files(wildcards):
        # Not at the top: it brings pandas, which nothing else here needs.
        from scopemark.stored_run import find_run

        where = f"{settings.file}: compare.{end}"
        try:
            return find_run(compare_settings().runs[end], where).files()
        except UserError as error:
            raise WorkflowError(str(error)) from None

    return files


def compare_params(wildcards):
    """The runs' names and the thresholds: a change in one compares again."""
    found = compare_settings()
    return {
        "runs": dict(found.runs),
        "same_within": found.same_within,
        "offset_seconds": found.offset_seconds,
    }


def compare_results(wildcards):
    """The page and the table, and the check where it is asked for."""
    checked = ["results/compare/checked.txt"]
    return ["reports/compare.html", "reports/tables/compare.csv"] + (
        checked if compare_settings().fail_on_regression else []
    )
