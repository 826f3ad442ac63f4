"""The parts of the report's page: machines, an experiment's figures, and what became of its cases."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from docutils.core import publish_parts

from scopemark import style, tables
from scopemark.collect import HERE
from scopemark.experiment import load_experiment
from scopemark.figures.data import device_name, device_order, label, load_figure
from scopemark.figures.save import read_points
from scopemark.grid import expand
from scopemark.report.format import fact, fact_name, flat
from scopemark.report.statuses import shares


def machine_parts(
    machines: Mapping[tuple[str, str], Mapping[str, Any]], summaries: Sequence[pd.DataFrame]
) -> list[dict]:
    """Each machine with a headline of its facts, all facts as (part, name, value), what became of its cases, and
    its colour in the figures."""
    devices = device_order(machines)
    cases = pd.concat(
        [frame[["run", "target", "experiment", "toolchain", "status", "processes"]] for frame in summaries]
    )
    parts = []
    for (run, target), machine in machines.items():
        own = cases[(cases["run"] == run) & (cases["target"] == target)]
        sections = [part for part in ("gpu", "host", "memory") if part in machine]
        facts = [(part, fact_name(k), fact(k, v)) for part in sections for k, v in flat(machine[part])]
        # A module's parameters are known by their own names.
        facts += [("uvm", name, str(value)) for name, value in machine.get("uvm", {}).items()]
        parts.append(
            {
                "name": device_name(machine, target),
                "target": target,
                "kind": machine["kind"],
                "here": run == HERE,
                "run": "measured here" if run == HERE else run,
                "date": machine["described_at"],
                "headline": headline(machine),
                "toolchains": sorted(set(own["toolchain"])),
                "cases": len(own),
                "shares": shares(own),
                "facts": facts,
                "colour": style.device_colour(devices[target]),
            }
        )
    return sorted(parts, key=lambda part: (not part["here"], part["kind"] != "gpu"))


def headline(machine: Mapping[str, Any]) -> str:
    """A machine in one line."""
    host = machine["host"]
    if machine["kind"] == "cpu":
        caches = [
            f"{level.upper()} {fact(f'{level}_cache', host[f'{level}_cache'])}"
            for level in ("l1", "l2", "l3")
            if f"{level}_cache" in host
        ]
        words = [f"{host['usable_cpus']} CPUs", *caches, host.get("system"), host.get("compiler")]
        return ", ".join(filter(None, words))
    gpu = machine["gpu"]
    clock = fact("clock_mhz", gpu["highest_sm_clock_mhz"]) if "highest_sm_clock_mhz" in gpu else None
    words = [gpu["architecture"], f"{gpu['multiprocessors']} SMs", f"{fact('l2_bytes', gpu['l2_bytes'])} L2"]
    words += [f"up to {clock}" if clock else None, f"driver {gpu['driver']}" if "driver" in gpu else None]
    return ", ".join(filter(None, words))


def figure_parts(modules: Sequence[str], images: Sequence[str], points: Sequence[str], captions: Sequence[str]) -> list:
    """Figures in the page's order, those of GPUs first: title, picture and points as data URIs, caption as HTML.

    The first of each experiment and kind of target that has data leads: the page shows it unfolded.
    """
    parts = []
    for file, image, point, caption in zip(modules, images, points, captions, strict=True):
        module, frame = load_figure(file), read_points(point)
        quoted = module.numbers(frame) if hasattr(module, "numbers") and len(frame) else pd.DataFrame()
        parts.append(
            {
                "name": Path(image).stem,
                "experiment": Path(image).parent.name,
                "kind": Path(image).stem.split("_")[0],
                "title": module.TITLE,
                "width": svg_width(image),
                "image": data_uri(image, "image/svg+xml"),
                "points": data_uri(point, "text/csv"),
                "files": [str(Path(image).with_suffix(end).relative_to("reports")) for end in (".pdf", ".svg", ".png")],
                "empty": frame.empty,
                "numbers": quoted.to_dict("records"),
                "caption": _html(Path(caption).read_text()),
            }
        )
    leading = {}
    for part in parts:
        if not part["empty"]:
            leading.setdefault((part["experiment"], part["kind"]), part["name"])
    for part in parts:
        part["leads"] = part["name"] == leading.get((part["experiment"], part["kind"]))
    return sorted(parts, key=lambda part: part["kind"] != "gpu")


def opening_part(
    experiment: str,
    modules: Sequence[str],
    summary: pd.DataFrame,
    machines: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Any:
    """What the module that opens an experiment's section makes of its cases, for the template of the same name: a list,
    empty where there is nothing to open with."""
    for file in modules:
        if Path(file).stem == experiment:
            return load_figure(file).parts(summary, machines)
    return []


def text_parts(modules: Sequence[str], texts: Sequence[str]) -> list[dict]:
    """The texts that have something to show: experiment, name, title, file, text, and the html of one that is prose."""
    parts = []
    for module, file in zip(modules, texts, strict=True):
        text, path = Path(file).read_text(), Path(module)
        about = load_figure(path)
        name = {"experiment": path.parent.name, "name": path.stem, "title": about.TITLE}
        if text:
            name |= {"file": str(Path(file).relative_to("reports")), "text": text}
            parts.append(name | {"html": _html(text) if getattr(about, "PROSE", False) else ""})
    return parts


def _html(text: str) -> str:
    """reStructuredText as the page's HTML; its headings begin below the page's third level."""
    settings = {"doctitle_xform": False, "initial_header_level": 4}
    return publish_parts(text, writer="html5", settings_overrides=settings)["body"]


def svg_width(path: str) -> int:
    """The natural width of an SVG that matplotlib wrote, in CSS pixels: 96 make the inch that has 72 points."""
    return round(float(re.search(r'width="([0-9.]+)pt"', Path(path).read_text())[1]) * 96 / 72)


def data_uri(path: str, kind: str) -> str:
    """A file within the page itself."""
    return f"data:{kind};base64,{base64.b64encode(Path(path).read_bytes()).decode()}"


def status_parts(summary: pd.DataFrame, machines) -> dict[str, Any]:
    """Counts of every status per machine, the cases that are not ok with their reasons, and those with several modes:
    how many of how many whose modes could be counted, and which."""
    names = [label(machines.get(key), *key) for key in zip(summary["run"], summary["target"], strict=True)]
    frame = summary.assign(machine=names)
    counts = frame.groupby(["machine", "status"], sort=False).size().unstack(fill_value=0)
    statuses = [status for status in tables.STATUSES if status in counts]
    discarded = frame.groupby("machine", sort=False)["discarded"].sum()
    rows = [
        (name, int(counts.loc[name].sum()), [int(counts.loc[name, s]) for s in statuses], int(discarded[name]))
        for name in dict.fromkeys(names)
    ]
    bad = frame[frame["status"] != "ok"]
    several = frame[(frame["modes"] > 1).fillna(False)]
    return {
        "statuses": statuses,
        "counts": rows,
        "bad": bad.to_dict("records"),
        "modes_known": int(frame["modes"].notna().sum()),
        "multimodal": several.to_dict("records"),
    }


def excluded_parts(experiment: str, grids: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, int]]:
    """The points of the grids that no case stands for: kind of target, reason, how many."""
    counts: Counter[tuple[str, str]] = Counter()
    for grid in grids.values():
        for kind in ("gpu", "cpu"):
            for reason, number in expand(load_experiment(experiment), grid, kind)[1].items():
                counts[kind, reason] += number
    return [(kind, reason, number) for (kind, reason), number in sorted(counts.items())]
