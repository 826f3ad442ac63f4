"""Numbers for a paper: names that LaTeX takes, and values in the unit that their comment says."""

from __future__ import annotations

import pandas as pd
import pytest

from scopemark.report.latex import macros

COMMON = {"run": "here", "target": "gpu0", "machine": "G"}


def number(quantity, unit, value, low=None, high=None):
    return COMMON | {"quantity": quantity, "unit": unit, "value": value, "low": low, "high": high}


def test_rates_times_and_ratios_have_scales_of_their_own():
    rows = [number("fills", "B/s", 2.5e9, 2.4e9, 2.6e9), number("signal", "s", 3.02e-6), number("gain", "ratio", 8)]
    lines = macros(pd.DataFrame(rows)).splitlines()[1:]
    assert lines == [
        "% G: fills, 10^9 B/s",
        r"\newcommand{\scopemarkGpuZeroFills}{2.500}",
        r"\newcommand{\scopemarkGpuZeroFillsLow}{2.400}",
        r"\newcommand{\scopemarkGpuZeroFillsHigh}{2.600}",
        "% G: signal, 10^-6 s",
        r"\newcommand{\scopemarkGpuZeroSignal}{3.020}",
        "% G: gain",
        r"\newcommand{\scopemarkGpuZeroGain}{8.000}",
    ]


def test_two_numbers_never_have_one_name():
    with pytest.raises(ValueError, match="scopemarkGpuZeroFills"):
        macros(pd.DataFrame([number("fills", "s", 1), number("fills", "s", 2)]))
