"""Times and shares as a reader wants them."""

from __future__ import annotations

import math

from scopemark.report.format import DASH, digits
from scopemark.statistics import Interval

MINUS = "\N{MINUS SIGN}"


def duration(seconds: float, significant: int = 3) -> str:
    """A time with the unit that suits: 3.97 µs, 29.7 ms."""
    if seconds is None or math.isnan(seconds):
        return DASH
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
    # Where rounding would give 1,000 of a unit, the next one is meant.
    factor, unit = next(((f, u) for f, u in units if abs(seconds) >= 0.9995 * f), (1e-9, "ns"))
    return f"{digits(float(f'{seconds / factor:.{significant}g}'), significant)} {unit}"


def percent(share: float, significant: int = 3) -> str:
    """A share in per cent: 2.83 %."""
    return DASH if share is None or math.isnan(share) else f"{digits(share * 100, significant)} %"


def signed_percent(share: float, places: int = 2) -> str:
    """A deviation in per cent with its sign, a true minus: +2.82 %."""
    if share is None or math.isnan(share):
        return DASH
    return f"{signed(share * 100, places)} %"


def signed_nanoseconds(seconds: float) -> str:
    """A difference of times: +112 ns, in whole nanoseconds, which the clocks' steps of some 30 ns allow."""
    return f"{signed(seconds * 1e9, 0)} ns"


def signed_duration(seconds: float) -> str:
    """A difference of times with the unit that suits: +9.72 µs."""
    return (MINUS if seconds < 0 else "+") + duration(abs(seconds))


def signed(value: float, places: int) -> str:
    """A number with its sign and a true minus; what rounds to nothing has none."""
    rounded = round(value, places)
    return f"{0:.{places}f}" if rounded == 0 else f"{rounded:+,.{places}f}".replace("-", MINUS)


def share_of(count: int, total: int, share: Interval) -> str:
    """A share with its interval and what it is a share of: 10 of 200: 5.00 % [2.74, 8.96]."""
    return f"{count} of {total}: {share.value * 100:.1f} % [{share.low * 100:.1f}, {share.high * 100:.1f}]"


def share_points(share: float) -> str:
    """A share as a table has it: 95.0 %."""
    return DASH if math.isnan(share) else f"{share * 100:.1f} %"
