"""Kernels of a cubin through the CUDA runtime: as a program that nvcc has compiled loads and launches its own."""

from __future__ import annotations

import ctypes
from pathlib import Path

from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

from scopemark.measure.backend import Unsupported

DYNAMIC_SHARED_BYTES = 8  # cudaFuncAttributeMaxDynamicSharedMemorySize


class RuntimeLibrary:
    """A cubin that the runtime loads: by default each kernel at its first launch, or as CUDA_MODULE_LOADING says.

    runtime: the library's functions. Unsupported if there is none, or one from before CUDA 12.8, which loads no cubin.
    """

    def __init__(self, cubin: Path):
        try:
            self.runtime = ctypes.CDLL(load_nvidia_dynamic_lib("cudart").abs_path)
        except DynamicLibNotFoundError:
            raise Unsupported("there is no CUDA runtime library: install nvidia-cuda-runtime") from None
        if not hasattr(self.runtime, "cudaLibraryLoadFromFile"):
            raise Unsupported("the CUDA runtime library is from before CUDA 12.8: it loads no cubin")
        self._library = ctypes.c_void_p()
        no_options = None, None, 0
        load = self.runtime.cudaLibraryLoadFromFile
        _check(load(ctypes.byref(self._library), str(cubin).encode(), *no_options, *no_options), f"load {cubin}")

    def kernel(self, name: str, shared_bytes: int = 0) -> int:
        """The handle of a kernel; `shared_bytes` is what a block may ask for, if that is more than it may unasked."""
        found = ctypes.c_void_p()
        _check(self.runtime.cudaLibraryGetKernel(ctypes.byref(found), self._library, name.encode()), f"find {name}")
        if shared_bytes:
            _check(self.runtime.cudaFuncSetAttribute(found, DYNAMIC_SHARED_BYTES, shared_bytes), f"prepare {name}")
        return found.value


def _check(code: int, what: str) -> None:
    if code:
        raise RuntimeError(f"the CUDA runtime could not {what}: error {code}")
