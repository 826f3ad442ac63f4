"""How many modes the samples of a case have: the peaks of a kernel density estimate that are no noise.

Everything is done for all cases at once, on arrays; the reasons for the choices are in docs/statistics.md.
"""

from __future__ import annotations

import numpy as np

FEWEST_SAMPLES = 30
"""Below it, a density estimate of any shape is compatible with one mode."""

PROMINENCE = 0.1
"""How far a peak stands above the dips beside it, as a share of the highest peak."""

DIP = 0.3
"""How far the density falls between two peaks, as a share of the lower one: less is the noise of a flat top."""

SHARE = 0.15
"""Samples between the dips beside a peak, as a share of all: a few outliers that happen to be close are no mode."""

TICKS = 3
"""The least bandwidth, in steps of the timer: a timer that counts in steps gives every short case several values."""

RESOLUTION = 1e-10
"""Seconds below which two times are the same: no timer is that fine, and floats differ by less."""

_COLUMNS = 256  # of the grid on which a density is estimated
_REACH = 50  # bandwidths from the median at which samples are put down that lie farther
_MARGIN = 3  # bandwidths between the outermost sample and the end of the grid
_CHUNK = 2048  # cases at a time, which bounds the memory


def timer_tick(ordered: np.ndarray, starts: np.ndarray) -> float:
    """The step of the timer in seconds: the smallest difference of two samples of one case, over all cases.

    ordered: the samples, ascending within each case. starts: where each case begins.
    """
    if len(ordered) < 2:
        return RESOLUTION
    gaps = np.diff(ordered)
    gaps[starts[1:] - 1] = 0.0  # from the last sample of a case to the first of the next
    gaps = gaps[gaps > RESOLUTION]
    return float(gaps.min()) if len(gaps) else RESOLUTION


def count_modes(ordered: np.ndarray, starts: np.ndarray, tick: float) -> np.ndarray:
    """The number of modes of every case; 0 for cases with fewer samples than FEWEST_SAMPLES.

    ordered: positive samples in seconds, ascending within each case. starts: where each case begins.
    """
    counts = np.diff(np.append(starts, len(ordered)))
    found = np.zeros(len(starts), dtype=int)
    enough = np.flatnonzero(counts >= FEWEST_SAMPLES)
    for first in range(0, len(enough), _CHUNK):
        part = enough[first : first + _CHUNK]
        rows = np.repeat(np.arange(len(part)), counts[part])
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
        found[part] = _modes(np.log(ordered[starts[part][rows] + place]), rows, counts[part], tick)
    return found


def _modes(logs: np.ndarray, rows: np.ndarray, counts: np.ndarray, tick: float) -> np.ndarray:
    """The same for a few cases: `logs` ascending within each, `rows` the case of every sample."""
    starts = np.cumsum(counts) - counts
    middle = logs[starts + counts // 2]
    bandwidth = np.maximum(_silverman(logs, rows, counts), np.log1p(TICKS * tick / np.exp(middle)))
    scaled = np.clip((logs - middle[rows]) / bandwidth[rows], -_REACH, _REACH)  # in bandwidths
    low, high = scaled[starts] - _MARGIN, scaled[starts + counts - 1] + _MARGIN
    step = (high - low) / (_COLUMNS - 1)
    column = np.rint((scaled - low[rows]) / step[rows]).astype(int)
    histogram = np.bincount(rows * _COLUMNS + column, minlength=len(counts) * _COLUMNS).reshape(-1, _COLUMNS)
    # A Gaussian's Fourier transform is a Gaussian; the margins keep the two ends of the grid apart.
    frequency = np.fft.rfftfreq(_COLUMNS)[None, :] / step[:, None]
    smooth = np.exp(-2 * (np.pi * frequency) ** 2)
    density = np.fft.irfft(np.fft.rfft(histogram, axis=1) * smooth, n=_COLUMNS, axis=1)
    return _peaks(density, np.cumsum(histogram, axis=1), counts)


def _silverman(logs: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Silverman's rule: 0.9 min(standard deviation, interquartile range / 1.34) n^(-1/5)."""
    starts = np.cumsum(counts) - counts
    centred = logs - (np.add.reduceat(logs, starts) / counts)[rows]
    deviation = np.sqrt(np.add.reduceat(centred**2, starts) / (counts - 1))
    quartiles = (logs[starts + (3 * (counts - 1) + 2) // 4] - logs[starts + (counts - 1) // 4]) / 1.34
    spread = np.where(quartiles > 0, np.minimum(deviation, quartiles), deviation)
    return 0.9 * spread * counts**-0.2


def _peaks(density: np.ndarray, below: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Peaks of every row that stand out by PROMINENCE and DIP and hold SHARE of the samples.

    One walk over the columns, all rows abreast. A peak is over when the density has fallen far enough below it, the
    next begins when it has risen far enough from the dip. `below`: samples up to each column.
    """
    needed = PROMINENCE * density.max(axis=1)
    falling = np.zeros(len(density), dtype=bool)  # whether the last peak is over, and a dip is being looked for
    extreme = density[:, 0].copy()  # the highest since the last dip, or the lowest since the last peak
    dip = below[:, 0].copy()  # samples up to the lowest
    last = np.zeros(len(density), dtype=below.dtype)  # samples up to the dip before the current peak
    peaks = np.zeros(len(density), dtype=int)
    for column in range(1, density.shape[1]):
        value = density[:, column]
        over = ~falling & (value < np.minimum(extreme - needed, extreme * (1 - DIP)))
        again = falling & (value > np.maximum(extreme + needed, extreme / (1 - DIP)))
        peaks += again & (dip - last >= SHARE * counts)  # the peak before the dip
        last = np.where(again, dip, last)
        turned = over | again
        better = np.where(falling, value < extreme, value > extreme)
        dip = np.where((falling & better) | over, below[:, column], dip)
        extreme = np.where(turned | better, value, extreme)
        falling ^= turned
    return np.maximum(peaks + (counts - last >= SHARE * counts), 1)
