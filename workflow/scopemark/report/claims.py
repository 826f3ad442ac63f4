"""Claims and advice as the report shows them: joined with their definitions, side by side per machine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from scopemark import tables
from scopemark.advice.finding import NOT_MEASURED
from scopemark.advice.words import CANNOT_TELL, VARIES
from scopemark.claims.definitions import load_claims
from scopemark.claims.verdict import NOT_TESTABLE, VERDICTS
from scopemark.collect import HERE
from scopemark.experiment import load_experiment
from scopemark.figures.data import device_name
from scopemark.report.format import interval, missing


def column_label(run: str, target: str, machines: Mapping[tuple[str, str], Mapping[str, Any]]) -> tuple[str, str]:
    """What heads a machine's column: its name, and where its numbers are from."""
    return device_name(machines.get((run, target)), target), "measured here" if run == HERE else run


def claim_rows(file: str, experiments: Sequence[str], machines) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """The machines' columns, each (name, run), and one row per claim, by their numbers: id, statement, source, its
    document and section, published, cells, builds.

    A cell is a machine's verdict, its ratio with interval and its detail; None where a claim was not judged there.
    builds: what was judged on machine code, of no machine: (what was judged, cell).
    """
    judged = tables.read("claims", file)
    found_keys = dict.fromkeys(zip(judged["run"], judged["target"], strict=True))
    keys = [key for key in found_keys if key in machines]
    rows = []
    for experiment in experiments:
        for name, claim in load_claims(experiment).items():
            own = judged[judged["claim"] == name]
            found = {(row["run"], row["target"]): _cell(row, claim) for row in own.to_dict("records")}
            if found:
                rows.append(
                    {
                        "id": name,
                        "statement": claim["statement"],
                        "source": _source(claim["source"]),
                        **claim["source"],
                        "published": claim.get("published"),
                        "cells": [found.get(key) for key in keys],
                        "builds": [
                            (target, cell) for (run, target), cell in found.items() if (run, target) not in keys
                        ],
                    }
                )
    places = {prefix: place for place, prefix in enumerate(claim_documents(rows))}
    rows.sort(key=lambda row: (places[_numbered(row["id"])[0]], *_numbered(row["id"])[1:]))
    return [column_label(*key, machines) for key in keys], rows


def _source(source: Mapping[str, Any]) -> str:
    """Where a claim is from, and that it is not said there if it is not."""
    return f"{'raised by ' if source.get('raised') else ''}{source['document']}, {source['section']}"


def _numbered(claim: str) -> tuple[str, int, str]:
    """The parts of an id: UM9b is UM, 9, b."""
    prefix, number, letter = re.fullmatch("([A-Z]+)([0-9]+)([a-z]?)", claim).groups()
    return prefix, int(number), letter


