"""Toolchains: an nvcc with its CCCL, and the disassembler beside it.

Found at parse time, so nothing here imports more than the standard library, and versions are read from files where
there are any.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scopemark.errors import UserError


@dataclass(frozen=True)
class Toolchain:
    """One toolchain. `identity` names its versions and is part of every path and row that depends on it."""

    identity: str
    nvcc: Path
    cuobjdump: Path
    cccl_include: Path


def find_toolchains(setting: str | Mapping[str, Mapping[str, str]], where: str) -> list[Toolchain]:
    """The toolchains the configuration asks for.

    "auto" is the one of the Python packages, or else the one that CUDA_HOME or PATH leads to; a mapping names each
    with its `nvcc`. UserError, naming the key by `where`, if one is not there.
    """
    if setting == "auto":
        candidates = [_packaged(), *_installed()]
        found = next((path for path in candidates if path and path.is_file()), None)
        if found is None:
            raise UserError(
                f"{where}: no CUDA compiler. Install the pinned packages (pip install -r requirements.lock), put nvcc "
                f"on PATH, or name one: toolchains: {{mine: {{nvcc: /usr/local/cuda/bin/nvcc}}}}"
            )
        return [_toolchain(found, where)]
    chains = []
    for name, entry in setting.items():
        nvcc = Path(entry["nvcc"]).expanduser()
        if not os.access(nvcc, os.X_OK):
            raise UserError(f"{where}.{name}.nvcc: {nvcc} is not an executable file; give the path of an nvcc")
        chains.append(_toolchain(nvcc, f"{where}.{name}"))
    identities = [chain.identity for chain in chains]
    if len(set(identities)) < len(identities):
        raise UserError(f"{where}: two toolchains have the same versions ({', '.join(identities)}); name each once")
    return chains


def _packaged() -> Path | None:
    root = Path(sysconfig.get_path("purelib")) / "nvidia"
    return next(iter(sorted(root.glob("cu*/bin/nvcc"), reverse=True)), None)


def _installed() -> list[Path]:
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    on_path = shutil.which("nvcc")
    return [Path(home) / "bin" / "nvcc" for home in homes if home] + ([Path(on_path)] if on_path else [])


def _toolchain(nvcc: Path, where: str) -> Toolchain:
    nvcc = nvcc.resolve()
    root = nvcc.parent.parent
    includes = [root / "include" / "cccl", root / "include", *root.glob("targets/*/include/cccl")]
    cccl = next((path for path in includes if (path / "cuda" / "atomic").is_file()), None)
    if cccl is None:
        raise UserError(f"{where}: {nvcc} has no CCCL headers (cuda/atomic) beside it; install nvidia-cuda-cccl")
    cuobjdump = next(
        (path for path in (nvcc.parent / "cuobjdump", Path(shutil.which("cuobjdump") or "")) if path.is_file()), None
    )
    if cuobjdump is None:
        raise UserError(f"{where}: no cuobjdump beside {nvcc} or on PATH; install nvidia-cuda-cuobjdump")
    identity = f"cuda-{_cuda_version(root)}_cccl-{_cccl_version(cccl)}"
    return Toolchain(identity, nvcc, cuobjdump, cccl)


def check_architectures(chain: Toolchain, wanted: Sequence[str], where: str) -> None:
    """UserError, naming the key by `where`, for the first architecture that the compiler does not know."""
    listed = subprocess.run([chain.nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=False).stdout
    known = re.findall(r"compute_(\d+)", listed)
    for architecture in wanted:
        if architecture not in known:
            raise UserError(
                f"{where}: nvcc of {chain.identity} does not know {architecture}; "
                f"accepted: {', '.join(sorted(set(known), key=int))}"
            )


def _cuda_version(root: Path) -> str:
    """The compiler's version: from its package's metadata, or else from itself."""
    for metadata in sorted(root.parent.parent.glob("nvidia_cuda_nvcc-*.dist-info")):
        return metadata.name.removeprefix("nvidia_cuda_nvcc-").removesuffix(".dist-info")
    done = subprocess.run([root / "bin" / "nvcc", "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"\bV(\d+\.\d+\.\d+)", done.stdout)
    return match[1] if match else "unknown"


def _cccl_version(include: Path) -> str:
    """CCCL's version from its own header, where it is one number: MMMmmmppp."""
    for name in ("cuda/std/__cccl/version.h", "cuda/__cccl_config", "cuda/version"):
        header = include / name
        match = header.is_file() and re.search(r"#\s*define\s+CCCL_VERSION\s+(\d+)", header.read_text())
        if match:
            number = int(match[1])
            return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
    return "unknown"
