"""Atomic intrinsics: what an atomic is worth, and what it costs by the way it is written.

After NVIDIA's simpleAtomicIntrinsics sample and Table 8-2 of The CUDA Handbook. The kernels are in
`kernels/atomic_intrinsics.cu` and the headers beside it; the yardstick of the histogram is CuPy's.
"""

from scopemark.experiment import Experiment
from scopemark.experiments.atomic_intrinsics.contention import CONTENTION
from scopemark.experiments.atomic_intrinsics.histogram import HISTOGRAM
from scopemark.experiments.atomic_intrinsics.histogram_library import HISTOGRAM_LIBRARY
from scopemark.experiments.atomic_intrinsics.operation import OPERATION
from scopemark.experiments.atomic_intrinsics.sample import SAMPLE

EXPERIMENT = Experiment(
    name="atomic_intrinsics",
    title="Atomic intrinsics",
    question="What do plain updates lose here, and which form of add, maximum and compare-and-swap should be written?",
    benchmarks=(SAMPLE, CONTENTION, OPERATION, HISTOGRAM, HISTOGRAM_LIBRARY),
)
