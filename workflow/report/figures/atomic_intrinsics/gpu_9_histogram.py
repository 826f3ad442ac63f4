"""A histogram in private and in global bins."""

import pandas as pd

from scopemark.figures import Results, arrange, pick, points, widest
from scopemark.figures_plots import lines

TITLE = "Histogram by number of bins and skew"
FORMS = ["private_bins", "global_bins"]


def data(results: Results) -> pd.DataFrame:
    api = "intrinsic"
    cases = pick(results.summary, target_kind="gpu", benchmark="histogram", api=api, form=FORMS, cache="warm")
    cases = widest(cases, ("elements", "blocks", "threads_per_block", "sampling"))
    words = {skew: f"Zipf exponent {skew:g}" if skew else "even" for skew in sorted(set(cases["skew"]))}
    frame = points(cases, x="bins", series="form", panel=cases["skew"].map(words))
    return arrange(frame, panel=list(words.values()), series=FORMS)


def draw(frame: pd.DataFrame):
    return lines(frame, "operations_per_second", "bins", "{power}elements per second", 3.8)
