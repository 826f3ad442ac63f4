"""Which paradigm of unified memory a machine has: from what CUDA says the device can do, and from nothing else.

The table is that of the CUDA Programming Guide, "Overview of Unified Memory Paradigms". NVML's addressing mode is not
asked: virtual machines have been seen whose mode was HMM while no kernel could page. A mode that disagrees is told.
Everything here is a function of a machine description, so that recorded runs are named as this machine is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DECIDING = (
    "managed_memory",
    "concurrent_managed_access",
    "pageable_memory_access",
    "pageable_memory_access_uses_host_page_tables",
)
"""The attributes that name the paradigm, in the order in which they are asked; the first that is 0 is the last."""

FURTHER = (
    "direct_managed_mem_access_from_host",
    "host_native_atomic_supported",
    "can_map_host_memory",
    "host_register_supported",
    "memory_pools_supported",
    "integrated",
    "copy_engines",
    "gpus",
)
"""Those that say what else there is, whatever the paradigm."""


@dataclass(frozen=True)
class Paradigm:
    """name: as the report has it; key: in a word. mode: NVML's addressing mode that goes with it. follows: what a
    kernel may do."""

    key: str
    name: str
    mode: str
    follows: str


NONE = Paradigm(
    "none",
    "no unified memory",
    "none",
    "There is no managed memory. A kernel may touch what cudaMalloc gives and, where the device can map it, pinned "
    "memory of the host.",
)
LIMITED = Paradigm(
    "limited",
    "limited",
    "none",
    "A kernel may touch managed memory, which goes to the GPU as a whole before the kernel starts, and pinned memory. "
    "While any kernel runs the CPU must leave managed memory alone, unless it is attached to another stream or to the "
    "host; there are no hints, and no more of it than the GPU has memory.",
)
MANAGED_ONLY = Paradigm(
    "managed_only",
    "managed only",
    "none",
    "A kernel may touch managed memory, which moves page by page to whoever touches it, and pinned memory, over the "
    "link. It must never be given a pointer of malloc, mmap, the stack or a plain variable.",
)
SOFTWARE_COHERENT = Paradigm(
    "software_coherent",
    "all memory, software coherence (HMM)",
    "HMM",
    "A kernel may touch all memory of the process: what malloc, mmap and plain variables have moves by page faults as "
    "managed memory does. Memory of a file stays with the CPU, and must not be the target of a kernel's atomics unless "
    "the host's memory takes them natively.",
)
HARDWARE_COHERENT = Paradigm(
    "hardware_coherent",
    "all memory, hardware coherence (ATS)",
    "ATS",
    "A kernel may touch all memory of the process through the CPU's own page tables, a cache line at a time and "
    "without page faults; pages move when the access counters say so, or when they are told to.",
)


PARADIGMS = (NONE, LIMITED, MANAGED_ONLY, SOFTWARE_COHERENT, HARDWARE_COHERENT)


def paradigm(attributes: Mapping[str, Any]) -> Paradigm | None:
    """The paradigm of a GPU with these attributes; None where they do not tell one that decides."""
    asked = deciding(attributes)
    if asked is None:
        return None
    return PARADIGMS[len(asked) if attributes[asked[-1]] else len(asked) - 1]


def deciding(attributes: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The attributes that decide, up to the first that is 0; None where one of them is not told."""
    for place, name in enumerate(DECIDING):
        if attributes.get(name) is None:
            return None
        if not attributes[name]:
            return DECIDING[: place + 1]
    return DECIDING


_MODES = {0: "none", 1: "HMM", 2: "ATS"}  # of nvmlDeviceGetAddressingMode


def addressing_mode(gpu: Mapping[str, Any]) -> str | None:
    """NVML's addressing mode of a GPU in words: none, HMM or ATS; None where it is not told."""
    value = gpu.get("addressing_mode")
    return _MODES.get(value, str(value)) if value is not None else None


