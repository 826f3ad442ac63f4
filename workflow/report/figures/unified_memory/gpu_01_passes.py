"""What one pass over memory costs, and what the next ones do: the first touch against what follows."""

import pandas as pd

from scopemark.figures.data import Results, points
from scopemark.figures.memory import alike, called, link_rates, memory_rates, quoted, texts
from scopemark.figures.memory_kinds import DOES, passes
from scopemark.figures.plots import dots

TITLE = "Bandwidth by pass: managed memory against all others"


def data(results: Results) -> pd.DataFrame:
    """Beside the columns of a drawn point: link and memory, the ceilings in bytes per second, where known."""
    found = alike(passes(results, "gpu", ["read", "write"], "managed"), "threads")
    panel = texts(found["processor"], str.upper) + " " + texts(found["operation"], DOES)
    series = "pass " + found["pass"].astype("string")
    frame = points(found, x=found["allocator"].map(called), series=series, panel=panel, value="bytes_per_second")
    links, memories = link_rates(results), memory_rates(results)
    ways = frame["panel"].map(lambda name: "to_gpu" if name.startswith("GPU") else "to_host")
    frame["link"] = [links.get(key) for key in zip(frame["machine"], ways, strict=True)]
    frame["memory"] = frame["machine"].map(memories).where(frame["panel"].astype("string").str.startswith("GPU"))
    return frame.astype({"link": float, "memory": float})


def draw(frame: pd.DataFrame):
    marks = {"link": "the link: a copy of pinned memory", "memory": "the GPU's memory: repeated reads of it"}
    return dots(frame, "bytes_per_second", "{prefix}B/s", width=2.35, marks=marks)


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The bandwidth of every point."""
    return quoted(frame, "bytes_per_second", frame["panel"] + " " + frame["x"] + " " + frame["series"], "B/s")
