"""Forks one process a run, with a fault planned in it: `python -m tests.lanes.faults.zygote`.

Runs with `faults.c` preloaded, and with everything imported that a command may need. Reads one job
a line, answers `[exit code, stdout, stderr, calls]` on one line; a killed run has the code -9.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import sys
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO

import memconsole
from tests import zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

_FACES = ("ui", "scheduler", "__main__")
_LIBRARIES = ("numpy", "sqlite_utils", "websockets.sync.client", "filelock", "sentencepiece")


def load() -> None:
    """Import what commands import."""
    for name in (*_modules(memconsole.__path__, "memconsole."), *_LIBRARIES):
        importlib.import_module(name)


def _modules(path: list[str], prefix: str) -> Iterator[str]:
    for found in pkgutil.iter_modules(path, prefix):
        if found.name.split(".")[1] in _FACES:
            continue
        yield found.name
        if found.ispkg:
            package = importlib.import_module(found.name)
            yield from _modules(list(package.__path__), f"{found.name}.")


def serve() -> None:
    """Answer jobs until the input ends."""
    load()
    faults = ctypes.CDLL(None)
    for line in sys.stdin:
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            tempfile.TemporaryFile() as calls,
        ):
            child = os.fork()
            if child == 0:
                _run(faults, json.loads(line), (out, err, calls))
            _, status = os.waitpid(child, 0)
            texts = [_content(file) for file in (out, err, calls)]
            answer = [os.waitstatus_to_exitcode(status), *texts]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run(faults: Any, job: dict[str, Any], files: tuple[BinaryIO, BinaryIO, BinaryIO]) -> None:
    out, err, calls = files
    folder = os.fsencode(job["folder"])
    call = ctypes.c_long(job["call"])
    faults.faults_begin(folder, call, job["error"], int(job["lasts"]), calls.fileno())
    zygote.run(job, out, err)


def _content(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")


if __name__ == "__main__":
    serve()
