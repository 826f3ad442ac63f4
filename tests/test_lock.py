"""One measurement at a time per GPU, however its holder ends."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from helpers import ROOT
from scopemark.measure.lock import exclusive, lock_directory

HOLD = """
import sys, time
from scopemark.measure.lock import exclusive
with exclusive(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
print("let go", flush=True)
"""


@pytest.fixture
def hold():
    """Starts a process that takes a lock and keeps it until it reads a line."""
    started = []

    def start(resource):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, resource],
            env={**os.environ, "PYTHONPATH": str(ROOT / "workflow")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def held(process):
    return process.stdout.readline() == "held\n"


def waits(process):
    """Whether it has not said a word for a while."""
    return not select.select([process.stdout], [], [], 0.3)[0] and process.poll() is None


def test_the_second_waits_for_the_first(hold):
    first = hold("GPU-1")
    assert held(first)
    second = hold("GPU-1")
    assert "another measurement holds GPU-1" in second.stderr.readline()  # it says that it waits
    assert waits(second)
    first.stdin.write("\n")
    first.stdin.flush()
    assert first.stdout.readline() == "let go\n"
    assert held(second)


def test_other_gpus_are_free(hold):
    assert held(hold("GPU-1"))
    assert held(hold("GPU-2"))


def test_a_killed_holder_holds_nothing(hold):
    first = hold("GPU-1")
    assert held(first)
    second = hold("GPU-1")
    second.stderr.readline()
    assert waits(second)
    first.send_signal(signal.SIGKILL)
    assert held(second)


def test_a_lock_file_that_is_only_readable_will_do(hold):
    path = lock_directory() / "scopemark-GPU-1.lock"
    path.parent.mkdir(parents=True)
    path.touch(mode=0o444)
    assert held(hold("GPU-1"))
    assert path.stat().st_mode & 0o777 == 0o444


AS_NOBODY = """
import os
from scopemark.measure.lock import exclusive
os.setgid(65534)
os.setuid(65534)
with exclusive("GPU-1"):
    print("held")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_another_user_shares_the_lock(monkeypatch):
    """As on a shared node: the file is root's, in a directory like /tmp, and someone else takes the lock."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o1777)
        monkeypatch.setenv("SCOPEMARK_LOCKS", directory)
        with exclusive("GPU-1"):
            pass
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY],
            env={**os.environ, "PYTHONPATH": str(ROOT / "workflow")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout == "held\n", done.stderr


def test_the_file_stays():
    with exclusive("GPU-1"):
        pass
    assert (lock_directory() / "scopemark-GPU-1.lock").exists()


def test_waiting_does_not_spin(hold):
    assert held(hold("GPU-1"))
    second = hold("GPU-1")
    second.stderr.readline()
    start = _cpu_ticks(second.pid)
    time.sleep(0.5)
    assert _cpu_ticks(second.pid) - start <= 5  # of 50


def _cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])