def claim_documents(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What the letters of the ids stand for: each prefix with its document, and the section that its claims share."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(_numbered(row["id"])[0], []).append(row)
    return {prefix: ", ".join([own[0]["document"], *_shared_section(own)]) for prefix, own in found.items()}


def _shared_section(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The number, or the name, of the innermost section that holds those of all rows, if there is one."""
    levels = zip(*(row["section"].split(".") for row in rows), strict=False)  # 4.1 has fewer than 4.1.2
    shared = [level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels)]
    return [".".join(shared)] if shared else []


def _cell(row: Mapping[str, Any], claim: Mapping[str, Any]) -> dict[str, Any]:
    """What other quantities than ratios amount to is in the detail."""
    ratio = claim["quantity"]["kind"] in ("ratio", "overlap") and not missing(row["value"])
    value = interval(row["value"], row["low"], row["high"]) if ratio else ""
    return {"verdict": row["verdict"], "value": value, "detail": row["detail"]}


def verdict_counts(
    columns: Sequence[tuple[str, str]], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[str, list[int]]]:
    """Where it was judged, and how often each of VERDICTS was found there: the machines, and the machine code."""
    cells = {f"{name}, {run}": [row["cells"][index] for row in rows] for index, (name, run) in enumerate(columns)}
    for row in rows:
        for build, cell in row["builds"]:
            cells.setdefault(f"machine code, {build}", []).append(cell)
    found = {where: [cell["verdict"] for cell in own if cell] for where, own in cells.items()}
    return [(where, [own.count(verdict) for verdict in VERDICTS]) for where, own in found.items()]


def claim_groups(columns: Sequence[tuple[str, str]], rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """By document, with the letters of its claims: how often they were judged how, (verdict, number) for the verdicts
    that occur; the claims that were judged somewhere; where else some of them cannot be, why, and which; and those that
    nothing on the page can test.

    A claim has beside its columns of `claim_rows` what was judged, (where, cell), and where it cannot be, (where, why).
    """
    groups = []
    for prefix, document in claim_documents(rows).items():
        own = [dict(row) for row in rows if _numbered(row["id"])[0] == prefix]
        for claim in own:
            cells = [(", ".join(column), cell) for column, cell in zip(columns, claim["cells"], strict=True) if cell]
            cells += [(f"the machine code, {build}", cell) for build, cell in claim["builds"]]
            not_testable = [(where, cell["detail"]) for where, cell in cells if cell["verdict"] == NOT_TESTABLE]
            judged = [(where, cell) for where, cell in cells if cell["verdict"] != NOT_TESTABLE]
            claim |= {"judged": judged, "not_testable": not_testable}
        found = [cell["verdict"] for claim in own for _, cell in claim["judged"]]
        counts = [(verdict, found.count(verdict)) for verdict in VERDICTS if verdict in found]
        tested, untested = ([claim for claim in own if bool(claim["judged"]) is judged] for judged in (True, False))
        group = {"letters": prefix, "document": document, "counts": counts, "tested": tested, "untested": untested}
        groups.append(group | {"elsewhere": _elsewhere(tested)})
    return groups


def _elsewhere(claims: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[str]]]:
    """Where claims that were judged cannot be tested, why, and which."""
    found: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        for key in claim["not_testable"]:
            found.setdefault(key, []).append(claim["id"])
    return [(*key, names) for key, names in found.items()]


def advice_by_machine(file: str, machines) -> list[dict[str, Any]]:
    """Per machine, those of this run first: name, run, here; what leads, if it is clear; the groups: experiment, topic,
    questions; how many of these were asked, and how many answered clearly; and the questions that this run does not
    answer, by the reason.

    A question has its answers, each a finding, the conditions that it was found under, which end its sentence in
    brackets, and what there is to tell of a surprise.
    """
    advice = tables.read("advice", file)
    blocks = []
    for run, target in dict.fromkeys(zip(advice["run"], advice["target"], strict=True)):
        own = advice[(advice["run"] == run) & (advice["target"] == target)]
        name, where = column_label(run, target, machines)
        kind = machines.get((run, target), {}).get("kind", "")
        groups: dict[tuple[str, str], dict[str, list[tuple[str, str, str]]]] = {}
        lead, unanswered = [], {}
        for entry in own.itertuples():
            start, _, why = entry.answer.partition(": ")
            if start == NOT_MEASURED:
                unanswered.setdefault(why.removesuffix("."), []).append(entry.question)
                continue
            if entry.lead and not entry.answer.startswith((CANNOT_TELL, VARIES)):
                lead.append(_split(entry.answer))
            topic = "" if missing(entry.topic) else entry.topic
            questions = groups.setdefault((load_experiment(entry.experiment).title, topic), {})
            surprise = "" if missing(entry.surprise) else entry.surprise
            questions.setdefault(entry.question, []).append((*_split(entry.answer), surprise))
        listed = [(experiment, topic, questions) for (experiment, topic), questions in groups.items()]
        block = {"name": name, "run": where, "here": run == HERE, "kind": kind, "lead": lead, "groups": listed}
        every = [answers for _, _, questions in listed for answers in questions.values()]
        clear = [any(not finding.startswith(CANNOT_TELL) for finding, *_ in answers) for answers in every]
        blocks.append(block | {"asked": len(every), "answered": sum(clear), "unanswered": unanswered})
    return sorted(blocks, key=lambda block: (not block["here"], block["kind"] != "gpu"))


def _split(answer: str) -> tuple[str, str]:
    """A sentence without the conditions in its last brackets, and those conditions."""
    finding, bracket, conditions = answer.rpartition(" (")
    if bracket and conditions.endswith(")."):
        return f"{finding}.", conditions.removesuffix(").")
    return answer, ""
