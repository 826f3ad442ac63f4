"""What racing updates leave: the points of the figures of surviving updates, on GPUs and on CPU threads."""

from __future__ import annotations

import pandas as pd

from scopemark.figures.data import Results, pick, points, widest


def survivors(results: Results, kind: str) -> pd.DataFrame:
    """The share of a plain kernel's updates that survive, by operation, on targets of a kind.

    share_kept: of the median sample; share_kept_low and share_kept_high: of the samples that lost most and least.
    """
    cases = pick(
        results.summary,
        target_kind=kind,
        benchmark="sample",
        api="plain",
        operation=["add", "cas"],
        sampling="adaptive",
    )
    cases = widest(cases, ("updates", "threads_per_block", "cache"))
    frame = points(cases, x="operation", series="api")
    kept = cases.set_index("case")
    for name, lost in {"": "median", "_low": "most", "_high": "least"}.items():
        shares = 1 - kept[f"lost_updates_{lost}"] / kept["operations"]
        frame[f"share_kept{name}"] = frame["case"].map(dict(zip(kept.index, shares, strict=True)))
    return frame[[name for name in frame if not name.startswith("operations_per_second")]]