def mode_disagrees(gpu: Mapping[str, Any]) -> str | None:
    """A sentence where NVML's addressing mode says otherwise than the attributes, or None."""
    found, mode = paradigm(gpu), addressing_mode(gpu)
    if found is None or mode is None or mode.lower() == found.mode.lower():
        return None
    return (
        f"NVML's addressing mode is {mode}, where a machine of this paradigm has {found.mode}. The attributes decide, "
        "and the canaries tell who is right."
    )


@dataclass(frozen=True)
class Condition:
    """One of the things that paging by software needs. met: None where the description does not tell.

    lacking: what is wrong where it is not met, in words.
    """

    what: str
    needed: str
    found: str
    met: bool | None
    lacking: str


def hmm_conditions(machine: Mapping[str, Any]) -> list[Condition]:
    """What a kernel on malloc's memory needs where there is no hardware coherence, and which of it a machine has."""
    gpu, memory, uvm = (machine.get(part, {}) for part in ("gpu", "memory", "uvm"))
    kernel, driver = machine["host"]["kernel"], gpu.get("driver")
    architecture, module = gpu["architecture"], gpu.get("kernel_module")
    disabled = uvm.get("uvm_disable_hmm")
    return [
        Condition(
            "Linux",
            "6.1.24+, 6.2.11+ or 6.3+",
            kernel,
            _kernel_is_new(kernel),
            f"Linux is too old ({kernel}; 6.1.24+, 6.2.11+ or 6.3+ will do)",
        ),
        *(_option(name, memory.get(name.lower())) for name in ("HMM_MIRROR", "DEVICE_PRIVATE")),
        Condition(
            "compute capability",
            "7.5 or higher",
            architecture,
            int(architecture.removeprefix("sm_").rstrip("af")) >= 75,
            f"the GPU is too old ({architecture}; compute capability 7.5 or higher will do)",
        ),
        Condition(
            "driver",
            "535 or later",
            driver or "not told",
            int(driver.split(".")[0]) >= 535 if driver else None,
            f"the driver is too old ({driver}; 535 or later will do)",
        ),
        Condition(
            "kernel module",
            "the open one",
            module or "not told",
            module == "open" if module else None,
            f"the driver's kernel module is the {module} one, not the open one",
        ),
        Condition(
            "uvm_disable_hmm",
            "not set",
            "not told" if disabled is None else str(disabled),
            None if disabled is None else str(disabled) in ("0", "N"),
            "it is switched off by the module's parameter uvm_disable_hmm",
        ),
    ]


def _option(name: str, built_in: bool | None) -> Condition:
    """One of the options that the Linux kernel must have been built with."""
    found = {None: "not told", True: "built in", False: "not built in"}[built_in]
    return Condition(
        f"kernel option {name}", "built in", found, built_in, f"the Linux kernel was built without CONFIG_{name}"
    )


def _kernel_is_new(release: str) -> bool | None:
    """Whether a Linux kernel has the fixes that NVIDIA asks for; None for a release that is no version."""
    numbers = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    if not numbers:
        return None
    version = tuple(int(number or 0) for number in numbers.groups())
    return (6, 1, 24) <= version < (6, 2) or version >= (6, 2, 11)


def why_not_pageable(machine: Mapping[str, Any]) -> str | None:
    """Why a kernel on malloc's memory fails here, in sentences; None where it may touch it, or nothing is told."""
    found = paradigm(machine["gpu"])
    if found in (None, SOFTWARE_COHERENT, HARDWARE_COHERENT):
        return None
    conditions = hmm_conditions(machine)
    lacking, unknown = what_is_lacking(machine), [one.what for one in conditions if one.met is None]
    text = "A kernel that is given memory of malloc can be expected to fault here, because the GPU cannot page it in"
    text += f": {' and '.join(lacking)}. " if lacking else ". "
    text += "All other conditions" if lacking else "All conditions"
    text += " of which something is told are met" if unknown else " are met"
    text += "." if lacking else ", and yet the driver does not offer it."
    return text + (f" Not told: {', '.join(unknown)}." if unknown else "")


def what_is_lacking(machine: Mapping[str, Any]) -> list[str]:
    """What paging by software lacks on a machine, each in words."""
    return [one.lacking for one in hmm_conditions(machine) if one.met is False]
