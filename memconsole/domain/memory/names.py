"""What names of files and folders tell about memory: bins, shadow folders, copies of a conflict.

Bins and shadow folders of file servers hold deleted or derived files. Copies that a sync tool made
of a conflict are memory until a person settles which of the two is right.
"""

from __future__ import annotations

from typing import Final

from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

_NO_MEMORY: Final = frozenset(
    {
        "node_modules",
        "#recycle",
        "#snapshot",
        "~snapshot",
        "@recycle",
        "@eadir",
        "$recycle.bin",
        "__macosx",
        "lost+found",
    }
)
_CONFLICT: Final = r"(?i)\.sync-conflict-\d{8}-|\((?:[^()]* )?conflicted copy\b|\(case conflict\b"


def is_memory_folder(name: str) -> bool:
    """Tell whether a folder below `memory/` may hold memory, by its own name."""
    return not name.startswith(".") and name.lower() not in _NO_MEMORY


def is_conflict_copy(path: str) -> bool:
    """Tell whether a sync tool left this file beside the one it is a second version of."""
    return "conflict" in path.lower() and compiled(_CONFLICT).search(path) is not None


def is_utf8(name: str) -> bool:
    """Tell whether a file name can be stored and printed: one that is not has surrogates."""
    return name.isascii() or compiled("[\ud800-\udfff]").search(name) is None


def shown_name(name: str) -> str:
    r"""Return a file name on one line, with `\xff` for each byte that is no UTF-8."""
    return one_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
