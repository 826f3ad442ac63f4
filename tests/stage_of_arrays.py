"""A stage of arrays that writes down what it is asked to do, for sequences to be run on without a GPU.

It runs no kernel of ours: what a sweep does to words is written here once more. It stands on GPU 3, so that the ordinal
cannot be mixed up with a place that is nobody's.
"""

import numpy as np

from scopemark.benchmark import Machine
from scopemark.procedure import Timed
from scopemark.stage import Stage
from scopemark.stage.memory import Memory
from scopemark.stage.stage import OUT

CLOCKED, ON_CPU, ON_GPU = 100, 10, 1  # seconds of any such step here

LIMITED = {"managed_memory": 1}
MANAGED_ONLY = LIMITED | {"concurrent_managed_access": 1}
SOFTWARE = MANAGED_ONLY | {"pageable_memory_access": 1}
HARDWARE = SOFTWARE | {"pageable_memory_access_uses_host_page_tables": 1, "direct_managed_mem_access_from_host": 1}


class Arrays(Stage):
    """Events, in order, as text; `skipped` is the number of a sweep that is not done, for a check to find out."""

    device, machine_cpus = 3, 16

    def __init__(self, attributes=MANAGED_ONLY, skipped=None):
        self.machine = Machine("gpu", 132, 0, 90, attributes)
        self.allowed, self.found, self.events, self.arrays, self.told = (), [0] * 4, [], {}, {}
        self.sums, self.queued, self.clocks, self.sweeps, self.skipped = [0] * 4, False, False, 0, skipped
        self.live = 0

    def allocate(self, allocator, bytes):
        address = 2**30 * (len(self.arrays) + 1)
        self.arrays[address] = np.zeros(bytes // 4, np.uint32)
        self.told[address] = {"ReadMostly": 0, "PreferredLocation": -2, "AccessedBy": -2, "LastPrefetchLocation": -2}
        self.live += 1

        def give_back():
            self.live -= 1

        return Memory(allocator, address, bytes, give_back)

    def note(self, text):
        self.events.append(text + (" *" if self.clocks else ""))

    def clocked(self, step):
        self.clocks = True
        step()
        self.clocks = False
        return Timed(CLOCKED, None, 0, 0)

    def sweep(self, kernel, memory, shape, sums):
        assert kernel in self.allowed
        self.sweeps += 1
        if self.sweeps - 1 == self.skipped:
            return
        words = self.arrays[memory.address][: memory.bytes // 4]
        what, _, form = kernel.partition("_")
        if form == "dense":
            count, stride, last = 4 * shape[0], 1, shape[1]
        else:
            count, stride, last = shape[:3]
        assert count * stride == len(words)
        places = np.arange(count) * stride
        if what == "read":
            assert last is OUT
            sums[0] += int(words[places].sum(dtype=np.uint64))
        elif what == "write":
            words[places] = last + places
        elif what == "update":
            words[places] += np.uint32(last)
        else:
            sums[0] += int((words[places] != last + places).sum())
            sums[1] += int(words[places].sum(dtype=np.uint64))

    def on_gpu(self, kernel, memory, *shape, items):
        self.found = [0] * 4
        self.note(f"gpu {kernel}")
        self.sweep(kernel, memory, shape, self.found)
        return Timed(ON_GPU, 1e9)

    def on_cpu(self, kernel, memory, *shape, threads=1):
        assert not self.queued, "the CPU did not wait for the GPU"
        self.found = [0] * 4
        self.note(f"cpu {kernel}" + (f" x{threads}" if threads != 1 else ""))
        self.sweep(kernel, memory, shape, self.found)
        return Timed(ON_CPU, None, 2, 5)

    def launch(self, kernel, memory, *shape, items):
        self.queued = True
        self.note(f"launch {kernel}")
        self.sweep(kernel, memory, shape, self.sums)

    def ready(self, kernel, memory, *shape, items):
        return lambda: self.launch(kernel, memory, *shape, items=items)

    def clear_out(self):
        self.queued, self.sums = True, [0] * 4

    def read_out(self):
        self.queued, self.found = False, self.sums
        return self.sums

    def synchronize(self):
        self.queued = False
        if self.clocks:
            self.note("wait")

    def prefetch(self, memory, where):
        self.queued = True
        self.told[memory.address]["LastPrefetchLocation"] = -1 if where == "host" else where
        self.note(f"prefetch {where}")

    def advise(self, memory, advice, where="host"):
        name = advice.replace("Unset", "").replace("Set", "")
        told = 1 if name == "ReadMostly" else -1 if where == "host" else where
        self.told[memory.address][name] = told if advice.startswith("Set") else -2
        self.note(f"{advice} {where}")

    def range_attribute(self, memory, attribute):
        self.note(f"ask {attribute}")
        return self.told[memory.address][attribute]
