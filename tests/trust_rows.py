"""Tables of a trust run made by hand."""

import math

import matplotlib

matplotlib.use("agg")


from helpers import ROOT
from scopemark import tables

MACHINE = ROOT / "reports/reference/nvidia-h200/machine.json"


def cold(case, seconds, ratio, half=0.0, noise=0.0, nvbench_half=0.0, wall=(0.1, 10.0)):
    """A cold row of a kernel that takes so many seconds by NVBench; the halves are of the medians' intervals."""
    ours = seconds * ratio
    reach = math.hypot(half, nvbench_half)
    return {
        "case": case,
        "kernel": f"counter__{case}",
        "iterations": 1,
        "mode": "cold",
        "alone_seconds": ours - 1e-7,
        "ours_seconds": ours,
        "ours_low": ours * (1 - half),
        "ours_high": ours * (1 + half),
        "ours_samples": 12,
        "ours_wall_seconds": wall[0],
        "nvbench_seconds": seconds,
        "nvbench_low": seconds * (1 - nvbench_half),
        "nvbench_high": seconds * (1 + nvbench_half),
        "nvbench_samples": 1000,
        "nvbench_wall_seconds": wall[1],
        "nvbench_noise": noise,
        "ratio": ratio,
        "ratio_low": ratio * (1 - reach),
        "ratio_high": ratio * (1 + reach),
    }


def batched(case, seconds, ratio, wall=0.1):
    """A batched row; NVBench gives no interval."""
    row = cold(case, seconds, ratio)
    kept = [name for name in row if name.startswith("ours") or name in ("case", "kernel", "iterations", "ratio")]
    common = {"mode": "batched", "nvbench_seconds": seconds, "nvbench_samples": 100, "ours_wall_seconds": wall}
    return {name: row[name] for name in kept} | common


def nvbench_table(*rows):
    return tables.make("trust_nvbench", rows)


def durations_table(empty=2.5e-6, offset=2e-6, slope=1.0, extra=0.0):
    rows = [("empty", 0.0, empty)]
    rows += [("spin", seconds, offset + slope * seconds) for seconds in (1e-5, 1e-4, 1e-3)]
    rows[1] = ("spin", 1e-5, rows[1][2] + extra)
    return tables.make(
        "trust_durations",
        [
            {
                "kernel": kernel,
                "asked_seconds": clocked,
                "clocked_seconds": clocked,
                "measured_seconds": measured,
                "measured_low": measured,
                "measured_high": measured,
                "offset_seconds": measured - clocked,
            }
            for kernel, clocked, measured in rows
        ],
    )


def pairs_table(different, total):
    rows = [
        {"case": "a", "kernel": "counter__a", "iterations": 1, "pair": pair, "ratio": 1.0, "ratio_low": 0.99}
        | {"ratio_high": 1.01, "called_different": pair < different}
        for pair in range(total)
    ]
    return tables.make("trust_pairs", rows)


def repeat_table(*entries):
    """Rows of (seconds of the first run, ratio, within each other's interval, not different)."""
    return tables.make(
        "trust_repeat",
        [
            {"case": f"c{place}", "kernel": "counter__a", "samples_1": 12, "samples_2": 12, "seconds_1": first}
            | {"low_1": first * 0.99, "high_1": first * 1.01, "seconds_2": first * ratio, "low_2": first * ratio}
            | {"high_2": first * ratio, "ratio": ratio, "ratio_low": ratio, "ratio_high": ratio}
            | {"within_each_other": within, "not_different": same}
            for place, (first, ratio, within, same) in enumerate(entries)
        ],
    )


def timing_table(**changes):
    row = {"run": 1, "cases": 100, "samples": 2000, "device_seconds": 5.0, "start": 1.0, "prepare": 0.2}
    row |= {"sample": 8.5, "exchange": 0.2, "record": 0.1} | changes
    return tables.make("trust_timing", [row, row | {"run": 2}])
