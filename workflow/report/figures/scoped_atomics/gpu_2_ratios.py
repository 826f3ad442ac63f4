"""The headline as ratios, beside the published ones: what scope buys, what placement buys, and both together."""

import math

import pandas as pd

from scopemark import style
from scopemark.figures.data import DRAWN, LAUNCH, Results, launch_words, pick, widest
from scopemark.figures.plots import dots
from scopemark.statistics import Interval, ratio_interval

TITLE = "Throughput ratios, beside the published ones"

RATIOS = {
    "scope and placement: block shared / device global": (("block", "shared"), ("device", "global")),
    "scope alone, in global: block / device": (("block", "global"), ("device", "global")),
    "scope alone, in global: system / device": (("system", "global"), ("device", "global")),
    "scope alone, in shared: block / device": (("block", "shared"), ("device", "shared")),
    "placement alone, at block scope: shared / global": (("block", "shared"), ("block", "global")),
}
"""Ratio to its numerator and denominator, each a scope and a placement."""

PUBLISHED = {
    "block_shared_over_device_global": "scope and placement: block shared / device global",
    "system_over_device_global": "scope alone, in global: system / device",
}


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: reference and reference_machine, the published value and whose it is."""
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
    # Of what was sampled to a narrow interval one launch is enough; of the book's own sampling, every one.
    adaptive = cases["sampling"] == "adaptive"
    cases = pd.concat([widest(cases[adaptive]), cases[~adaptive]])
    published = results.published[results.published["quantity"].isin(PUBLISHED)]
    references = {PUBLISHED[row.quantity]: row for row in published.itertuples()}
    rows = []
    groups = cases.groupby(["device", "machine", *LAUNCH], sort=False, dropna=False)
    for (device, machine, *_), group in groups:
        for name, (numerator, denominator) in RATIOS.items():
            for api in dict.fromkeys(group["api"]):
                top, bottom = (pick(group, api=api, scope=s, placement=p) for s, p in (numerator, denominator))
                if len(top) != 1 or len(bottom) != 1:
                    continue
                ratio = _ratio(top.iloc[0], bottom.iloc[0])
                reference = references.get(name)
                rows.append(
                    {
                        "machine": machine,
                        "device": device,
                        "launch": launch_words(bottom)[0],
                        "panel": _panel(bottom.iloc[0]),
                        "x": name,
                        "series": api,
                        "status": _status(top.iloc[0], bottom.iloc[0]),
                        "ratio": ratio.value,
                        "ratio_low": ratio.low,
                        "ratio_high": ratio.high,
                        "reference": reference.value if reference else math.nan,
                        "reference_machine": f"{reference.machine} ({reference.source})" if reference else "",
                    }
                )
    columns = ["machine", "device", "launch", "panel", "x", "series", "status", "ratio", "ratio_low", "ratio_high"]
    frame = pd.DataFrame(rows, columns=[*columns, "reference", "reference_machine"])
    return frame.sort_values(["device", "machine"], kind="stable")


def _panel(case: pd.Series) -> str:
    how = "median" if case["sampling"] == "adaptive" else case["sampling"].replace("_", " ")
    number, _, per = case["blocks"].partition("/")
    grid = f"{number} blocks" + (f" per {per.upper()}" if per else "")
    return f"{grid} × {case['iterations']:,} adds,\n{case['cache']} L2, {how}"


def _status(*cases: pd.Series) -> str:
    statuses = [case["status"] for case in cases]
    worst = [status for status in statuses if status not in DRAWN]
    return worst[0] if worst else "unstable" if "unstable" in statuses else "ok"


def _ratio(top: pd.Series, bottom: pd.Series) -> Interval:
    """The ratio of two throughputs; without an interval where the fastest of a few samples is what was asked for."""
    if _status(top, bottom) not in DRAWN:
        return Interval(math.nan, math.nan, math.nan)
    best = [float(case["operations_per_second_best"]) for case in (top, bottom)]
    if top["sampling"] != "adaptive":
        return Interval(best[0] / best[1], math.nan, math.nan)
    names = ("operations_per_second", "operations_per_second_low", "operations_per_second_high")
    estimates = [[case[name] for name in names] for case in (top, bottom)]
    if any(pd.isna(value) for estimate in estimates for value in estimate):
        return Interval(float(estimates[0][0] / estimates[1][0]), math.nan, math.nan)
    return ratio_interval(*(Interval(*map(float, estimate)) for estimate in estimates))


def draw(frame: pd.DataFrame):
    figure = dots(frame, "ratio", "throughput ratio", width=2.5, scale=1.0)
    labelled = False
    xs = list(dict.fromkeys(frame["x"]))
    known = frame.dropna(subset=["reference"]).drop_duplicates("x")
    for row in figure.subfigs:
        for ax in row.axes:
            ax.axvline(1, color=style.NEUTRAL, linewidth=0.8, zorder=1)
            for point in known.itertuples():
                text = None if labelled else f"published: {point.reference_machine}"
                place = xs.index(point.x)
                ax.vlines(
                    point.reference,
                    place - 0.45,
                    place + 0.45,
                    color=style.NEUTRAL,
                    linewidth=2.5,
                    zorder=2,
                    label=text,
                )
                labelled = True
    return _with_reference(figure)


def _with_reference(figure):
    """The legend again, with the published value's line in it."""
    handles = list(figure.legends[0].legend_handles) if figure.legends else []
    lines = [handle for row in figure.subfigs for ax in row.axes for handle in ax.get_legend_handles_labels()[0]]
    lines = [line for line in lines if str(line.get_label()).startswith("published")]
    for legend in list(figure.legends):
        legend.remove()
    figure.legend(handles=[*handles, *lines], loc="outside lower left", ncols=2, handlelength=1)
    return figure


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Every ratio, with how it was launched and sampled in its name."""
    how = frame["panel"].str.replace("[,\n]+", " ", regex=True)
    return pd.DataFrame(
        {
            "machine": frame["machine"],
            "quantity": "ratio "
            + frame["x"].str.replace("[:,]", "", regex=True).str.replace("/", "over")
            + " "
            + frame["series"]
            + " "
            + how,
            "unit": "ratio",
            "value": frame["ratio"],
            "low": frame["ratio_low"],
            "high": frame["ratio_high"],
        }
    )
