"""Unified memory: which memory each processor may touch, how data should go in and results come back, and what helps.

After the CUDA Programming Guide, 4.1. The kernels are in `kernels/unified_memory.cu` and the headers beside it; each
benchmark is a sequence of steps of which one is timed.
"""

from scopemark.experiment import Experiment
from scopemark.experiments.unified_memory.access import ACCESS
from scopemark.experiments.unified_memory.allocation import ALLOCATION
from scopemark.experiments.unified_memory.attachment import ATTACHMENT
from scopemark.experiments.unified_memory.canary import CANARY
from scopemark.experiments.unified_memory.copy import COPY
from scopemark.experiments.unified_memory.counter import COUNTER
from scopemark.experiments.unified_memory.fill import FILL
from scopemark.experiments.unified_memory.hint import HINT
from scopemark.experiments.unified_memory.hint_call import HINT_CALL
from scopemark.experiments.unified_memory.overlap import OVERLAP
from scopemark.experiments.unified_memory.oversubscription import OVERSUBSCRIPTION
from scopemark.experiments.unified_memory.pattern import PATTERN
from scopemark.experiments.unified_memory.peer import PEER
from scopemark.experiments.unified_memory.ping_pong import PING_PONG
from scopemark.experiments.unified_memory.range_attribute import RANGE_ATTRIBUTE
from scopemark.experiments.unified_memory.read_mostly import READ_MOSTLY
from scopemark.experiments.unified_memory.result import RESULT
from scopemark.experiments.unified_memory.sharing import SHARING
from scopemark.experiments.unified_memory.signals import SIGNAL
from scopemark.experiments.unified_memory.small_writes import SMALL_WRITES
from scopemark.experiments.unified_memory.transfer import TRANSFER

EXPERIMENT = Experiment(
    name="unified_memory",
    title="Unified memory",
    question="Which memory may a kernel touch here, how should data go in and results come back, and which hint helps?",
    benchmarks=(
        CANARY,
        ALLOCATION,
        ACCESS,
        PING_PONG,
        HINT,
        READ_MOSTLY,
        HINT_CALL,
        RANGE_ATTRIBUTE,
        TRANSFER,
        COPY,
        FILL,
        RESULT,
        SMALL_WRITES,
        PATTERN,
        COUNTER,
        SIGNAL,
        ATTACHMENT,
        OVERLAP,
        SHARING,
        PEER,
        OVERSUBSCRIPTION,
    ),
)
