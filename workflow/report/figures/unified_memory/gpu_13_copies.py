"""cudaMemcpy by the kind that it is told, on memory that has pages and on memory that has none yet."""

import pandas as pd

from scopemark.figures.data import Results, arrange, points
from scopemark.figures.memory import at_largest, cases, moved, texts
from scopemark.figures.plots import dots

TITLE = "Copies by kind, and to memory without pages"
OTHER = "device and pinned memory, or malloc's"
MEMORIES = {"managed": "managed memory", "device_pinned": OTHER, "malloc": OTHER}
PATHS = {
    "host_to_gpu": "host to GPU",
    "gpu_to_host": "GPU to host",
    "gpu_to_gpu": "GPU to GPU",
    "host_to_host": "host to host",
}
DESTINATIONS = {"populated": "", "unpopulated": ", no pages yet"}
METHODS = {"memcpy": "cudaMemcpy, {} kind", "kernel": "a kernel", "cpu": "the CPU"}
KINDS = ["accurate", "default", "inaccurate"]


def data(results: Results) -> pd.DataFrame:
    wanted = {"memory": MEMORIES, "path": PATHS, "destination": DESTINATIONS, "method": METHODS, "copy_kind": KINDS}
    wanted = {axis: list(values) for axis, values in wanted.items()}
    found = arrange(at_largest(moved(cases(results, "gpu", "copy", **wanted))), **wanted)
    # Only cudaMemcpy is told a kind.
    found = found[(found["method"] == "memcpy") | (found["copy_kind"] == "accurate")]
    how = [METHODS[method].format(kind) for method, kind in zip(found["method"], found["copy_kind"], strict=True)]
    malloc = texts(found["memory"], lambda memory: ", malloc" if memory == "malloc" else "")
    where = texts(found["path"], PATHS) + malloc + texts(found["destination"], DESTINATIONS)
    panel = found["memory"].map(MEMORIES)
    return points(found.assign(how=how), x=where, series="how", panel=panel, value="moved_per_second")


def draw(frame: pd.DataFrame):
    return dots(frame, "moved_per_second", "{prefix}B copied per second", width=3.7)
