import os

from scopemark.layout import (
    REPORT,
    captions,
    definitions,
    figures,
    openings,
    texts,
)

# What every figure is drawn with; a change in it draws all of them again.
FIGURE_SOURCES = sorted(
    map(os.path.relpath, (REPORT.parent / "scopemark" / "figures").glob("*.py"))
) + ["workflow/scopemark/style.py"]


def figure_caption(wildcards):
    """The caption of a figure, which Snakemake's report takes from here."""
    return captions(wildcards.experiment, wildcards.figure).read_text()


def figure_labels(wildcards):
    """What Snakemake's report calls a figure."""
    return {"figure": " ".join(wildcards.figure.split("_")[2:])}


def figure_kind(wildcards):
    """What kind of target a figure is of: its name begins with it."""
    return wildcards.figure.split("_")[0].upper()


def all_figures(*endings):
    """The files of every figure of every experiment that the preset runs, in the report's order."""
    return [
        f"reports/figures/{experiment}/{figure}.{ending}"
        for experiment in settings.grids
        for figure in figures(experiment)
        for ending in endings
    ]


def all_captions(wildcards):
    return [
        os.path.relpath(captions(experiment, figure))
        for experiment in settings.grids
        for figure in figures(experiment)
    ]


def all_figure_modules(wildcards):
    return [
        f"workflow/report/figures/{experiment}/{figure}.py"
        for experiment in settings.grids
        for figure in figures(experiment)
    ]


def all_openings(wildcards):
    return [file for experiment in settings.grids for file in openings(experiment)]


def all_texts():
    """The tables in plain text of every experiment that the preset runs, in the report's order."""
    return [
        f"reports/tables/{text}.txt"
        for experiment in settings.grids
        for text in texts(experiment)
    ]


def all_text_modules(wildcards):
    return [
        f"workflow/report/texts/{experiment}/{text}.py"
        for experiment in settings.grids
        for text in texts(experiment)
    ]


def report_settings(wildcards):
    """What the report says of how was measured: the preset, its limits and grids, and the toolchains."""
    return {
        "preset": settings.preset,
        "measure": dict(settings.measure),
        "grids": {name: dict(grids) for name, grids in settings.grids.items()},
        "toolchains": list(toolchains),
        "architectures": list(architectures),
    }


def report_templates():
    """The parts of the report's page."""
    return sorted(map(os.path.relpath, (REPORT / "templates").glob("*")))
