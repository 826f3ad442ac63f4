"""The parent's side of a worker that dies, hangs or falls silent: it is told what happened, and goes on."""

import time
from types import SimpleNamespace

import pytest

from scopemark.measure import child
from scopemark.measure.child import Child, WorkerLost


@pytest.fixture
def started(tmp_path, monkeypatch):
    """A worker that is a shell script in place of Python."""
    children = []

    def start(script):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(child, "sys", SimpleNamespace(executable=str(program)))
        with (tmp_path / "log").open("w") as log:
            children.append(Child("cpu", log))
        return children[-1]

    yield start
    for each in children:
        each.kill()


WAITS = "echo '{}'"
ANSWERS = f"{WAITS}; read opening; echo '{{}}'"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 7", "exit status 7"),
        ("kill -SEGV $$", "SIGSEGV"),
        ("kill -35 $$", "signal 35"),  # a real-time signal, which has no name
        (f"{WAITS}; exit 7", "exit status 7"),
        (f"{WAITS}; read opening; kill -KILL $$", "SIGKILL"),
    ],
)
def test_a_worker_that_dies_before_it_is_open(started, script, said):
    worker = started(script)
    with pytest.raises(WorkerLost, match=said) as lost:
        worker.open({"kind": "cpu"})
    assert lost.value.status == "failed"
    assert not worker.alive


@pytest.mark.parametrize("script", ["exec sleep 600", f"{WAITS}; exec sleep 600"])
def test_a_worker_that_hangs_before_it_is_open(started, monkeypatch, script):
    monkeypatch.setattr(child, "START_SECONDS", 0.3)
    worker = started(script)
    with pytest.raises(WorkerLost, match=r"no result within 0\.3 s") as lost:
        worker.open({"kind": "cpu"})
    assert lost.value.status == "timeout"
    assert not worker.alive


def test_a_worker_that_falls_silent_and_does_not_end(started, monkeypatch):
    """As one that is stuck in the driver on its way out."""
    monkeypatch.setattr(child, "END_SECONDS", 0.3)
    worker = started(f"{ANSWERS}; exec sleep 600 >&-")
    worker.open({"kind": "cpu"})
    begin = time.monotonic()
    worker.send([{"case": "a"}])
    with pytest.raises(WorkerLost, match="did not end"):
        worker.receive(60)
    assert time.monotonic() - begin < 30
    assert not worker.alive


def test_a_worker_whose_answers_come_in_pieces(started):
    worker = started(f"{ANSWERS}; read request; printf '{{\"a\":'; sleep 0.2; echo ' 1}}'; read end")
    worker.open({"kind": "cpu"})
    worker.send([{"case": "a"}])
    assert worker.receive(60) == {"a": 1}
    worker.close()
    assert not worker.alive


def test_a_request_may_have_several_answers(started):
    worker = started(f'{ANSWERS}; read request; echo "{{\\"asked\\": $request}}"; echo \'{{"b": 2}}\'; read end')
    worker.open({"kind": "cpu"})
    worker.send([{"case": "a"}, {"case": "b"}])
    assert [worker.receive(60) for _ in "ab"] == [{"asked": [{"case": "a"}, {"case": "b"}]}, {"b": 2}]
    worker.close()


def test_of_a_worker_that_dies_between_two_answers_the_first_is_there(started):
    worker = started(f"{ANSWERS}; read request; echo '{{\"a\": 1}}'; exit 7")
    worker.open({"kind": "cpu"})
    worker.send([{"case": "a"}, {"case": "b"}])
    assert worker.receive(60) == {"a": 1}
    with pytest.raises(WorkerLost, match="exit status 7"):
        worker.receive(60)


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_a_worker_imports_all_it_needs_without_touching_a_gpu(kind, tmp_path):
    """Where CuPy is installed and no GPU is, it comes to where it waits to be opened; and ends when nobody opens it."""
    if kind == "gpu":
        pytest.importorskip("cupy")
    with (tmp_path / "log").open("w") as log:
        worker = Child(kind, log)
        worker.wait()
        assert worker.alive
        worker.close()
        assert not worker.alive
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_killed_worker_is_waited_for_with_what_shares_its_pipe(started, tmp_path):
    """As the program that holds the GPU for a worker: it ends a little later."""
    worker = started(f"(sleep 1; echo > {tmp_path}/ended) & {ANSWERS}; exec sleep 600")
    worker.open({"kind": "cpu"})
    worker.kill()
    assert (tmp_path / "ended").exists()
