"""The result tables: tidy CSVs whose columns are declared in `workflow/schemas/tables/*.yaml`.

Checked on writing and on reading. Floats are written with the shortest text that reads back the same; a path that ends
in .gz is compressed, without a time stamp, so that the same rows give the same bytes.
"""

from __future__ import annotations

import functools
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from scopemark.errors import UserError
from scopemark.yaml_file import read_yaml

SCHEMAS = Path(__file__).parents[1] / "schemas"
STATUSES = ("ok", "incorrect", "unstable", "unsupported", "failed", "timeout", "skipped")
EXACT = {} if pd.__version__ >= "3.1" else {"float_precision": "round_trip"}
"""What makes pandas read floats back exactly, which became its default with 3.1."""

_DTYPES = {"text": "string", "integer": "Int64", "number": "Float64", "flag": "boolean"}


@functools.cache
def _schema() -> dict[str, dict[str, dict]]:
    """Every table, whichever file declares it."""
    return {name: table for file in sorted(SCHEMAS.glob("tables/*.yaml")) for name, table in read_yaml(file).items()}


def columns(table: str) -> dict[str, dict]:
    """Column name to its declaration, in order."""
    return _schema()[table]


def make(table: str, rows: Iterable[dict], parameters: Sequence[str] = ()) -> pd.DataFrame:
    """A table from rows; columns that a row lacks are empty. `parameters` are the experiment's own columns."""
    return conform(table, pd.DataFrame(list(rows), columns=[*columns(table), *parameters]), parameters)


def conform(table: str, frame: pd.DataFrame, parameters: Sequence[str] = ()) -> pd.DataFrame:
    """A table from a frame: the table's columns in their order and types, what is lacking empty, then `parameters`."""
    return _typed(table, frame.reindex(columns=[*columns(table), *parameters]))


def _typed(table: str, frame: pd.DataFrame) -> pd.DataFrame:
    for name, column in columns(table).items():
        frame[name] = frame[name].astype(_DTYPES[column["type"]])
    extra = [name for name in frame.columns if name not in columns(table)]
    for name in extra:
        frame[name] = frame[name].astype("object").where(frame[name].notna(), None).convert_dtypes()
        if frame[name].dtype == object:  # a count: 896 beside "32/sm"
            frame[name] = frame[name].map(lambda value: None if value is None else str(value)).astype("string")
    return frame


def check(table: str, frame: pd.DataFrame, file: Path | str) -> None:
    """UserError, naming the file and column, unless the frame is a valid table of that name."""
    declared = columns(table)
    missing = [name for name in declared if name not in frame.columns]
    if missing:
        raise UserError(
            f"{file}: not a {table} table of this version: it lacks the column {missing[0]}; expected: "
            f"{', '.join(declared)}. Delete it to have it made again, or read it with the version that wrote it"
        )
    for name, column in declared.items():
        if column.get("required") and frame[name].isna().any():
            row = int(frame.index[frame[name].isna()][0]) + 2
            raise UserError(f"{file}: line {row}: {name} is empty; every row of a {table} table has one")
    if "status" in declared:
        unknown = sorted(set(frame["status"].dropna()) - set(STATUSES))
        if unknown:
            raise UserError(f"{file}: status {unknown[0]!r} is unknown; accepted: {', '.join(STATUSES)}")
    if table == "cases":
        twice = frame.loc[frame.duplicated(["target", "toolchain", "case"]), "case"]
        if len(twice):
            raise UserError(f"{file}: case {twice.iloc[0]} has two rows; every case has exactly one")


def write(table: str, frame: pd.DataFrame, path: Path | str) -> None:
    """Check and write a table."""
    check(table, frame, path)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Level 9, the default, takes twice the time for half a percent.
    compression = {"method": "gzip", "mtime": 0, "compresslevel": 6} if str(path).endswith(".gz") else None
    frame.to_csv(path, index=False, lineterminator="\n", compression=compression)


def read(table: str, path: Path | str) -> pd.DataFrame:
    """Read and check a table. UserError if the file is not one."""
    declared = columns(table)
    texts = {name: "string" for name, column in declared.items() if column["type"] in ("text", "flag")}
    try:
        _check_end(Path(path))
        # In one piece: a long table that is read in several would have counts as 8, "8" and 8.0 in one column.
        frame = pd.read_csv(path, dtype=texts, low_memory=False, **EXACT)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; expected a {table} table") from None
    except (ValueError, pd.errors.ParserError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: not readable as a {table} table: {error}") from None
    for name, column in declared.items():
        if name not in frame.columns and not column.get("required"):
            frame[name] = None  # written before the column was added: nobody knows its values
    check(table, frame, path)
    for name, column in declared.items():
        try:
            if column["type"] == "flag":
                unknown = sorted(set(frame[name].dropna()) - {"True", "False"})
                if unknown:
                    raise ValueError(f"{unknown[0]!r} is neither True nor False")
                frame[name] = frame[name].map({"True": True, "False": False})
            frame[name] = frame[name].astype(_DTYPES[column["type"]])
        except (ValueError, TypeError) as error:
            raise UserError(f"{path}: {name}: expected {column['type']}: {error}") from None
    return _typed(table, frame)


def _check_end(path: Path) -> None:
    """ValueError if a table was cut off: each ends with a newline, and a compressed one checks itself."""
    if path.suffix == ".gz":
        return
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            raise ValueError("it is empty")
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            raise ValueError("its last line is cut off")
