"""Building kernels: cubins by nvcc, and the host library by the C++ compiler."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scopemark.errors import UserError
from scopemark.toolchain import Toolchain

HOST_FLAGS = ("-std=c++17", "-O3", "-fPIC", "-shared", "-pthread", "-Wall")
DEVICE_FLAGS = ("-std=c++17", "-O3", "-Xptxas", "-v")


def write_instances(lines: Iterable[str], path: Path) -> None:
    """Write an instance list."""
    text = "// The kernels that the configured cases need.\n" + "".join(f"{line}\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def host_compiler() -> str:
    """The C++ compiler: $CXX, or the first of g++, clang++ and c++ on PATH. UserError if there is none."""
    named = os.environ.get("CXX")
    for name in [named] if named else ["g++", "clang++", "c++"]:
        if shutil.which(shlex.split(name)[0]):
            return name
    if named:
        raise UserError(f"the environment variable CXX: {named!r} is no program here; accepted: a C++ compiler, as g++")
    raise UserError("no C++ compiler on PATH (g++, clang++ or c++): install one, or name it in the variable CXX")


def compile_cubin(
    toolchain: Toolchain, architecture: str, source: Path, instances: Path | None, cubin: Path, report: Path
) -> None:
    """Compile a kernel file for one architecture and keep what ptxas reports. UserError if nvcc refuses."""
    defines = _defines(SCOPEMARK_INSTANCES=instances) if instances else []
    command = [*_nvcc(toolchain, architecture), "-cubin", *defines, str(source), "-o", str(cubin)]
    _run(command, report, f"{source}: nvcc failed for sm_{architecture}")


def compile_cold_shots(
    toolchain: Toolchain, architecture: str, source: Path, entries: Mapping[str, str], program: Path, report: Path
) -> None:
    """Compile the program that fires cold shots, with some of a kernel file's kernels. UserError if nvcc refuses.

    entries: kernel to its entry of the instance list.
    """
    main = source.parent / "cold_shots.cu"
    instances, names = program.with_suffix(".instances.inc"), program.with_suffix(".names.inc")
    write_instances(entries.values(), instances)
    write_instances([f"SCOPEMARK_NAME({name})" for name in entries], names)
    defines = _defines(SCOPEMARK_INSTANCES=instances, SCOPEMARK_NAMES=names, SCOPEMARK_KERNEL_FILE=source)
    root = toolchain.nvcc.parent.parent
    libraries = [f"-L{path}" for path in (root / "lib", root / "lib64") if path.is_dir()]
    command = [*_nvcc(toolchain, architecture), *defines, *libraries, str(main), "-o", str(program)]
    _run(command, report, f"{main} with {source}: nvcc failed for sm_{architecture}")


def compile_host(toolchain: Toolchain, source: Path, instances: Path, library: Path, report: Path) -> None:
    """Compile a kernel file for CPU threads, with CCCL's headers. UserError if the compiler refuses."""
    sources = [source, source.parent / "host" / "team.cpp", *sorted(source.parent.glob(f"{source.stem}/*.cpp"))]
    flags = f"-I{toolchain.cccl_include}", *_defines(SCOPEMARK_INSTANCES=instances)
    compile_library(sources, library, report, flags)


def compile_library(sources: Sequence[Path], library: Path, report: Path, flags: Sequence[str] = ()) -> None:
    """Compile host code into a shared library. UserError, naming the first source, if the compiler refuses."""
    command = [*shlex.split(host_compiler()), *HOST_FLAGS, *flags, "-x", "c++", *map(str, sources), "-o", str(library)]
    _run(command, report, f"{sources[0]}: the C++ compiler failed")


def compiler_version() -> str:
    """The first line of the C++ compiler's version."""
    output = subprocess.run([*shlex.split(host_compiler()), "--version"], capture_output=True, text=True, check=True)
    return output.stdout.splitlines()[0]


def _nvcc(toolchain: Toolchain, architecture: str) -> list[str]:
    return [str(toolchain.nvcc), *DEVICE_FLAGS, "-ccbin", host_compiler(), f"-arch=sm_{architecture}"]


def _defines(**files: Path) -> list[str]:
    """Macros that stand for files, as #include takes them."""
    return [f'-D{name}="{path.resolve()}"' for name, path in files.items()]


def _run(command: Sequence[str], report: Path, failure: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
        raise UserError(f"{failure}; the whole report is in {report}\n" + "\n".join(errors[:5]))


def host_code_hash(toolchain: Toolchain, sources: Sequence[str]) -> str:
    """What identifies the host build's code: its sources, flags, compiler and CCCL, but not which kernels it holds."""
    digest = hashlib.sha256(repr((HOST_FLAGS, compiler_version(), toolchain.identity)).encode())
    for source in sorted(sources):
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()[:16]
