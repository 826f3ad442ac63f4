"""Logical operations against the atomics that are issued, with a uniform and an opaque address."""

import pandas as pd

from scopemark import style
from scopemark.figures.data import Results, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Logical operations and the atomics issued for them"
QUANTITIES = ("operations_per_second", "issued_per_second")


def data(results: Results) -> pd.DataFrame:
    """The value is a rate per second, of what `series` names."""
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        api=["atomic_ref", "intrinsic"],
        operation="fetch_add",
        type="uint32",
        order="relaxed",
        counters_per_block=1,
        stride_bytes=4,
        scope=["block", "device"],
    )
    cases = widest(cases[cases.groupby(["machine", "blocks"])["address"].transform("nunique") > 1])
    place = cases["placement"] + ", " + cases["scope"] + " scope, result " + cases["result"]
    panel = cases["api"].map(style.word) + ",\n" + cases["address"] + " address"
    frames = []
    for quantity in QUANTITIES:
        frame = points(cases, x=place, series=pd.Series(quantity, cases.index), panel=panel, value=quantity)
        frames.append(frame.rename(columns={f"{quantity}{end}": f"per_second{end}" for end in ("", "_low", "_high")}))
    frame = pd.concat(frames)
    return frame.sort_values(["device", "machine", "panel", "x"], kind="stable").reset_index(drop=True)


def draw(frame: pd.DataFrame):
    return dots(frame, "per_second", "{power}operations per second", width=2.2)
