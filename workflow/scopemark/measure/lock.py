"""One measurement at a time per GPU, across processes and users of a machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


def lock_directory() -> Path:
    """Where the lock files are: $SCOPEMARK_LOCKS, or a place that all users of the machine share."""
    return Path(os.environ.get("SCOPEMARK_LOCKS", "/tmp"))


@contextlib.contextmanager
def exclusive(resource: str) -> Iterator[None]:
    """Hold the advisory lock of a resource (a GPU's UUID, or "cpu"), waiting for it if need be.

    The kernel drops it when the process ends, however it ends. The file stays: to remove it would let two processes
    hold locks of the same name.
    """
    path = lock_directory() / f"scopemark-{resource}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _open(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"scopemark: another measurement holds {resource} ({path}); waiting for it", file=sys.stderr)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    # A file of another user in a sticky directory may be opened but not with O_CREAT (fs.protected_regular), and
    # reading is all that flock needs.
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:  # another process made it in between
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    os.fchmod(descriptor, 0o644)
    return descriptor
