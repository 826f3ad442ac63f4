"""The program of cold shots, built with the tests' runtime and kernels of theirs."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable
from pathlib import Path

from helpers import ROOT
from scopemark.build import host_compiler, write_instances
from scopemark.toolchain import Toolchain

HERE = ROOT / "tests/cold_shots"


def build_program(directory: Path, toolchain: Toolchain, kernels: str, names: Iterable[str]) -> Path:
    """The program with the named kernels of a file in tests/cold_shots."""
    write_instances([f"SCOPEMARK_NAME({name})" for name in names], directory / "names.inc")
    defines = {"SCOPEMARK_KERNEL_FILE": HERE / kernels, "SCOPEMARK_NAMES": directory / "names.inc"}
    flags = ["-std=c++17", f"-I{HERE}", f"-I{toolchain.cccl_include}"]
    flags += [f'-D{name}="{path}"' for name, path in defines.items()]
    command = [*shlex.split(host_compiler()), *flags, "-x", "c++", str(ROOT / "kernels/cold_shots.cu")]
    subprocess.run([*command, "-o", str(directory / "program")], check=True)
    return directory / "program"
