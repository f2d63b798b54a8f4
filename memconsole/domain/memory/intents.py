"""What a run is about to do to a file, written down before it does it.

A run may be killed, or refused by the disk, between a write and the record of it. Whoever works in
the workspace next finds what was intended, looks at the file and takes it back, as if the run had
never begun; only an erasure is finished instead.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.memory.edits import UNSEEN, edit_of, undone
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memconsole.domain.memory.edits import PathState


class IntentKind(StrEnum):
    """What shall be done to a file."""

    APPEND = "append"
    REPLACE = "replace"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Intent:
    """One change of one file.

    Attributes:
        path: Relative to the workspace.
        before: The whole file; None when there was none, and for an append.
        after: The whole new file, or what is appended; empty for a removal.
        offset: Where an append begins, in bytes, as long as nobody else writes.
        temporary: Name of the file, in the same folder, that takes its place.
    """

    path: str
    kind: IntentKind
    before: bytes | None = None
    after: bytes = b""
    offset: int = 0
    standing: PathState = UNSEEN
    temporary: str = ""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What shall be gone from every file of ours, and from the index.

    Attributes:
        agent: Id of the agent whose memory it is.
        paths: The files that the entries are in.
        ids: Ids of the entries.
        words: Their lines as they are looked for.
    """

    agent: str
    paths: tuple[str, ...]
    ids: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class OpenErasure:
    """An erasure that is not finished, without a word of what shall be gone.

    Attributes:
        workspace: Its real path, masked.
        since: When it was promised; None where nobody wrote that down.
        why: Why the last try failed, masked; empty where none has failed.
        home: Real path of the home, masked; empty where nobody wrote that down.
    """

    workspace: str
    since: datetime | None
    why: str
    home: str = ""


def without_appended(intent: Intent, now: bytes) -> bytes:
    """Return a file without what an append added, where others have written behind it."""
    place = now.find(intent.after, intent.offset)
    return now if place < 0 else now[:place] + now[place + len(intent.after) :]


def without_replaced(
    intent: Intent, now: bytes, decode: Callable[[bytes], str]
) -> bytes | str | None:
    """Return what a file was before a replacement, with what others wrote into it since.

    Returns:
        The bytes it had; a text where others have edited it since; `now` itself where nothing was
        replaced; None where that cannot be told, and nothing must be taken back.
    """
    if now == intent.after and intent.before is not None:
        return intent.before
    if now == intent.before:
        return now
    found = decode(now)
    before, after = decode(intent.before or b""), decode(intent.after)
    edit = edit_of(intent.path, before, after)
    [span] = edit.spans
    if span.removed and span.removed in found and not (span.added and span.added in found):
        return now
    if span.added and span.added not in found:
        return None
    return undone(edit, found)
