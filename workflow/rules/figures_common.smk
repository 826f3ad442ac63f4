import os

from scopemark.layout import (
    REPORT,
    captions,
    definitions,
    figures,
    openings,
    texts,
)


def figure_modules(experiment):
    """The modules of an experiment's figures, in the report's order."""
    return [
        f"workflow/report/figures/{experiment}/{name}.py"
        for name in figures(experiment)
    ]


def figure_files(experiment, ending):
    """The files of an experiment's figures in a format, in the report's order."""
    return [
        f"reports/figures/{experiment}/{name}.{ending}" for name in figures(experiment)
    ]


def reported(experiment, name):
    """A figure's picture, with what Snakemake's report says of it."""
    kind, _, *words = name.split("_")
    picture = f"reports/figures/{experiment}/{name}.svg"
    about = {"category": experiment, "subcategory": kind.upper()}
    about["caption"] = str(captions(experiment, name))
    return report(picture, labels={"figure": " ".join(words)}, **about)


def reported_figures(experiment):
    """The pictures of an experiment's figures."""
    return [reported(experiment, name) for name in figures(experiment)]


FIGURE_ENDINGS = ("csv", "pdf", "svg", "png")


def all_figures(ending):
    """The files in a format of every figure of every experiment that the preset runs, in the report's order."""
    return [file for name in settings.grids for file in figure_files(name, ending)]


def all_captions(wildcards):
    return [
        os.path.relpath(captions(experiment, figure))
        for experiment in settings.grids
        for figure in figures(experiment)
    ]


def all_figure_modules():
    return [file for name in settings.grids for file in figure_modules(name)]


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
