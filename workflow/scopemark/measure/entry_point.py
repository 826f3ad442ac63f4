"""A kernel of a cubin, loaded and allowed the memory that its launch asks for."""

from __future__ import annotations

from typing import Any

import cupy

from scopemark.benchmark import Machine
from scopemark.kernel_benchmark import Launch
from scopemark.measure.backend import Unsupported


def entry_point(module: cupy.RawModule, kernel: str, launch: Launch, machine: Machine) -> Any:
    """CuPy's function of a kernel. Unsupported if the current GPU cannot run that launch of it."""
    if launch.block_memory_bytes > machine.shared_bytes_per_block:
        raise Unsupported(
            f"needs {launch.block_memory_bytes} bytes of shared memory per block; "
            f"this GPU has {machine.shared_bytes_per_block}"
        )
    function = module.get_function(kernel)
    # Asking for an attribute also loads the kernel, which the driver otherwise leaves to its first launch.
    most = function.attributes["max_threads_per_block"]
    if launch.threads > most:
        raise Unsupported(f"needs {launch.threads} threads per block; the kernel runs with at most {most}")
    if launch.block_memory_bytes > cupy.cuda.Device().attributes["MaxSharedMemoryPerBlock"]:
        function.max_dynamic_shared_size_bytes = launch.block_memory_bytes
    return function
