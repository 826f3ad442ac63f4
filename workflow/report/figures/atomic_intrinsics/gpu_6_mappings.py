"""How the updates are spread over the slots."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import dots

TITLE = "Distributions of the updates, and adding up by hand"
MAPPINGS = ["modulo", "block", "hash", "skewed", "sorted"]
FORMS = ["native", "hand_aggregated"]
SLOTS = [10, 1024, 1048576]


def data(results: Results) -> pd.DataFrame:
    cases = pick(
        results.summary,
        target_kind="gpu",
        benchmark="contention",
        operation="add",
        api="intrinsic",
        form=FORMS,
        mapping=MAPPINGS,
        slots=SLOTS,
        updates=2**20,
        cache="warm",
    )
    panel = cases["slots"].map(lambda slots: f"{slots:,} slots")
    frame = points(cases, x="mapping", series="form", panel=panel)
    return arrange(frame, panel=[f"{slots:,} slots" for slots in SLOTS], x=MAPPINGS, series=FORMS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=3.0)
