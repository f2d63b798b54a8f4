"""Lets a process of months take its memory from the C library, which can give it back (ADR 28).

Python's own allocator holds a megabyte for as long as anything lives in it. Which one is used is
decided when an interpreter starts, so the process begins once more, as itself: same number, same
descriptors, same arguments; but the folder it stands in gives it no modules.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

VARIABLE: Final = "PYTHONMALLOC"


def begin_with_plain_memory() -> None:
    """Begin the process again without Python's allocator, where the GNU C library is.

    Whoever has set the variable has decided already.
    """
    if VARIABLE in os.environ or not sys.executable or not has_gnu_library():
        return
    with suppress(OSError):  # it runs as well as it did
        os.execve(
            sys.executable,
            [sys.executable, "-P", *sys.orig_argv[1:]],
            {**os.environ, VARIABLE: "malloc"},
        )


def has_gnu_library() -> bool:
    """Whether this is the C library that gives memory back."""
    try:
        return bool(os.confstr("CS_GNU_LIBC_VERSION"))
    except (AttributeError, OSError, ValueError):
        return False
