"""The list of cases on the page: what is shown of a kernel, and of a launch that there is not."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from scopemark.report.format import kernel_words
from scopemark.report.templates import environment


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("counter__atomic_ref_relaxed", "counter: atomic_ref_relaxed"),
        ("counter__a__b", "counter: a__b"),
        ("write_dense", "write_dense"),
    ],
)
def test_a_kernel_without_parameters_is_its_name_alone(kernel, words):
    assert kernel_words(kernel) == words


def test_a_case_without_a_launch_has_none_on_the_page():
    case = {"kernel": "access", "machine": "M", "case": "c", "status": "failed", "reason": None, "modes": 2}
    launches = ({"launch_blocks": pd.NA, "launch_threads": pd.NA}, {"launch_blocks": None, "launch_threads": None})
    cases = [case | launch for launch in (*launches, {"launch_blocks": 4, "launch_threads": 32})]
    status = {"statuses": [], "counts": [], "bad": cases, "modes_known": 3, "multimodal": cases}
    page = (
        environment()
        .get_template("cases.html.j2")
        .render(experiment={"about": {"name": "e"}, "status": status, "excluded": []})
    )
    assert re.findall(r'<td class="nowrap">(.*?)</td>', page) == ["", "", "4 × 32"] * 2
    assert "access:" not in page
