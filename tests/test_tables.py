"""Tables: what is written reads back the same, and what is no table is told in one message."""

import gzip
import random
import struct

import pandas as pd
import pytest

from scopemark import tables
from scopemark.errors import UserError

CASE = {
    "case": "0123456789abcdef",
    "target": "cpu",
    "target_kind": "cpu",
    "experiment": "e",
    "benchmark": "b",
    "toolchain": "t",
    "kernel": "k",
    "status": "ok",
}


def sample(index, seconds):
    row = {"case": "0123456789abcdef", "target": "cpu", "toolchain": "t", "index": index, "session": 1}
    return row | {"seconds": seconds}


def test_floats_read_back_bit_for_bit(tmp_path):
    source = random.Random(1)
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.0000000000000004, 1e-9, 123456789.123456789]
    values += [struct.unpack("<d", struct.pack("<Q", source.getrandbits(62)))[0] for _ in range(2000)]
    for name in ("s.csv", "s.csv.gz"):
        path = tmp_path / name
        tables.write("samples", tables.make("samples", [sample(i, v) for i, v in enumerate(values)]), path)
        read = tables.read("samples", path)["seconds"].tolist()
        assert [struct.pack("<d", value) for value in read] == [struct.pack("<d", value) for value in values]


def test_the_same_rows_give_the_same_bytes(tmp_path, monkeypatch):
    frame = tables.make("samples", [sample(0, 0.5)])
    tables.write("samples", frame, tmp_path / "a.csv.gz")
    monkeypatch.setattr("time.time", lambda: 2e9)
    (tmp_path / "other").mkdir()
    tables.write("samples", frame, tmp_path / "other" / "a.csv.gz")
    first, second = (tmp_path / "a.csv.gz").read_bytes(), (tmp_path / "other" / "a.csv.gz").read_bytes()
    assert first == second
    assert first[4:8] == b"\0\0\0\0"  # RFC 1952: MTIME, zero for no time stamp


def test_reading_and_writing_again_changes_nothing(tmp_path):
    rows = [
        {
            **CASE,
            "reason": 'with, a comma and a "quote"',
            "warp_aggregated": True,
            "operations": 2**40,
            "blocks": "8/sm",
        },
        {**CASE, "case": "f" * 16, "status": "failed", "blocks": 896},
    ]
    tables.write("cases", tables.make("cases", rows, ["blocks"]), tmp_path / "a.csv")
    read = tables.read("cases", tmp_path / "a.csv")
    assert read["operations"].tolist() == [2**40, pd.NA]
    assert read["warp_aggregated"].tolist() == [True, pd.NA]
    assert read["reason"].iloc[0] == 'with, a comma and a "quote"'
    assert read["blocks"].tolist() == ["8/sm", "896"]
    tables.write("cases", read, tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_an_empty_table_is_a_table(tmp_path):
    tables.write("samples", tables.make("samples", []), tmp_path / "empty.csv")
    assert len(tables.read("samples", tmp_path / "empty.csv")) == 0


def test_an_older_schema_is_told_by_its_missing_column(tmp_path):
    path = tmp_path / "old.csv"
    tables.make("samples", [sample(0, 1.0)]).drop(columns="toolchain").to_csv(path, index=False)
    with pytest.raises(
        UserError, match=r"old\.csv: not a samples table of this version.*column toolchain; expected: case"
    ):
        tables.read("samples", path)


def test_a_column_that_an_older_version_did_not_have_is_empty(tmp_path):
    path = tmp_path / "old.csv"
    tables.make("samples", [sample(0, 1.0)]).drop(columns="sm_clock_hz").to_csv(path, index=False)
    assert tables.read("samples", path)["sm_clock_hz"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "fine"}, r"status 'fine' is unknown; accepted: ok, incorrect, unstable"),
        ({"kernel": None}, r"line 2: kernel is empty"),
        ({"operations": "many"}, r"operations: expected integer.*many"),
        ({"expected": "much"}, r"expected: expected number.*much"),
        ({"warp_aggregated": "perhaps"}, r"warp_aggregated: expected flag.*'perhaps' is neither True nor False"),
    ],
)
def test_a_bad_value_is_told_with_file_and_column(tmp_path, change, message):
    path = tmp_path / "bad.csv"
    pd.DataFrame([{**CASE, **change}], columns=[*tables.columns("cases")]).to_csv(path, index=False)
    with pytest.raises(UserError, match=rf"bad\.csv: {message}"):
        tables.read("cases", path)


def test_a_case_has_one_row(tmp_path):
    path = tmp_path / "twice.csv"
    with pytest.raises(UserError, match=r"twice\.csv: case 0123456789abcdef has two rows"):
        tables.write("cases", tables.make("cases", [CASE, CASE]), path)
    assert not path.exists()
    # With two toolchains it has one of each.
    tables.write("cases", tables.make("cases", [CASE, {**CASE, "toolchain": "u"}]), path)


def _whole():
    return gzip.compress(tables.make("samples", [sample(i, i / 7) for i in range(99)]).to_csv(index=False).encode())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("no.csv.gz", b"plain text"),
        ("cut.csv.gz", _whole()[:-20]),
        ("flipped.csv.gz", _whole()[:40] + b"\xff" * 40 + _whole()[80:]),
        ("empty.csv", b""),
        ("binary.csv", bytes(range(256))),
        ("short.csv", tables.make("samples", [sample(0, 1 / 3)]).to_csv(index=False).encode()[:-8]),
        ("ragged.csv", b"case,target\n1,2\n1,2,3,4,5\n"),
        ("json.csv", b'{"case": 1}'),
    ],
)
def test_a_corrupt_file_is_told_without_a_traceback(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=name):
        tables.read("samples", tmp_path / name)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UserError, match=r"none\.csv: there is no such file; expected a cases table"):
        tables.read("cases", tmp_path / "none.csv")


def test_every_column_is_declared_whole():
    for table in ("kernels", "mnemonics", "cases", "samples", "summary", "claims", "host_kernels", "advice"):
        for name, column in tables.columns(table).items():
            assert column["type"] in ("text", "integer", "number", "flag"), (table, name)
            assert column["help"], (table, name)
