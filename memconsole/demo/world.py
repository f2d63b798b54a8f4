"""The folder and the environment in which a demo plays; both are gone when it ends.

While it plays, `HOME` is a folder of the demo and no variable names anything of the user's: then
no part of the program, nor of a library, can find the user's files.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOREIGN = ("OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "MOLDBOT_", "MEMCONSOLE_", "XDG_")
_OLDER_NAMES = frozenset({"ROTATION_THRESHOLD", "SESSION_STALE_HOURS"})
_KEPT = frozenset(
    {
        "MEMCONSOLE_NOW",
        "MEMCONSOLE_ASCII",
        "MEMCONSOLE_COLOR",
        "MEMCONSOLE_JSON",
        "MEMCONSOLE_MONO",
        "MEMCONSOLE_NO_MOUSE",
        "MEMCONSOLE_READ_ONLY",
        "MEMCONSOLE_VERBOSE",
    }
)
_KEPT_SECTION = "MEMCONSOLE_UI__"


@contextmanager
def demo_world() -> Iterator[Path]:
    """Yield the folder that stands for the operator's home; it exists, is empty and is 0700.

    Raises:
        OSError: There is no room for it.
    """
    private = PrivateFolder()
    private.sweep()
    operator = private.path() / "operator"
    operator.mkdir(mode=0o700)
    before = dict(os.environ)
    for name in before:
        if is_foreign(name):
            del os.environ[name]
    os.environ["HOME"] = str(operator)
    try:
        yield operator
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
        private.close()


def is_foreign(name: str) -> bool:
    """Tell whether a variable may name something of the user's; how to draw is not such."""
    if name in _KEPT or name.startswith(_KEPT_SECTION):
        return False
    return name.startswith(_FOREIGN) or name in _OLDER_NAMES
