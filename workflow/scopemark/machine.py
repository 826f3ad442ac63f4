"""The machine description: what a number must be read with.

Attributes that a driver or an operating system does not tell are left out, not guessed.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

from scopemark.capabilities import device_attributes, gpus_here
from scopemark.memory_facts import memory_facts, uvm_parameters
from scopemark.targets import Target, usable_cpus


def describe(target: Target) -> dict[str, Any]:
    """The description of a target: hardware, driver, operating system and capabilities."""
    description: dict[str, Any] = {
        "target": target.name,
        "kind": target.kind,
        "described_at": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "host": host(),
        "memory": memory_facts(),
    }
    if target.kind == "gpu":
        description["gpu"] = gpu(target)
        if parameters := uvm_parameters():
            description["uvm"] = parameters
    return description


def host() -> dict[str, Any]:
    """The CPU, its caches and memory, and the operating system."""
    facts: dict[str, Any] = {
        "machine": platform.machine(),
        "kernel": platform.release(),
        "cpus": os.cpu_count(),
        "usable_cpus": usable_cpus(),
        "python": platform.python_version(),
    }
    with contextlib.suppress(OSError):
        info = Path("/proc/cpuinfo").read_text()
        names = re.findall(r"^model name\s*:\s*(.+)$", info, re.M)
        facts["cpu"] = names[0] if names else platform.processor()
    with contextlib.suppress(OSError, AttributeError):
        facts["memory_bytes"] = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) * 1024
    with contextlib.suppress(OSError):
        names = re.findall(r'^PRETTY_NAME="?([^"\n]+)', Path("/etc/os-release").read_text(), re.M)
        facts["system"] = names[0] if names else platform.system()
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        with contextlib.suppress(OSError):
            kind = (index / "type").read_text().strip()
            level = (index / "level").read_text().strip()
            if kind != "Instruction":
                facts[f"l{level}_cache"] = (index / "size").read_text().strip()
                facts["cache_line_bytes"] = int((index / "coherency_line_size").read_text())
    with contextlib.suppress(OSError, subprocess.CalledProcessError, StopIteration):
        from scopemark.build import compiler_version

        facts["compiler"] = compiler_version()
    return facts


def gpu(target: Target) -> dict[str, Any]:
    """The GPU by CUDA's attributes and by NVML's sensors and settings."""
    import cupy

    runtime = cupy.cuda.runtime
    facts: dict[str, Any] = {
        "name": runtime.getDeviceProperties(target.device)["name"].decode(),
        "architecture": f"sm_{target.architecture}",
        "memory_bytes": runtime.getDeviceProperties(target.device)["totalGlobalMem"],
        "cuda_driver": runtime.driverGetVersion(),
        "cuda_runtime": runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }
    facts |= device_attributes(target.device)
    facts["gpus"] = gpus_here()
    with contextlib.suppress(OSError):
        first = Path("/proc/driver/nvidia/version").read_text().splitlines()[0]
        facts["kernel_module"] = "open" if "Open Kernel Module" in first else "proprietary"
    facts |= _nvml(target.uuid)
    return facts


def _nvml(uuid: str) -> dict[str, Any]:
    import pynvml as nvml

    nvml.nvmlInit()
    handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
    readings = {
        "driver": nvml.nvmlSystemGetDriverVersion,
        "vbios": lambda: nvml.nvmlDeviceGetVbiosVersion(handle),
        "highest_sm_clock_mhz": lambda: nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM),
        "highest_memory_clock_mhz": lambda: nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_MEM),
        "power_limit_watts": lambda: nvml.nvmlDeviceGetPowerManagementLimit(handle) / 1000,
        "ecc": lambda: bool(nvml.nvmlDeviceGetEccMode(handle)[0]),
        "mig": lambda: bool(nvml.nvmlDeviceGetMigMode(handle)[0]),
        "persistence": lambda: bool(nvml.nvmlDeviceGetPersistenceMode(handle)),
        "pcie_generation": lambda: nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle),
        "pcie_width": lambda: nvml.nvmlDeviceGetCurrPcieLinkWidth(handle),
        "addressing_mode": lambda: nvml.nvmlDeviceGetAddressingMode(handle),
    }
    facts = {}
    for name, read in readings.items():
        with contextlib.suppress(nvml.NVMLError, AttributeError):
            value = read()
            facts[name] = value.decode() if isinstance(value, bytes) else value
    if not isinstance(facts.get("addressing_mode"), (int, str, type(None))):
        del facts["addressing_mode"]
    return facts
