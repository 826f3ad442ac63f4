"""The machine-code table: one row per kernel and group of architectures that compile to the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from scopemark import tables

SAME = ["toolchain", "experiment", "kernel", "instruction", "warp_aggregated", "fences"]
"""What architectures must agree in to share a row."""


def code_table(kernel_files: Sequence[str], mnemonic_files: Sequence[str]) -> pd.DataFrame:
    """Columns of SAME, then architectures (as "75 80 86"), registers (range over them), spill_bytes (most of them).

    fences: mnemonics of the fence class, in alphabetical order. spill_bytes: stores and loads, per thread.
    """
    kernels = pd.concat([tables.read("kernels", path) for path in kernel_files], ignore_index=True)
    mnemonics = pd.concat([tables.read("mnemonics", path) for path in mnemonic_files], ignore_index=True)
    key = ["toolchain", "experiment", "kernel", "architecture"]
    fences = (
        mnemonics[mnemonics["class"] == "fence"].groupby(key)["mnemonic"].agg(lambda names: " ".join(sorted(names)))
    )
    kernels = kernels.merge(fences.rename("fences").reset_index(), how="left", on=key)
    kernels = kernels.fillna({"fences": "", "instruction": ""})
    kernels["generation"] = kernels["architecture"].str.removeprefix("sm_").astype(int)
    kernels["spills"] = kernels["spill_store_bytes"] + kernels["spill_load_bytes"]
    rows = []
    for same, group in kernels.sort_values("generation", kind="stable").groupby(SAME, sort=False):
        low, high = group["registers"].min(), group["registers"].max()
        rows.append(
            {
                **dict(zip(SAME, same, strict=True)),
                "architectures": " ".join(map(str, group["generation"])),
                "registers": f"{low}" if low == high else f"{low}–{high}",
                "spill_bytes": int(group["spills"].max()),
            }
        )
    frame = pd.DataFrame(rows, columns=[*SAME, "architectures", "registers", "spill_bytes"])
    return frame.sort_values(["toolchain", "experiment", "kernel"], kind="stable").reset_index(drop=True)


def code_part(table: pd.DataFrame, experiment: str) -> dict[str, Any]:
    """Of one experiment: its rows of the table, how many kernels they are of, and how many of the rows have fences."""
    own = table[table["experiment"] == experiment]
    rows = own.to_dict("records")
    return {"rows": rows, "kernels": own["kernel"].nunique(), "fenced": int((own["fences"] != "").sum())}
