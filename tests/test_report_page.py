"""The parts of the report's page: answers first, shares of cases, claims by experiment, counts of machine code."""

import re

import pandas as pd
import pytest

from scopemark import tables
from scopemark.report.answers import answer_parts, beginning
from scopemark.report.claims import claim_groups
from scopemark.report.code import SAME, code_part
from scopemark.report.statuses import WORDS, legend, over_processes, share, shares
from scopemark.report.templates import environment

GPU = {"kind": "gpu", "gpu": {"name": "G"}}
CPU = {"kind": "cpu", "host": {"cpu": "C", "machine": "m", "usable_cpus": 2}}
HERE, RECORDED = ("C (2 CPUs)", "measured here"), ("G", "recorded 2026")


def cell(verdict, detail="D."):
    return {"verdict": verdict, "value": "", "detail": detail}


def claim(name, *cells, builds=()):
    row = {"id": name, "statement": f"{name} holds.", "source": "a book, 1", "document": "a book", "section": "1"}
    return row | {"published": None} | {"cells": list(cells), "builds": list(builds)}


def test_fences_are_counted_in_their_own_experiment():
    rows = [
        {"experiment": experiment, "kernel": kernel, "fences": fences}
        for experiment, kernel, fences in (
            ("a", "k", ""),
            ("a", "k", "MEMBAR"),
            ("a", "l", "MEMBAR"),
            ("b", "k", "MEMBAR"),
            ("c", "k", ""),
        )
    ]
    table = pd.DataFrame(rows, columns=SAME)
    found = {name: code_part(table, name) for name in "abc"}
    assert {name: (len(part["rows"]), part["kernels"], part["fenced"]) for name, part in found.items()} == {
        "a": (3, 2, 2),
        "b": (1, 1, 1),
        "c": (1, 1, 0),
    }


def test_every_status_has_words():
    assert list(WORDS) == list(tables.STATUSES)
    frames = [pd.DataFrame({"status": ["skipped", "ok"]}), pd.DataFrame({"status": ["ok"]})]
    assert [status for status, _ in legend(frames)] == ["ok", "skipped"]


def test_shares_are_of_an_experiments_own_cases():
    own = pd.DataFrame(
        {
            "experiment": ["scoped_atomics"] * 4 + ["unified_memory"] * 3,
            "status": ["ok", "ok", "ok", "skipped", "unsupported", "unstable", "unsupported"],
            "processes": [6, 6, 1, None, None, None, None],
        }
    )
    scoped, unified = shares(own)
    assert (scoped["name"], scoped["cases"]) == ("scoped_atomics", 4)
    assert scoped["statuses"] == [("ok", 3, "75 %"), ("skipped", 1, "25 %")]
    assert unified["statuses"] == [("unstable", 1, "33 %"), ("unsupported", 2, "67 %")]
    assert (scoped["intervals"], unified["intervals"]) == ("intervals over 6 processes", "")


@pytest.mark.parametrize(("unstable", "noisy"), [(2, False), (3, True)])
def test_a_machine_says_that_most_of_its_cases_are_noise(unstable, noisy):
    """Of five cases four were measured."""
    statuses = ["unstable"] * unstable + ["ok"] * (4 - unstable) + ["unsupported"]
    own = pd.DataFrame({"experiment": "scoped_atomics", "status": statuses, "processes": [6] * 4 + [None]})
    assert shares(own)[0]["noisy"] == noisy


@pytest.mark.parametrize(
    ("processes", "said"),
    [([1, 1, 6], "within one process"), ([5, 5], "within 5 processes"), ([12], "over 12 processes")],
)
def test_a_machine_says_what_its_intervals_are_over(processes, said):
    """Of fewer than six medians not even the extremes enclose the median with 95 %."""
    assert over_processes(pd.Series(processes, dtype="Int64")) == f"intervals {said}"


