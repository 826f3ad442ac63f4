"""The table of claims on the page: its order, and what the letters of an id stand for."""

from __future__ import annotations

from scopemark import tables
from scopemark.claims.verdict import VERDICTS
from scopemark.report.claims import claim_documents, claim_groups, claim_rows, verdict_counts
from scopemark.report.templates import environment

MACHINES = {("here", "gpu0"): {"kind": "gpu", "gpu": {"name": "G"}}}


def judged(tmp_path, **verdicts):
    rows = [
        {"run": "here", "target": "gpu0", "claim": name, "verdict": verdict, "pairs": 1, "holding": 0, "detail": "D."}
        for name, verdict in verdicts.items()
    ]
    tables.write("claims", tables.make("claims", rows), tmp_path / "claims.csv")
    return claim_rows(tmp_path / "claims.csv", ["scoped_atomics", "unified_memory"], MACHINES)


def test_claims_stand_by_their_numbers_whatever_experiment_answers_them(tmp_path):
    names = ("UM10", "UM9b", "SA12", "UM9", "SA11", "SA2b", "SA2", "SA9")
    _, rows = judged(tmp_path, **dict.fromkeys(names, "holds"))
    assert [row["id"] for row in rows] == ["SA2", "SA2b", "SA9", "SA11", "SA12", "UM9", "UM9b", "UM10"]


def test_the_letters_of_an_id_are_explained(tmp_path):
    columns, rows = judged(tmp_path, SA1="holds", SA11="holds", UM1="contradicted", UM2="not testable here")
    # UM1 is of section 4.1, and UM2 of 4.1.1.1.
    assert claim_documents(rows) == {"SA": "The CUDA Handbook, 5.10", "UM": "CUDA Programming Guide, 4.1"}
    groups = claim_groups(columns, rows)
    assert [[claim["id"] for claim in group["tested"]] for group in groups] == [["SA1", "SA11"], ["UM1"]]
    page = (
        environment()
        .get_template("claims.html.j2")
        .render(claims=rows, claim_groups=groups, verdicts=VERDICTS, verdict_counts=verdict_counts(columns, rows))
    )
    assert "<summary>SA: The CUDA Handbook, 5.10 " in page
    assert "<summary>UM: CUDA Programming Guide, 4.1 " in page
    assert all(words in page for words in ("2 claims judged", "1 claim judged", "1 claim that no machine"))
    assert "CUDA Programming Guide, 4.1.1.1" in page  # each claim has its own section


def test_a_family_of_one_section_names_it(tmp_path):
    _, rows = judged(tmp_path, UM2="holds")
    assert claim_documents(rows) == {"UM": "CUDA Programming Guide, 4.1.1.1"}


def test_what_a_document_only_raises_is_not_said_to_be_its_sentence(tmp_path):
    _, rows = judged(tmp_path, SA1="holds", SA5="contradicted")
    # The section names no order but relaxed in what it measured, and says of none what it costs.
    assert [row["source"] for row in rows] == ["The CUDA Handbook, 5.10", "raised by The CUDA Handbook, 5.10"]
