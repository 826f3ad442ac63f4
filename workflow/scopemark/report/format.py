"""Numbers and facts as a reader wants them: as many digits as say something, with units and intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_TIMES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_UNITS = {"ops/s": "op/s", "B/s": "B/s"}
_KIBIBYTES = {"K": 1, "M": 2**10, "G": 2**20}
_FLAGS = (
    "integrated",
    "managed_memory",
    "concurrent_managed_access",
    "pageable_memory_access",
    "pageable_memory_access_uses_host_page_tables",
    "direct_managed_mem_access_from_host",
    "host_native_atomic_supported",
    "can_map_host_memory",
    "host_register_supported",
    "memory_pools_supported",
)
"""Facts that a machine description has as CUDA gives them, 0 or 1."""
DASH = "–"


def digits(value: float, significant: int = 3) -> str:
    """A number with that many significant digits, without an exponent and with all digits before the point.

    >>> digits(12.04), digits(0.9531), digits(1234.6)
    ('12.0', '0.953', '1,235')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else DASH
    # Rounded first: 9.996 has as many digits before the point as 10.0.
    magnitude = math.floor(math.log10(abs(float(f"{value:.{significant - 1}e}"))))
    return f"{value:,.{max(0, significant - 1 - magnitude)}f}"


def missing(value: Any) -> bool:
    """Whether a table has no value there."""
    return value is None or str(value) in ("<NA>", "nan")


def interval(value: float, low: float, high: float, unit: str = "ratio", significant: int = 3) -> str:
    """A value with its 95 % interval: 11.9× [11.8, 12.0], or with the SI prefix that suits: 4.14 [4.13, 4.15] Top/s."""
    if missing(value):
        return DASH
    factor, suffix, sign = 1.0, "", "×"
    if unit != "ratio":
        prefixes = _TIMES if unit == "s" else _PREFIXES
        factor, letter = next(((f, p) for f, p in prefixes if abs(value) >= f), (1.0, ""))
        suffix, sign = f" {letter}{_UNITS.get(unit, unit)}", ""
    text = digits(value / factor, significant) + sign
    if not missing(low) and not missing(high):
        text += f" [{digits(low / factor, significant)}, {digits(high / factor, significant)}]"
    return text + suffix


def published_value(value: float, unit: str) -> str:
    """A value that others publish, with the digits that they give: 9×, 0.19 ms, 54.8 Gop/s."""
    if unit == "ratio":
        return f"{value:g}×"
    if unit not in _UNITS:
        return f"{value:,g} {unit}"
    factor, letter = next(((f, p) for f, p in _PREFIXES if abs(value) >= f), (1.0, ""))
    return f"{value / factor:g} {letter}{_UNITS[unit]}"


def fact(name: str, value: Any) -> str:
    """A fact of a machine description, with the unit that its name carries."""
    if isinstance(value, bool) or (name in _FLAGS and value in (0, 1)):
        return "yes" if value else "no"
    size = re.fullmatch(r"(\d+)([KMG])", str(value)) if name.endswith("_cache") else None
    if size:  # as Linux gives it
        return fact("bytes", int(size[1]) * _KIBIBYTES[size[2]] * 2**10)
    if name.endswith("bytes") or "bytes_per" in name:
        for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
            if value >= factor:
                return f"{value / factor:.4g} {unit}"
        return f"{value} bytes"
    for ending, unit in (("_mhz", "MHz"), ("_watts", "W"), ("_bits", "bits")):
        if name.endswith(ending):
            return f"{value:,.0f} {unit}"
    if name in ("cuda_driver", "cuda_runtime"):
        return f"{value // 1000}.{value % 1000 // 10}"
    return str(value) or "none"


def fact_name(name: str) -> str:
    """The name of a fact without the unit, which stands with the value."""
    for ending in ("_bytes", "_mhz", "_watts", "_bits"):
        name = name.removesuffix(ending)
    words = name.replace("_", " ")
    for word in ("l1", "l2", "l3", "ecc", "mig", "pcie", "cpu", "cpus", "cuda", "sm", "numa", "hmm"):
        words = " ".join(part.upper().replace("CPUS", "CPUs") if part == word else part for part in words.split())
    return words


def flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Facts and those within them by one name each: numa_nodes_0_cpus."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}_")
        else:
            yield prefix + name, value


def kernel_words(kernel: str) -> str:
    """A kernel's entry point as words that a browser can break: its benchmark, then its parameters if it has any.

    >>> kernel_words("counter__atomic_ref_relaxed"), kernel_words("write_dense")
    ('counter: atomic_ref_relaxed', 'write_dense')
    """
    return kernel.replace("__", ": ", 1)
