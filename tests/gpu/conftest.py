"""The stage on the first GPU."""

import pytest

from scopemark.build import compile_cubin, compile_host, write_instances
from scopemark.capabilities import gpu_machine
from scopemark.layout import KERNELS
from scopemark.targets import find_gpus


@pytest.fixture(scope="session")
def gpu_stage(tmp_path_factory, toolchain):
    from scopemark.stage.gpu_stage import GpuStage

    build, gpu = tmp_path_factory.mktemp("build"), find_gpus()[0]
    write_instances([], build / "none.inc")
    source, support = ((KERNELS / name).resolve() for name in ("unified_memory.cu", "support.cu"))
    compile_host(toolchain, source, build / "none.inc", build / "host.so", build / "report.txt")
    for name, file in (("kernels", source), ("support", support)):
        compile_cubin(toolchain, gpu.architecture, file, None, build / f"{name}.cubin", build / f"{name}.txt")
    machine = gpu_machine(gpu.device)
    files = (build / name for name in ("host.so", "kernels.cubin", "support.cubin"))
    return GpuStage(machine, gpu.device, *files)
