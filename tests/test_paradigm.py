"""The paradigm from faked attributes, and what the machine description tells of memory."""

import gzip
import json

import jsonschema
import pytest

from helpers import ROOT
from scopemark.collect import read_machine
from scopemark.memory_facts import memory_facts, uvm_parameters
from scopemark.paradigm import (
    DECIDING,
    HARDWARE_COHERENT,
    LIMITED,
    MANAGED_ONLY,
    NONE,
    SOFTWARE_COHERENT,
    addressing_mode,
    deciding,
    hmm_conditions,
    mode_disagrees,
    paradigm,
    what_is_lacking,
    why_not_pageable,
)
from scopemark.yaml_file import read_yaml


def attributes(*values):
    return dict(zip(DECIDING, values, strict=False))


@pytest.mark.parametrize(
    ("values", "found", "asked"),
    [
        ((0, 0, 0, 0), NONE, 1),
        ((0, 1, 1, 1), NONE, 1),
        ((1, 0, 0, 0), LIMITED, 2),
        ((1, 0, 1, 1), LIMITED, 2),
        ((1, 1, 0, 0), MANAGED_ONLY, 3),
        ((1, 1, 0, 1), MANAGED_ONLY, 3),
        ((1, 1, 1, 0), SOFTWARE_COHERENT, 4),
        ((1, 1, 1, 1), HARDWARE_COHERENT, 4),
        ((1, 1, 0), MANAGED_ONLY, 3),  # what does not decide need not be told
    ],
)
def test_the_table_of_the_guide(values, found, asked):
    assert paradigm(attributes(*values)) is found
    assert deciding(attributes(*values)) == DECIDING[:asked]


@pytest.mark.parametrize("values", [(), (1,), (1, 1), (1, 1, 1), (1, None, 0, 0)])
def test_what_is_not_told_names_no_paradigm(values):
    assert paradigm(attributes(*values)) is None
    assert deciding(attributes(*values)) is None


@pytest.mark.parametrize(
    ("values", "mode", "disagrees"),
    [
        ((1, 1, 0, 0), 0, False),
        ((1, 1, 0, 0), 1, True),  # a virtual GPU that says HMM and cannot page
        ((1, 1, 0, 0), "HMM", True),
        ((1, 1, 1, 0), 1, False),
        ((1, 1, 1, 0), 0, True),
        ((1, 1, 1, 1), 2, False),
        ((1, 1, 1, 1), "ats", False),
        ((1, 0, 0, 0), 2, True),
        ((1, 1, 0, 0), None, False),
        ((1, 1), 1, False),
    ],
)
def test_the_addressing_mode_decides_nothing_and_is_told_where_it_disagrees(values, mode, disagrees):
    gpu = attributes(*values) | {"addressing_mode": mode}
    assert paradigm(gpu) is paradigm(attributes(*values))
    assert (mode_disagrees(gpu) is not None) == disagrees


def test_modes_in_words():
    assert [addressing_mode({"addressing_mode": mode}) for mode in (0, 1, 2, 3)] == ["none", "HMM", "ATS", "3"]
    assert addressing_mode({}) is None


def machine(kernel="6.8.0-40-generic", pageable=0, memory=None, uvm=None, **gpu):
    gpu = {"architecture": "sm_90", "driver": "580.1", "kernel_module": "open", **attributes(1, 1, pageable, 0), **gpu}
    memory = {"hmm_mirror": True, "device_private": True} if memory is None else memory
    found = {"kind": "gpu", "host": {"kernel": kernel}, "gpu": gpu, "memory": memory}
    return found | {"uvm": {"uvm_disable_hmm": "N"} if uvm is None else uvm}


def met(**changes):
    return {condition.what: condition.met for condition in hmm_conditions(machine(**changes))}


@pytest.mark.parametrize(
    ("kernel", "new"),
    [
        ("5.15.0-1066", False),
        ("6.1.23", False),
        ("6.1.24-cloud", True),
        ("6.2.10", False),
        ("6.2.11", True),
        ("6.2", False),
        ("6.3.0", True),
        ("6.18.44", True),
        ("7.0-rc1", True),
        ("unknown", None),
    ],
)
def test_kernels(kernel, new):
    assert met(kernel=kernel)["Linux"] is new


def test_the_conditions_of_paging():
    assert set(met().values()) == {True}
    assert met(architecture="sm_70")["compute capability"] is False
    assert met(architecture="sm_75")["compute capability"] is True
    assert met(architecture="sm_120")["compute capability"] is True
    assert met(driver="525.60.13")["driver"] is False
    assert met(driver="535.54")["driver"] is True
    assert met(kernel_module="proprietary")["kernel module"] is False
    without = met(memory={"hmm_mirror": True, "device_private": False})
    assert (without["kernel option HMM_MIRROR"], without["kernel option DEVICE_PRIVATE"]) == (True, False)
    assert [met(uvm={"uvm_disable_hmm": value})["uvm_disable_hmm"] for value in (0, "N", 1, "Y")] == [1, 1, 0, 0]
    untold = met(memory={}, uvm={}, driver=None, kernel_module=None)
    assert [what for what, one in untold.items() if one is None] == [
        "kernel option HMM_MIRROR",
        "kernel option DEVICE_PRIVATE",
        "driver",
        "kernel module",
        "uvm_disable_hmm",
    ]


