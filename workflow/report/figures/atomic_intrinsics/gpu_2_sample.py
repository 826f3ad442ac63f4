"""The sample's twelve kernels as it runs them: once each, as the first launches of a process."""

import pandas as pd

from scopemark.axes import cold_shots
from scopemark.figures.data import Results, arrange, pick, points, sampled
from scopemark.figures.plots import dots

TITLE = "The sample's twelve kernels in one cold shot each"
OPERATIONS = ["add", "max", "cas"]
WAYS = ["plain", "intrinsic", "std_atomic_ref", "atomic_ref"]


def data(results: Results) -> pd.DataFrame:
    cases = sampled(pick(results.summary, target_kind="gpu", benchmark="sample", api=WAYS), cold_shots)
    return arrange(points(cases, x="operation", series="api"), x=OPERATIONS, series=WAYS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}updates per second", width=5.6, legend_columns=2)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The throughput of every kernel."""
    value = "operations_per_second"
    return pd.DataFrame(
        {
            "machine": frame["machine"],
            "quantity": "sample " + frame["x"] + " " + frame["series"],
            "unit": "ops/s",
            "value": frame[value],
            "low": frame[f"{value}_low"],
            "high": frame[f"{value}_high"],
        }
    )
