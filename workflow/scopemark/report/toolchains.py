"""The report's part on what changed between toolchains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from scopemark import tables

NAMES = {"instruction": "instruction", "warp_aggregated": "aggregation", "registers": "registers"}
"""What may differ, by the columns of the table `toolchains`, as the page heads it."""


def toolchain_parts(files: Sequence[str]) -> dict[str, Any] | None:
    """counts: per toolchain, experiment and architecture, how many kernels differ in what. changed: the kernels whose
    instruction, aggregation or registers differ, one row for the architectures that agree. `files` is
    the table, or nothing; None without it."""
    if not files:
        return None
    frame = tables.read("toolchains", files[0])
    differs = frame["differs"].fillna("")
    counts = frame.assign(code=frame["code_differs"].astype(bool), timed=frame["ratio"].notna())
    for name in NAMES:
        counts[name] = differs.str.split().map(lambda words, name=name: name in words)
    generation = counts["architecture"].str.removeprefix("sm_").astype(int)
    counts = counts.assign(generation=generation).groupby(["toolchain_new", "experiment", "generation"], sort=True)
    summed = counts.agg(kernels=("kernel", "size"), **{name: (name, "sum") for name in ("code", *NAMES, "timed")})
    return {
        "base": frame["toolchain_base"].iloc[0] if len(frame) else "",
        "names": NAMES,
        "counts": summed.reset_index().to_dict("records"),
        "changed": _changed(frame[differs != ""]),
        "timed": frame[frame["ratio"].notna()].sort_values("ratio", ascending=False, kind="stable").to_dict("records"),
    }


def _changed(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Kernels that differ, each with the architectures on which they do so in the same way."""
    same = ["toolchain_new", "experiment", "kernel", "differs"]
    same += [f"{name}_{end}" for name in NAMES for end in ("base", "new")]
    rows = []
    for key, own in frame.groupby(same, sort=True, dropna=False):
        generations = sorted(own["architecture"].str.removeprefix("sm_").astype(int))
        rows.append(dict(zip(same, key, strict=True)) | {"architectures": " ".join(map(str, generations))})
    return rows
