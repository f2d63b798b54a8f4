"""Runs memconsole with a fault planned in it: a compiled library, and a process that forks."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[3]
SOURCE = Path(__file__).with_name("faults.c")
KILLED = -9


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one call.

    Attributes:
        call: Its number among the counted calls, from 1; 0 for none.
        error: The errno that it returns; 0 ends the process before it.
        lasts: All later calls that need space return it, too.
    """

    call: int = 0
    error: int = 0
    lasts: bool = False

    def __str__(self) -> str:
        """Return what a find is told by."""
        name = errno.errorcode.get(self.error, "kill")
        return f"{name}{' from' if self.lasts else ' at'} {self.call}"


HEALTHY = Fault()


@dataclass(frozen=True, slots=True)
class Result:
    """How one run ended.

    Attributes:
        calls: Name and path below the folder of each counted call, in order.
    """

    code: int
    out: str
    err: str
    calls: tuple[str, ...]


def compile_library(folder: Path) -> Path:
    """Compile the library that is preloaded."""
    made = folder / "faults.so"
    flags = ("-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run(("gcc", *flags, "-o", made, SOURCE, "-ldl", "-lpthread"), check=True)
    return made


class Runs:
    """Asks the forking process for runs, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self, arguments: tuple[str, ...], environment: Mapping[str, str], folder: Path, fault: Fault
    ) -> Result:
        """Run one command to its end, whatever that is.

        Args:
            arguments: The command line.
            environment: All that it sees.
            folder: Calls on paths below it are counted.
            fault: What happens to one of them.
        """
        job = {
            "calls": [arguments],
            "environment": dict(environment),
            "is_plain_user": False,
            "is_folder_gone": False,
            "folder": str(folder),
            "call": fault.call,
            "error": fault.error,
            "lasts": fault.lasts,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the forking process died"
        code, out, err, calls = json.loads(line)
        return Result(code, out, err, tuple(one.partition(" ")[2] for one in calls.splitlines()))


@contextmanager
def forking(library: Path) -> Iterator[Runs]:
    """Keep the forking process for a block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.lanes.faults.zygote"],
        env={
            "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "LD_PRELOAD": str(library),
        },
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    with process:
        yield Runs(process)
        assert process.stdin is not None
        process.stdin.close()
