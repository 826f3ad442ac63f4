"""How figures look: one colour per device, one marker per way of writing or ordering an operation, words for values."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import seaborn as sns
from matplotlib.colors import to_rgb

# Okabe and Ito's palette, which stays apart under the common colour deficiencies. Order is the devices' order.
DEVICE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6000")
NEUTRAL = "#444444"
FAILED = "#B00020"

_WORDS = {
    "atomic_ref": "cuda::atomic_ref",
    "atomic": "cuda::atomic",
    "std_atomic_ref": "cuda::std::atomic_ref",
    "intrinsic": "intrinsic (atomicAdd …)",
    "builtin": "compiler builtin (__atomic_…)",
    "per_match": "one add per match, to the total",
    "two_level": "subtotal per block (CPU: team), then one add",
    "warp_aggregated": "one add per warp, by ballot, to the total",
    "discarded": "result discarded",
    "used": "result used",
    "block": "block scope",
    "device": "device scope",
    "system": "system scope",
    "uniform": "uniform address",
    "opaque": "opaque address",
    "plain": "plain code",
    "native": "native operation",
    "compiler_aggregated": "a warp folded by the compiler",
    "hand_aggregated": "one lane for those of its slot",
    "loop_strong": "loop, strong exchange",
    "loop_weak": "loop, weak exchange",
    "loop_no_exit": "loop without early exit",
    "loop_backoff": "loop that backs off",
    "private_bins": "bins of the block's own, folded",
    "global_bins": "global bins",
    "operations_per_second": "logical operations",
    "issued_per_second": "atomics issued",
}
"""What a figure writes for a value of a table; other values stand for themselves."""

_MARKERS = {
    "atomic_ref": "o",
    "atomic": "s",
    "std_atomic_ref": "D",
    "intrinsic": "^",
    "builtin": "v",
    "per_match": "o",
    "two_level": "s",
    "warp_aggregated": "^",
    "block": "o",
    "device": "s",
    "system": "^",
    "operations_per_second": "o",
    "issued_per_second": "D",
}
_OTHER_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))


def apply() -> None:
    """Set matplotlib up: deterministic files, fonts that can be read at half a page, thin grids."""
    sns.set_theme(context="notebook", style="whitegrid")
    mpl.rcParams.update(
        {
            "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same
            "font.size": 10,
            "axes.titlesize": 10,
            "axes.labelsize": 10,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
            "legend.frameon": False,
            "axes.edgecolor": "#888888",
            "axes.linewidth": 0.8,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.6,
            "lines.linewidth": 1.5,
            "lines.markersize": 6,
            "svg.hashsalt": "scopemark",
            "pdf.fonttype": 42,
            "savefig.dpi": 160,
            "figure.dpi": 100,
        }
    )


def word(value: object) -> str:
    """What a figure writes for a value."""
    return _WORDS.get(str(value), str(value))


def marker(series: str, index: int) -> str:
    """The marker of a series: its own if the word has one, or else by its place."""
    return _MARKERS.get(series, _OTHER_MARKERS[index % len(_OTHER_MARKERS)])


def dash(index: int):
    """The line style of a series by its place."""
    return _DASHES[index % len(_DASHES)]


def device_colour(device: int) -> str:
    """The colour of the device with that place in the report's order."""
    return DEVICE_COLOURS[device % len(DEVICE_COLOURS)]


def shades(colour: str, count: int) -> list[tuple[float, float, float]]:
    """`count` shades of one colour, dark to light, so that a device keeps its hue whatever the series."""
    base = to_rgb(colour)
    if count == 1:
        return [base]
    steps = [-0.45 + 0.95 * index / (count - 1) for index in range(count)]
    return [_mixed(base, (0, 0, 0), -step) if step < 0 else _mixed(base, (1, 1, 1), step) for step in steps]


def _mixed(colour: Sequence[float], other: Sequence[float], share: float) -> tuple[float, float, float]:
    return tuple(a * (1 - share) + b * share for a, b in zip(colour, other, strict=True))
