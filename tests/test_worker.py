"""The worker's side: what it keeps prepared, and what it gives back."""

import json
from dataclasses import dataclass

import pytest

from scopemark.measure import worker
from scopemark.measure.backend import Batch


@dataclass
class Prepared:
    bytes: int
    closed: bool = False
    asked: int = 0  # how often somebody wanted to know its bytes

    def __getattribute__(self, name):
        if name == "bytes":
            self.asked += 1
        return super().__getattribute__(name)

    def close(self):
        self.closed = True


class Backend:
    """A place with so much memory, of which a case takes as many bytes as its kernel's name says."""

    keep_bytes = 100

    def __init__(self, memory):
        self.memory, self.made = memory, []

    def prepare(self, benchmark, parameters, kernel):
        held = sum(each.bytes for each in self.made if not each.closed)
        if held + int(kernel) > self.memory:
            raise MemoryError(f"{held} bytes are held")
        self.made.append(Prepared(int(kernel)))
        return self.made[-1]

    def sample(self, prepared, first, n, warm_up):
        batch = Batch()
        batch.add(1e-3, (0, 1, 1))
        return batch


@pytest.fixture
def start(monkeypatch):
    def start(memory):
        backend = Backend(memory)
        monkeypatch.setattr(worker, "open_backend", lambda name, request: backend)
        return worker.Worker({"experiment": "scoped_atomics", "backends": ["kernels"]}), backend

    return start


def ask(place, case, bytes):
    request = {"case": case, "benchmark": "counter", "parameters": {"sampling": "adaptive"}, "kernel": str(bytes)}
    request |= {"first": 0, "n": 1}
    (answer,) = worker.answers(place, json.loads(json.dumps([request])))
    return answer


def test_prepared_cases_are_kept_to_a_limit_and_the_oldest_go_first(start):
    place, backend = start(1000)
    for case in ("a", "b", "a", "c", "d"):
        ask(place, case, 60)
    # c found 120 and b the oldest; d found 120 again, and a.
    assert [each.closed for each in backend.made] == [True, True, False, False]


def test_a_case_that_needs_the_memory_of_the_others_has_it(start):
    place, backend = start(100)
    ask(place, "a", 60)
    assert "event" not in ask(place, "b", 70)
    assert [each.closed for each in backend.made] == [True, False]
    assert ask(place, "c", 101)["event"] == ["unsupported", "not enough memory: 0 bytes are held"]
    assert "event" not in ask(place, "d", 100)


def test_what_is_kept_is_not_counted_again_for_every_case(start):
    place, backend = start(10**9)
    backend.keep_bytes = 10**9
    for case in range(50):
        ask(place, str(case), 0)
    # Once by the worker, and once by each later preparation of the backend above.
    assert backend.made[0].asked <= 1 + 49
