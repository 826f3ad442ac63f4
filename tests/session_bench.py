"""Workers that do what a test says, and a session that is run with them."""

import io

from helpers import LIMITS, load_faults
from scopemark.benchmark import Machine
from scopemark.grid import expand_all
from scopemark.measure import session as engine
from scopemark.measure import workers
from scopemark.measure.child import WorkerLost
from scopemark.measure.journal import Journal

SIX = {**LIMITS, "processes": 6, "minimum_samples": 18, "maximum_samples": 120, "relative_half_width": 0.01}


class Killed(BaseException):
    """What ends the session's own process."""


class Bench:
    """Workers of a machine on which a sample takes `each` seconds, and where `accident` may happen in each request."""

    def __init__(self, directory, monkeypatch):
        self.each, self.discarded = 1e-3, ""
        self.accident = lambda worker, request: None
        self.dies_at_birth = lambda number: False
        self.dies_waiting = lambda number: False
        self.workers, self.opened, self.sent = 0, [], []
        self.journal, self.log = Journal(directory / "journal.jsonl"), io.StringIO()
        bench = self

        class Worker:
            def __init__(self, kind, log):
                bench.workers += 1
                self.number, self.alive = bench.workers, True

            def wait(self):
                if bench.dies_at_birth(self.number):
                    self.alive = False
                    raise WorkerLost("failed", "died while importing")
                self.alive = not bench.dies_waiting(self.number)

            def open(self, opening):
                self.wait()
                if not self.alive:
                    raise WorkerLost("failed", "is not there any more")
                bench.opened.append(self.number)
                self.backends = opening.get("backends")

            def send(self, requests):
                self.requests = list(requests)
                bench.sent.append((self, [request["parameters"]["iterations"] for request in requests]))

            def receive(self, timeout_seconds):
                request = self.requests.pop(0)
                bench.accident(self, request)
                n = request["n"]
                reply = {name: [None] * n for name in ("clock_hz", "cycles", "major_faults", "minor_faults", "note")}
                reply |= {"seconds": [bench.each] * n, "discarded": [bench.discarded] * n, "wrong": [0] * n}
                reply |= {"observed": [1] * n, "expected": [1] * n}
                bench.now += n * bench.each
                return reply | {"prepare_seconds": 0.0, "sample_seconds": n * bench.each}

            def kill(self):
                self.alive = False

            close = kill

        class Clock:
            @staticmethod
            def monotonic():
                return bench.now

        self.now = 0.0
        monkeypatch.setattr(workers, "Child", Worker)
        monkeypatch.setattr(engine, "time", Clock)

    def session(self, grid, limits=SIX, kind="cpu"):
        """The session of a grid's cases, or of several grids'."""
        grids = [{"benchmark": "fault", **each} for each in (grid if isinstance(grid, list) else [grid])]
        cases = expand_all(load_faults(), grids, kind)[0]
        site = engine.Site({"kind": kind, "binary": "the build"}, {}, Machine(kind, 2))
        return engine.Session("test", site, cases, {case.id: "" for case in cases}, self.journal, limits, self.log)

    def run(self, grid, limits=SIX, kind="cpu"):
        """Statuses by the number of iterations, and the same of how many samples each session took."""
        session = self.session(grid, limits, kind)
        outcomes = session.run()
        of = {case.id: case.parameters["iterations"] for case in session._cases}
        taken = {}
        for case, record in session.records.items():
            sessions = record.samples["session"]
            taken[of[case]] = {number: sessions.count(number) for number in sorted(set(sessions))}
        return {of[case]: outcome for case, outcome in outcomes.items()}, taken


def killed_at(number):
    """The end of the session's own process, before that request is answered: the first is 0."""
    asked = []

    def accident(worker, request):
        asked.append(request)
        if len(asked) == number + 1:
            raise Killed

    return accident


def of_case(number, what):
    """Something that happens when that case is asked for, by its number of iterations."""

    def accident(worker, request):
        if request["parameters"]["iterations"] == number:
            what(worker)

    return accident


def crash(worker):
    worker.alive = False
    raise WorkerLost("failed", "the worker was ended by SIGSEGV")
