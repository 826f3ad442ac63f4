"""Targets: the places to measure. Found through NVML at parse time, without CuPy or a CUDA context."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopemark.errors import UserError


@dataclass(frozen=True)
class Target:
    """A GPU or the CPU of this machine.

    name: what its results are filed under. device: the CUDA ordinal, None for the CPU. architecture: compute
    capability as in sm_90, None for the CPU. uuid: the GPU's, for the lock.
    """

    name: str
    kind: str
    device: int | None = None
    architecture: str | None = None
    uuid: str = ""


CPU = Target("cpu", "cpu")


def find_gpus() -> list[Target]:
    """The GPUs this process may use, in CUDA's order; empty without a driver."""
    # NVML counts in bus order and CUDA does not unless it is told to: a name must not lead to another card.
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:
        return []
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        found = []
        for handle in handles:
            major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
            name = pynvml.nvmlDeviceGetName(handle)
            found.append((_text(name), _text(pynvml.nvmlDeviceGetUUID(handle)), f"{major}{minor}"))
    finally:
        pynvml.nvmlShutdown()
    names: dict[str, int] = {}
    targets = []
    for ordinal, (name, uuid, architecture) in enumerate(visible(found, os.environ.get("CUDA_VISIBLE_DEVICES"))):
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        names[slug] = names.get(slug, 0) + 1
        label = slug if names[slug] == 1 else f"{slug}-{names[slug]}"
        targets.append(Target(label, "gpu", ordinal, architecture, uuid))
    return targets


def visible(gpus: Sequence[tuple[str, str, str]], setting: str | None) -> list[tuple[str, str, str]]:
    """The GPUs, each (name, uuid, architecture), that CUDA_VISIBLE_DEVICES leaves, in its order.

    As CUDA reads it: a list of indices or UUID prefixes, cut at the first entry that names no GPU.
    """
    if setting is None:
        return list(gpus)
    chosen = []
    for word in (word.strip() for word in setting.split(",")):
        if word.isdigit() and int(word) < len(gpus):
            chosen.append(gpus[int(word)])
            continue
        matching = [gpu for gpu in gpus if word.startswith("GPU-") and gpu[1].startswith(word)]
        if len(matching) != 1:
            break
        chosen.append(matching[0])
    return chosen


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def resolve_targets(setting: str | Sequence[str], where: str) -> list[Target]:
    """The targets the configuration asks for.

    "auto" is the GPUs of this machine and its CPU; a list names targets: "cpu", "gpu" for every GPU found, or one GPU
    by name. UserError, naming the key by `where`, if one is not there.
    """
    gpus = find_gpus()
    if setting == "auto":
        return [*gpus, CPU]
    known = {target.name: target for target in [*gpus, CPU]}
    chosen: dict[str, Target] = {}
    for name in setting:
        if name == "gpu":
            if not gpus:
                raise UserError(f"{where}: a GPU is asked for and none was found; accepted here: cpu, or auto")
            chosen.update((gpu.name, gpu) for gpu in gpus)
        elif name in known:
            chosen[name] = known[name]
        else:
            accepted = ["auto", *(["gpu"] if gpus else []), *known]
            raise UserError(f"{where}: {name!r} is not a target here; accepted: {', '.join(accepted)}")
    return list(chosen.values())


def usable_cpus() -> int:
    """CPUs this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe_target(target: Target) -> Mapping[str, Any]:
    """What the workflow must know of a target when it re-runs a measurement: the parts that change its numbers."""
    if target.kind == "cpu":
        return {"name": target.name, "cpus": usable_cpus()}
    import pynvml

    pynvml.nvmlInit()
    try:
        driver = _text(pynvml.nvmlSystemGetDriverVersion())
    finally:
        pynvml.nvmlShutdown()
    return {"name": target.name, "uuid": target.uuid, "driver": driver, "architecture": target.architecture}
