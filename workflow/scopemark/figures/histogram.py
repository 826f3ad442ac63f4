"""The histogram's figures, of GPUs and of CPU threads: forms by bins and skew, and a library's calls beside them."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from scopemark.figures.data import Results, arrange, pick, points, widest
from scopemark.figures.plots import lines

FORMS = ["private_bins", "global_bins"]
SHAPE = ("blocks", "threads_per_block", "sampling")


def forms(results: Results, kind: str, api: str) -> pd.DataFrame:
    """The points of our own forms on one kind of target, as `measure` takes samples."""
    cases = _ours(results, kind, api)
    return ordered(_by_bins(widest(cases[~_shots(cases)], ("elements", *SHAPE)), "form"))


def shots(results: Results, api: str) -> pd.DataFrame:
    """The points of our own forms and of the library on GPUs, in single shots: a machine's row for every length."""
    ours = _ours(results, "gpu", api)
    theirs = pick(results.summary, target_kind="gpu", benchmark="histogram_library")
    parts = [(ours, "form"), (theirs, "kernel")]
    found = pd.concat([_by_bins(_of_length(cases[_shots(cases)]), series) for cases, series in parts])
    return ordered(found.assign(launch="a launch or call between two events, nothing held"))


def ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Points in the order in which they are drawn: evenly filled bins first, our forms before a library's."""
    frame = frame.reset_index(drop=True)
    panels = sorted(set(frame["panel"]), key=lambda panel: (panel != "even", panel))
    return arrange(frame, panel=panels, series=[*FORMS, *sorted(set(frame["series"]) - set(FORMS))])


def draw(frame: pd.DataFrame) -> Figure:
    return lines(frame, "operations_per_second", "bins", "{power}elements per second", 3.8)


def _ours(results: Results, kind: str, api: str) -> pd.DataFrame:
    return pick(results.summary, target_kind=kind, benchmark="histogram", api=api, form=FORMS, cache="warm")


def _shots(cases: pd.DataFrame) -> pd.Series:
    return cases["sampling"].str.startswith("single_shots").astype(bool)


def _of_length(cases: pd.DataFrame) -> pd.DataFrame:
    """Cases of one launch, their machines told apart by the number of elements."""
    lengths = [
        f"{machine}: {int(n):,} elements" for machine, n in zip(cases["machine"], cases["elements"], strict=True)
    ]
    return widest(cases.assign(machine=lengths), SHAPE)


def _by_bins(cases: pd.DataFrame, series: str) -> pd.DataFrame:
    skews = [f"Zipf exponent {skew:g}" if skew else "even" for skew in cases["skew"]]
    return points(cases, x="bins", series=series, panel=pd.Series(skews, cases.index, dtype=object))
