"""How this machine manages memory: pages, huge pages, NUMA nodes, limits, and what NVIDIA's module was told.

All of it is read from files below `root`, which tests replace. What is not there is left out.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import platform
import re
from pathlib import Path
from typing import Any

ROOT = Path("/")
NO_LIMIT = 2**60  # what the first version of cgroups writes for none is about 2^63
HMM_OPTIONS = ("CONFIG_HMM_MIRROR", "CONFIG_DEVICE_PRIVATE")
"""What NVIDIA's open module asks of the kernel's configuration before it lets a GPU page: kernel-open's uvm_linux.h."""


def memory_facts(root: Path = ROOT) -> dict[str, Any]:
    """The operating system's part; sizes in bytes.

    numa_nodes: a node's CPUs, empty for one that has none, and its memory. reserved_huge_pages: their number by size.
    cgroup_limit_bytes: what the tightest cgroup of this process may use. hmm_mirror, device_private: whether the kernel
    was built with the option.
    """
    facts: dict[str, Any] = {"page_bytes": os.sysconf("SC_PAGE_SIZE")}
    huge = root / "sys/kernel/mm/transparent_hugepage"
    with contextlib.suppress(OSError, ValueError):
        facts["transparent_huge_page_bytes"] = int((huge / "hpage_pmd_size").read_text())
    for file, name in (("enabled", "enabled"), ("defrag", "defrag"), ("shmem_enabled", "shmem")):
        with contextlib.suppress(OSError, TypeError):
            facts[f"transparent_huge_pages_{name}"] = re.search(r"\[(.+?)\]", (huge / file).read_text())[1]
    if reserved := _reserved(root / "sys/kernel/mm/hugepages"):
        facts["reserved_huge_pages"] = reserved
    if nodes := _numa_nodes(root / "sys/devices/system/node"):
        facts["numa_nodes"] = nodes
    if (limit := _cgroup_limit(root)) is not None:
        facts["cgroup_limit_bytes"] = limit
    return facts | _kernel_options(root)


def uvm_parameters(root: Path = ROOT) -> dict[str, int | str]:
    """The parameters of NVIDIA's unified-memory module as they are now; none where it is not loaded."""
    found: dict[str, int | str] = {}
    for file in sorted((root / "sys/module/nvidia_uvm/parameters").glob("*")):
        with contextlib.suppress(OSError):  # some may be read by the administrator alone
            text = file.read_text().strip()
            found[file.name] = int(text) if re.fullmatch(r"-?\d+", text) else text
    return found


def _reserved(directory: Path) -> dict[str, int]:
    """Size, as 2048kB, to the number of huge pages that are set aside."""
    found = {}
    for size in sorted(directory.glob("hugepages-*")):
        with contextlib.suppress(OSError, ValueError):
            found[size.name.removeprefix("hugepages-")] = int((size / "nr_hugepages").read_text())
    return found


def _numa_nodes(directory: Path) -> dict[str, dict[str, Any]]:
    nodes = {}
    paths = directory.glob("node[0-9]*")
    for path in sorted(paths, key=lambda path: int(path.name.removeprefix("node"))):
        with contextlib.suppress(OSError, TypeError):
            kib = re.search(r"MemTotal:\s+(\d+) kB", (path / "meminfo").read_text())[1]
            cpus = (path / "cpulist").read_text().strip()
            nodes[path.name.removeprefix("node")] = {"cpus": cpus, "memory_bytes": int(kib) * 1024}
    return nodes


def _cgroup_limit(root: Path) -> int | None:
    """The least limit of this process's cgroup and of those above it; None where there is none."""
    limits = []
    with contextlib.suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                top, file = root / "sys/fs/cgroup", "memory.max"
            elif "memory" in controllers.split(","):
                top, file = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
            else:
                continue
            group = top / path.lstrip("/")
            # A container may see its own group as the top, and not the path to it.
            for place in [group, *group.parents]:
                with contextlib.suppress(OSError, ValueError):
                    limits.append(int((place / file).read_text()))
                if place == top:
                    break
    return min((limit for limit in limits if limit < NO_LIMIT), default=None)


def _kernel_options(root: Path) -> dict[str, bool]:
    """Whether the kernel has the options that paging GPUs need; nothing where it does not tell how it was built."""
    for file in (root / "proc/config.gz", root / f"boot/config-{platform.release()}"):
        with contextlib.suppress(OSError):
            text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
            return {
                option.removeprefix("CONFIG_").lower(): re.search(rf"^{option}=y$", text, re.M) is not None
                for option in HMM_OPTIONS
            }
    return {}
