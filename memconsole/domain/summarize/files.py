"""Finds the files that a session touched, by its tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.transcripts.excerpts import MAX_FILES, files
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.transcripts.records import ToolUse


_PATH_CHARS = 200

_DELETES = ("delete", "remove", "unlink")
_CREATES = ("create", "write")
_CHANGES = ("edit", "patch", "replace", "update", "insert", "append")


def files_touched(tools: Iterable[ToolUse], texts: Iterable[str]) -> tuple[FileTouched, ...]:
    """Return the files that tools wrote, edited or deleted; without any, those that were named.

    A file written after it was touched before is modified, one written first was created: nobody
    but the platform knows whether it was there before.

    Args:
        tools: Calls, oldest first.
        texts: What was said, oldest first.
    """
    done: dict[str, str | None] = {}
    seen: set[str] = set()
    for tool in tools:
        if tool.path is None or not (path := cut(one_line(tool.path), _PATH_CHARS)):
            continue
        verb = _verb(tool.name)
        if verb == "created" and path in seen:
            verb = "modified"
        seen.add(path)
        if verb == "modified" and done.get(path) == "created":
            continue
        if verb is not None:
            done[path] = verb
    found = done or dict.fromkeys(files(texts))
    return tuple(FileTouched(path, verb) for path, verb in found.items())[-MAX_FILES:]


def _verb(tool: str) -> str | None:
    name = tool.casefold()
    for words, verb in ((_DELETES, "deleted"), (_CHANGES, "modified"), (_CREATES, "created")):
        if any(word in name for word in words):
            return verb
    return None


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file that the session was about.

    Attributes:
        done: `created`, `modified` or `deleted`; None when it was only named.
    """

    path: str
    done: str | None = None
