"""What the configuration says of `snakemake compare`: the two runs and the thresholds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scopemark.errors import UserError

ENDS = ("base", "new")
DEFAULTS = {"same_within": 0.02, "offset_seconds": 1e-7, "fail_on_regression": False}


@dataclass(frozen=True)
class Comparison:
    """runs: the directories by ENDS, as they were named."""

    runs: Mapping[str, str]
    same_within: float
    offset_seconds: float
    fail_on_regression: bool


def comparison(block: Mapping[str, Any] | None, file: str) -> Comparison:
    """The block `compare` of the configuration, or what the command line gave for it, which is text.

    UserError, naming the file and key, for what is missing or not accepted.
    """
    block = block or {}
    for end in ENDS:
        if not block.get(end):
            raise UserError(
                f"{file}: compare.{end} is missing: name the directories of two stored runs, as in "
                "snakemake compare --config 'compare={base: PATH, new: PATH}'"
            )
    if len({os.path.realpath(os.path.expanduser(block[end])) for end in ENDS}) == 1:
        raise UserError(
            f"{file}: compare.base and compare.new are the same directory, {block['base']}: there is nothing to "
            "compare; name two runs"
        )
    given = DEFAULTS | dict(block)
    same_within = _number(given["same_within"], f"{file}: compare.same_within")
    if not 0 < same_within < 1:
        raise UserError(f"{file}: compare.same_within: {same_within!r} is not accepted; a number above 0 and below 1")
    offset = _number(given["offset_seconds"], f"{file}: compare.offset_seconds")
    if not 0 <= offset < 1:
        raise UserError(f"{file}: compare.offset_seconds: {offset!r} is not accepted; seconds from 0 and below 1")
    flag = str(given["fail_on_regression"]).lower()
    if flag not in ("true", "false"):
        raise UserError(f"{file}: compare.fail_on_regression: {flag!r} is not accepted; true or false")
    return Comparison({end: block[end] for end in ENDS}, same_within, offset, flag == "true")


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UserError(f"{where}: {value!r} is not accepted; a number") from None
