"""What every rule's script does around its own few lines: a log, and errors that a user can read."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from scopemark.errors import UserError

STOPPED = 130
"""The exit status of a job that Ctrl-C ended, as a shell has it."""


def share_package() -> None:
    """Let the rules' scripts import this package: each runs in a process of its own."""
    root = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


@contextlib.contextmanager
def job(log: str) -> Iterator[IO[str]]:
    """Open the job's log. A UserError ends the job with its message alone, in the log and on the terminal."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).write_text("")
    with open(log, "a", buffering=1) as file:  # behind what a compiler leaves there
        try:
            yield file
        except UserError as error:
            file.write(f"{error}\n")
            print(f"\nscopemark: {error}\n", file=sys.stderr)
            sys.exit(1)
        except KeyboardInterrupt:
            file.write("stopped\n")
            sys.exit(STOPPED)  # in silence: Snakemake gets the same signal, and says once what it means
        except Exception:
            file.write(traceback.format_exc())
            raise
