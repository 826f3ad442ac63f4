"""How the updates are spread over the slots."""

import pandas as pd

from scopemark.figures.data import Results, arrange, pick, points
from scopemark.figures.plots import dots

TITLE = "Distributions of the updates, and adding up by hand"
MAPPINGS = {
    "modulo": "in turn (modulo)",
    "block": "256 neighbours share one (block)",
    "hash": "at random (hash)",
    "skewed": "at random, skewed",
    "sorted": "at random, sorted",
}
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
        mapping=list(MAPPINGS),
        slots=SLOTS,
        updates=2**20,
        cache="warm",
    )
    panel = cases["slots"].map(lambda slots: f"{slots:,} slots")
    frame = points(cases, x=cases["mapping"].map(MAPPINGS), series="form", panel=panel)
    return arrange(frame, panel=[f"{slots:,} slots" for slots in SLOTS], x=list(MAPPINGS.values()), series=FORMS)


def draw(frame: pd.DataFrame):
    return dots(frame, "operations_per_second", "{power}adds per second", width=3.0)
