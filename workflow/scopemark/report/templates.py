"""The environment that every page is rendered in: the templates, the formatters and the style."""

from __future__ import annotations

import jinja2

from scopemark.layout import REPORT
from scopemark.report import format as report_format


def environment() -> jinja2.Environment:
    """Templates of `workflow/report/templates`, in which a name that is missing is an error."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(REPORT / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    names = ("digits", "fact_name", "interval", "kernel_words", "missing", "published_value")
    found.globals |= {name: getattr(report_format, name) for name in names}
    found.globals["css"] = (REPORT / "templates" / "style.css").read_text()
    return found
