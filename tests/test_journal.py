"""The journal: what was measured survives whatever ends the process."""

import json

import pytest

from scopemark.measure.journal import Journal


def batch(case, seconds, *, identity="i", session=1, wrong=0, **extra):
    n = len(seconds)
    line = {"case": case, "identity": identity, "session": session, "seconds": seconds, "spent_seconds": sum(seconds)}
    line |= {"clock_hz": [None] * n, "discarded": [""] * n, "cycles": [None] * n}
    return line | {"wrong": [wrong] * n, "observed": [1 - wrong] * n, "expected": [1] * n} | extra


def seconds(journal, case="a", identity="i"):
    return journal.load({case: identity})[0][case].samples["seconds"]


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "results" / "e.jsonl")


def test_batches_of_a_case_add_up(journal):
    journal.append(batch("a", [1.0, 2.0], throttle=["power cap"], temperature=50))
    journal.append(batch("b", [9.0]))
    journal.append(batch("a", [4.0], session=2, throttle=["thermal (hardware)"], temperature=40))
    records, session = journal.load({"a": "i", "b": "i", "c": "i"})
    assert records["a"].samples["seconds"] == [1.0, 2.0, 4.0]
    assert records["a"].samples["session"] == [1, 1, 2]
    assert records["a"].spent_seconds == 7.0
    assert records["a"].throttle == {"power cap", "thermal (hardware)"}
    assert records["a"].temperature == 50
    assert records["b"].samples["seconds"] == [9.0]
    assert records["c"].samples["seconds"] == []
    assert session == 3


def test_the_worst_sample_is_known(journal):
    for wrong in (0, 3, 1):
        journal.append(batch("a", [1.0], wrong=wrong))
    record = journal.load({"a": "i"})[0]["a"]
    assert record.worst == 1
    assert record.samples["observed"][record.worst] == -2
    journal.append(batch("a", [1.0, 2.0], wrong=3, observed=[-2, -9]))
    assert journal.load({"a": "i"})[0]["a"].worst == 4  # as many elements, and farther off


def test_samples_of_another_identity_do_not_count(journal):
    journal.append(batch("a", [1.0], identity="old"))
    journal.append(batch("a", [2.0], identity="new"))
    assert seconds(journal, identity="new") == [2.0]
    assert seconds(journal, identity="old") == [1.0]
    assert seconds(journal, identity="newer") == []


def test_samples_after_an_event_end_it(journal):
    journal.append({"case": "a", "identity": "i", "session": 1, "event": ["timeout", "why"]})
    assert journal.load({"a": "i"})[0]["a"].event == ("timeout", "why")
    journal.append(batch("a", [1.0], session=2))
    assert journal.load({"a": "i"})[0]["a"].event is None


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_costs_that_line_alone(journal, cut):
    journal.append(batch("a", [1.0]))
    journal.append(batch("a", [2.0]))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-cut])
    kept = [1.0, 2.0] if cut == 1 else [1.0]  # cut by one byte it lacks its newline alone, and is whole
    assert seconds(journal) == kept
    journal.append(batch("a", [3.0]))
    assert seconds(journal) == [*kept, 3.0]
    assert json.loads(journal.path.read_text().splitlines()[-1])["seconds"] == [3.0]


def test_a_block_of_zeros_is_passed_over(journal):
    journal.append(batch("a", [1.0]))
    with journal.path.open("ab") as file:
        file.write(bytes(512))
    journal.append(batch("a", [2.0]))
    assert seconds(journal) == [1.0, 2.0]


def test_lines_are_only_appended(journal):
    journal.append(batch("a", [1.0]))
    before = journal.path.read_bytes()
    journal.append(batch("a", [2.0]))
    assert journal.path.read_bytes().startswith(before)


def test_discarded_samples_stay_but_do_not_count(journal):
    journal.append(batch("a", [1.0, 2.0, 3.0]) | {"discarded": ["", "slow clock", ""]})
    record = journal.load({"a": "i"})[0]["a"]
    assert record.kept == [1.0, 3.0]
    assert record.taken == 3


def test_lines_of_an_older_version_are_passed_over(journal):
    line = batch("a", [1.0])
    del line["cycles"]
    journal.append(line)
    journal.append(batch("a", [2.0]))
    assert seconds(journal) == [2.0]
