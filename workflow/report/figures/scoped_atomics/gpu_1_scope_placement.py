"""Scope and placement apart, by API: the question of the experiment."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import dots

TITLE = "Throughput by scope, placement and API"

PLACES = [
    f"{scope} scope, {placement}" for placement in ("shared", "global") for scope in ("block", "device", "system")
]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="counter",
        operation="fetch_add",
        type="uint32",
        order="relaxed",
        address="uniform",
        result="discarded",
        counters_per_block=1,
        stride_bytes=4,
    )
    cases = widest(cases)
    place = cases["scope"] + " scope, " + cases["placement"]
    return arrange(points(cases, x=place, series="api"), x=PLACES)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=4.8)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The throughput of every point."""
    value = "operations_per_second"
    return pd.DataFrame(
        {
            "machine": frame["machine"],
            "quantity": "throughput " + frame["x"].str.replace(",", "") + " " + frame["series"],
            "unit": "ops/s",
            "value": frame[value],
            "low": frame[f"{value}_low"],
            "high": frame[f"{value}_high"],
        }
    )
