"""Runs several calls of memconsole in one process: `python -m tests.batch '[["status"], …]'`.

Prints `[[exit code, stdout, stderr], …]` as JSON. Each call is whole, from its words to its exit
code; only the start of Python is shared, which is most of what a call costs.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from memconsole.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator


def run(words: list[str]) -> tuple[int, str, str]:
    """Run one call; what reaches the two descriptors is what it said."""
    sys.argv = ["memconsole", *words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with redirected(1, out), redirected(2, err):
            try:
                code = main()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 1
            sys.stdout.flush()
            sys.stderr.flush()
        return code, content(out), content(err)


@contextmanager
def redirected(descriptor: int, file: BinaryIO) -> Iterator[None]:
    """Send a descriptor into a file for the block."""
    kept = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    try:
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)


def content(file: BinaryIO) -> str:
    """Return all that was written."""
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")


if __name__ == "__main__":
    answers = [run(words) for words in json.loads(Path(sys.argv[1]).read_text("utf-8"))]
    sys.stdout.write(json.dumps(answers))