@pytest.mark.parametrize(
    ("part", "whole", "said"), [(0, 9, "0 %"), (1, 1000, "<1 %"), (999, 1000, ">99 %"), (7, 7, "100 %"), (1, 3, "33 %")]
)
def test_a_share_is_none_or_all_only_if_it_is(part, whole, said):
    assert share(part, whole) == said


def test_the_answers_of_a_machine_are_its_advice_and_what_it_contradicts():
    machines = {("recorded 2026", "g"): GPU, ("here", "cpu"): CPU}
    columns = [RECORDED, HERE]
    advice = [
        {"name": RECORDED[0], "run": RECORDED[1], "lead": [("Use it: 2×.", "4 blocks")]},
        {"name": HERE[0], "run": HERE[1], "lead": []},
    ]
    claims = [
        claim("X1", cell("contradicted", "A against B: worse in both; worst: 0.5× (1 MiB; 2 against 4); more."), None),
        claim("X2", cell("holds"), cell("contradicted")),
        claim("X3", cell("unresolved"), None, builds=[("build t", cell("contradicted"))]),
    ]
    parts = answer_parts(machines, advice, columns, claims, [])
    assert [(part["name"], [wrong["id"] for wrong in part["wrong"]]) for part in parts] == [
        (RECORDED[0], ["X1"]),
        (HERE[0], ["X2"]),
        ("build t", ["X3"]),
    ]
    assert parts[0]["lead"] == [("Use it: 2×.", "4 blocks")]
    assert parts[0]["wrong"][0]["found"] == "A against B: worse in both; worst: 0.5× (1 MiB; 2 against 4)."
    page = environment().from_string("{% include 'answers.html.j2' %}").render(answers=parts, gpu_here=False)
    assert "<strong>Use it:</strong> 2×." in page
    assert page.index("X1 holds") < page.index("X2 holds") < page.index("X3 holds")
    # Where a GPU was measured here, recorded runs stand back.
    page = environment().from_string("{% include 'answers.html.j2' %}").render(answers=parts, gpu_here=True)
    assert page.index("<details") < page.index("X1 holds") < page.index("</details") < page.index("X2 holds")
    assert "<details" not in page[page.index("</details") :]


def test_a_machine_that_has_no_answers_has_no_part():
    page = environment().from_string("{% include 'answers.html.j2' %}")
    assert answer_parts({("here", "cpu"): CPU}, [], [HERE], [claim("X", cell("holds"))], []) == []
    assert "None yet" in page.render(answers=[], gpu_here=False)


def test_what_is_in_brackets_does_not_end_a_part():
    assert beginning("One thing.") == "One thing."
    assert beginning("A (x; y) is; B; C.") == "A (x; y) is; B."


def test_claims_are_grouped_and_what_cannot_be_tested_is_told_once():
    why = "About a GPU."
    rows = [
        claim("A1", cell("holds"), cell("not testable here", why)),
        claim("A2", cell("contradicted"), cell("not testable here", why)),
        claim("A3", cell("not testable here", "No such GPU."), cell("not testable here", why)),
        claim("B1", None, None, builds=[("build t", cell("holds"))]),
    ]
    first, second = claim_groups([RECORDED, HERE], rows)
    assert first["counts"] == [("holds", 1), ("contradicted", 1)]
    assert [one["id"] for one in first["tested"]] == ["A1", "A2"]
    assert [one["id"] for one in first["untested"]] == ["A3"]
    assert first["elsewhere"] == [("C (2 CPUs), measured here", why, ["A1", "A2"])]
    assert [where for where, _ in second["tested"][0]["judged"]] == ["the machine code, build t"]
    context = {"claims": rows, "claim_groups": [first, second], "verdicts": [], "verdict_counts": []}
    page = environment().from_string("{% include 'claims.html.j2' %}").render(context)
    assert page.count(why) == 2  # of A1 and A2 together, and of A3
    assert re.findall(r'<tr id="claim-(\w+)">', page) == ["A1", "A2", "A3", "B1"]