def test_why_a_kernel_on_malloc_fails():
    assert why_not_pageable(machine(pageable=1)) is None
    assert why_not_pageable({"gpu": {}, "host": {"kernel": "6.8"}}) is None  # nothing is told
    text = why_not_pageable(machine(kernel="5.15.0", kernel_module="proprietary"))
    assert text == (
        "A kernel that is given memory of malloc can be expected to fault here, because the GPU cannot page it in: "
        "Linux is too old "
        "(5.15.0; 6.1.24+, 6.2.11+ or 6.3+ will do) and the driver's kernel module is the proprietary one, not the "
        "open one. All other conditions are met."
    )
    assert "All conditions are met, and yet" in why_not_pageable(machine())
    untold = why_not_pageable(machine(driver=None))
    assert "All conditions of which something is told are met, and yet" in untold
    assert untold.endswith("Not told: driver.")
    recorded = read_machine(ROOT / "reports/reference/nvidia-h200/machine.json")
    assert paradigm(recorded["gpu"]) is MANAGED_ONLY
    assert "the Linux kernel was built without CONFIG_DEVICE_PRIVATE. All other" in why_not_pageable(recorded)
    assert what_is_lacking(recorded) == ["the Linux kernel was built without CONFIG_DEVICE_PRIVATE"]


def write(root, **files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_the_facts_of_memory(tmp_path):
    node = "sys/devices/system/node"
    files = {
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "sys/kernel/mm/transparent_hugepage/shmem_enabled": "always within_size advise [never] deny force\n",
        "sys/kernel/mm/transparent_hugepage/hpage_pmd_size": "2097152\n",
        "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "3\n",
        f"{node}/node0/cpulist": "0-71\n",
        f"{node}/node0/meminfo": "Node 0 MemTotal:       1024 kB\nNode 0 MemFree: 1 kB\n",
        f"{node}/node10/cpulist": "\n",  # a GPU's
        f"{node}/node10/meminfo": "Node 10 MemTotal:       2048 kB\n",
        f"{node}/node2/cpulist": "72\n",
        f"{node}/node2/meminfo": "Node 2 MemTotal:       0 kB\n",
        "proc/config.gz": gzip.compress(b"CONFIG_HMM_MIRROR=y\n# CONFIG_DEVICE_PRIVATE is not set\n"),
        "sys/module/nvidia_uvm/parameters/uvm_disable_hmm": "N\n",
        "sys/module/nvidia_uvm/parameters/uvm_perf_prefetch_threshold": "51\n",
    }
    write(tmp_path, **files)
    facts = memory_facts(tmp_path)
    assert facts.pop("page_bytes") in (4096, 16384, 65536)
    assert facts == {
        "transparent_huge_pages_enabled": "madvise",
        "transparent_huge_pages_shmem": "never",
        "transparent_huge_page_bytes": 2097152,
        "reserved_huge_pages": {"2048kB": 3},
        "numa_nodes": {
            "0": {"cpus": "0-71", "memory_bytes": 2**20},
            "2": {"cpus": "72", "memory_bytes": 0},
            "10": {"cpus": "", "memory_bytes": 2**21},
        },
        "hmm_mirror": True,
        "device_private": False,
    }
    assert list(facts["numa_nodes"]) == ["0", "2", "10"]
    assert uvm_parameters(tmp_path) == {"uvm_disable_hmm": "N", "uvm_perf_prefetch_threshold": 51}


def test_a_system_that_tells_nothing(tmp_path):
    assert list(memory_facts(tmp_path)) == ["page_bytes"]
    assert uvm_parameters(tmp_path) == {}


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, None),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/memory.max": "max\n",
                "sys/fs/cgroup/a/memory.max": "4096\n",
                "sys/fs/cgroup/memory.max": "8192\n",
            },
            4096,
        ),
        ({"proc/self/cgroup": "0::/not/seen/here\n", "sys/fs/cgroup/memory.max": "8192\n"}, 8192),
        (
            {
                "proc/self/cgroup": "9:cpu:/\n4:memory:/c\n0::/\n",
                "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "9223372036854771712\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
            },
            1000,
        ),
        ({}, None),
    ],
)
def test_the_limit_of_a_cgroup(tmp_path, files, limit):
    write(tmp_path, **files)
    assert memory_facts(tmp_path).get("cgroup_limit_bytes") == limit


def test_this_machines_facts_are_a_valid_description():
    schema = read_yaml(ROOT / "workflow/schemas/machine.schema.yaml")
    recorded = json.loads((ROOT / "reports/reference/nvidia-h200/machine.json").read_text())
    described = recorded | {
        "memory": memory_facts(),
        "uvm": {"uvm_disable_hmm": "N", "uvm_perf_thrashing_threshold": 3},
    }
    jsonschema.validate(described, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(described | {"uvm": {"uvm_disable_hmm": [1]}}, schema)
