"""Tells how old sessions are, by their newest message.

A copied, synced or restored transcript has a new file time, and an import writes all its rows at
one moment. What was said last is in the transcript, at its end, where a look is cheap.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.checkpoint.rules import candidates, newest_first
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.transcripts.records import EntryKind
from memconsole.engine.transcripts.tail import LIMIT_BYTES
from memconsole.errors import StoreError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.sessions.stored import StoredSession, StoreListing
    from memconsole.domain.transcripts.records import Entry
    from memconsole.ports.platform import SessionStore

_EXPECTED = 2
"""The newest record is nearly always a message."""


@dataclass(frozen=True, slots=True)
class CurrentSessions:
    """The sessions of an agent that a capture may take by itself.

    Attributes:
        sessions: The one with the newest words first.
        refused: Those whose transcript is not their own; they are not among the sessions.
    """

    sessions: tuple[StoredSession, ...] = ()
    refused: tuple[Notice, ...] = field(default=())


def current_sessions(store: SessionStore, listing: StoreListing) -> CurrentSessions:
    """Return the sessions of a listing that live, newest words first."""
    refused: list[Notice] = []
    found = dated(store, candidates(listing), refused)
    ids = {one.path for one in refused}
    own = [one for one in found if one.transcript is None or str(one.transcript.path) not in ids]
    named = [
        one.refusal for one in listing.sessions if one.refusal is not None and not one.transcript
    ]
    return CurrentSessions(newest_first(own), (*refused, *named))


def dated(
    store: SessionStore, sessions: Sequence[StoredSession], refused: list[Notice] | None = None
) -> tuple[StoredSession, ...]:
    """Give sessions the time of their newest message; order and number stay.

    Args:
        store: The store of their transcripts.
        sessions: One whose archive says when it ended is left as it is.
        refused: Takes what is to be said of transcripts that are another session's.
    """
    found = last_words(store, [one for one in sessions if not _says_its_end(one)], refused)
    return tuple(
        replace(one, spoke_at=at) if (at := found.get(id(one.transcript))) is not None else one
        for one in sessions
    )


def last_words(
    store: SessionStore, sessions: Sequence[StoredSession], refused: list[Notice] | None = None
) -> dict[int, datetime | None]:
    """Return the time of the newest message of each transcript, by its identity as an object.

    Args:
        store: The store of their transcripts.
        sessions: One whose transcript cannot be read is left out.
        refused: Takes what is to be said of transcripts that are another session's.
    """
    refs = {id(one.transcript): one.transcript for one in sessions if one.transcript is not None}
    found: dict[int, datetime | None] = {}
    with store.keep_open():
        for ref, entries in store.counted(
            tuple(refs.values()), limit_bytes=LIMIT_BYTES, expected=_EXPECTED
        ):
            try:
                found[id(ref)] = _newest(entries)
            except TranscriptRefusedError as error:
                if refused is not None:
                    refused.append(Notice(error.code, str(error), str(ref.path), ref.agent.id))
            except StoreError:
                continue  # whoever reads it says why it cannot be read
    return found


def _says_its_end(stored: StoredSession) -> bool:
    """Whether the store itself knows when a session ended, as the name of an archive does."""
    is_file = stored.source is Storage.FILES
    return is_file and stored.state is SessionState.ARCHIVED and stored.updated_at is not None


def _newest(entries: Iterable[Entry]) -> datetime | None:
    """Return the time of the newest message that has one."""
    for entry in entries:
        if entry.kind is EntryKind.MESSAGE and entry.at is not None:
            return entry.at
    return None
