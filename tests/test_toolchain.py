"""Finding a toolchain, in trees laid out like the CUDA toolkit and like the Python packages."""

import os

import pytest

from scopemark import toolchain as module
from scopemark.build import host_compiler
from scopemark.errors import UserError
from scopemark.toolchain import find_toolchains


def write(path, text="", mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def toolkit(root, *, version="12.8.93", cccl=2_007_000, include="include", cuobjdump=True):
    """A toolkit: nvcc says its version, and CCCL's is in its header, as MMMmmmppp."""
    said = f"Cuda compilation tools, release {version.rpartition('.')[0]}, V{version}"
    nvcc = write(root / "bin" / "nvcc", f"#!/bin/sh\necho '{said}'\n", 0o755)
    if cuobjdump:
        write(root / "bin" / "cuobjdump", "#!/bin/sh\n", 0o755)
    if cccl:
        write(root / include / "cuda" / "atomic")
        header = root / include / "cuda" / "std" / "__cccl" / "version.h"
        write(header, f"#define CCCL_VERSION {cccl}\n#define CCCL_MAJOR_VERSION 9\n")
    return nvcc


@pytest.fixture
def nothing(monkeypatch, tmp_path):
    """A machine without any toolchain."""
    monkeypatch.setattr(module, "_packaged", lambda: None)
    monkeypatch.setattr(module, "_installed", list)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def test_a_named_toolkit(tmp_path):
    nvcc = toolkit(tmp_path / "cuda")
    (found,) = find_toolchains({"mine": {"nvcc": str(nvcc)}}, "t")
    assert found.identity == "cuda-12.8.93_cccl-2.7.0"
    assert found.nvcc == nvcc
    assert found.cuobjdump == tmp_path / "cuda/bin/cuobjdump"
    assert found.cccl_include == tmp_path / "cuda/include"


@pytest.mark.parametrize("include", ["include/cccl", "include", "targets/x86_64-linux/include/cccl"])
def test_cccl_is_found_where_each_release_has_it(tmp_path, include):
    nvcc = toolkit(tmp_path / "cuda", include=include)
    assert find_toolchains({"mine": {"nvcc": str(nvcc)}}, "t")[0].cccl_include == tmp_path / "cuda" / include


def test_a_link_is_followed(tmp_path):
    nvcc = toolkit(tmp_path / "cuda-12.8")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").symlink_to(nvcc)
    assert find_toolchains({"mine": {"nvcc": str(tmp_path / "bin" / "nvcc")}}, "t")[0].nvcc == nvcc


def test_two_are_compared_and_one_twice_is_a_mistake(tmp_path):
    old, new = toolkit(tmp_path / "old"), toolkit(tmp_path / "new", version="13.0.88", cccl=3_000_001)
    setting = {"old": {"nvcc": str(old)}, "new": {"nvcc": str(new)}}
    assert [found.identity for found in find_toolchains(setting, "t")] == [
        "cuda-12.8.93_cccl-2.7.0",
        "cuda-13.0.88_cccl-3.0.1",
    ]
    with pytest.raises(UserError, match="t: two toolchains have the same versions"):
        find_toolchains(setting | {"again": {"nvcc": str(new)}}, "t")


def test_the_packages_come_first_and_then_cuda_home(tmp_path, monkeypatch):
    packaged, installed = toolkit(tmp_path / "a"), toolkit(tmp_path / "b", version="12.4.99")
    monkeypatch.setattr(module, "_packaged", lambda: packaged)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "b"))
    assert find_toolchains("auto", "t")[0].nvcc == packaged
    monkeypatch.setattr(module, "_packaged", lambda: None)
    assert find_toolchains("auto", "t")[0].nvcc == installed


def test_nvcc_on_the_path_is_the_last_resort(tmp_path, monkeypatch, nothing):
    nvcc = toolkit(tmp_path / "cuda")
    monkeypatch.undo()
    monkeypatch.setattr(module, "_packaged", lambda: None)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", f"{nvcc.parent}{os.pathsep}{os.environ['PATH']}")
    assert nvcc in module._installed()


@pytest.mark.usefixtures("nothing")
def test_none_is_told_with_what_to_do():
    with pytest.raises(UserError, match=r"t: no CUDA compiler.*requirements\.lock.*toolchains: \{mine:"):
        find_toolchains("auto", "t")


@pytest.mark.usefixtures("nothing")
def test_what_is_missing_beside_nvcc_is_told(tmp_path):
    with pytest.raises(UserError, match=r"t\.mine\.nvcc: .*nvcc is not an executable file"):
        find_toolchains({"mine": {"nvcc": str(tmp_path / "nvcc")}}, "t")
    with pytest.raises(UserError, match=r"t\.mine: .* has no CCCL headers"):
        find_toolchains({"mine": {"nvcc": str(toolkit(tmp_path / "a", cccl=None))}}, "t")
    with pytest.raises(UserError, match=r"t\.mine: no cuobjdump beside"):
        find_toolchains({"mine": {"nvcc": str(toolkit(tmp_path / "b", cuobjdump=False))}}, "t")


def test_the_pinned_packages_are_found(toolchain):
    assert toolchain.identity.startswith("cuda-13.0.")
    assert toolchain.nvcc.is_file()
    assert (toolchain.cccl_include / "cuda" / "atomic").is_file()


def test_the_host_compiler(tmp_path, monkeypatch):
    clang = write(tmp_path / "clang++", "#!/bin/sh\n", 0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert host_compiler() == "clang++"
    monkeypatch.setenv("CXX", f"{clang} -march=native")
    assert host_compiler() == f"{clang} -march=native"
    monkeypatch.setenv("CXX", "g++-99")
    with pytest.raises(UserError, match=r"CXX: 'g\+\+-99' is no program here; accepted: a C\+\+ compiler"):
        host_compiler()
    monkeypatch.delenv("CXX")
    clang.unlink()
    with pytest.raises(UserError, match=r"no C\+\+ compiler on PATH"):
        host_compiler()
