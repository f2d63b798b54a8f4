"""Puts the listings of an agent's two stores together: the database wins (A1, case c13)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.plain import one_line
from memconsole.domain.sessions import (
    SessionState,
    StoreListing,
    TranscriptKind,
    TranscriptState,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions import StoredSession

_ORDER = (SessionState.LIVE, SessionState.ARCHIVED, SessionState.ORPHAN)
_ORPHAN, _MISSING = "orphan-transcript", "missing-transcript"


def joined(agent: Agent, database: StoreListing, files: StoreListing) -> StoreListing:
    """Put both listings together.

    A session id is listed once. A file of an id that the database knows only completes its
    transcript; an entry of a key that the database knows under another id is its history.

    Args:
        agent: Whose sessions.
        database: Has at least one session.
        files: Read without knowing of the database.
    """
    by_id = _by_id(files.sessions)
    known = tuple(_completed(one, by_id.get(one.session_id, ())) for one in database.sessions)
    others = tuple(_beside(database.sessions, files.sessions))
    return StoreListing(
        sessions=tuple(sorted((*known, *others), key=lambda one: _ORDER.index(one.state))),
        storage=database.storage,
        left_out=Counter(database.left_out) + Counter(files.left_out),
        notices=(
            *database.notices,
            *_notices_beside(files.notices, others),
            *_orphan_notices(agent, others),
        ),
    )


def without_database(database: StoreListing, files: StoreListing) -> StoreListing:
    """Return what the files hold of an agent whose database cannot be read.

    Its counts may be from before the move, so none of them is fresh. Archives alone do not make
    the store readable: what lives is in the database (A1).
    """
    is_partly_readable = any(one.state is not SessionState.ARCHIVED for one in files.sessions)
    return StoreListing(
        sessions=tuple(
            one if one.tokens_reported is None else replace(one, tokens_fresh=False)
            for one in files.sessions
        ),
        storage=files.storage if is_partly_readable else database.storage,
        left_out=Counter(database.left_out) + Counter(files.left_out),
        notices=(*database.notices, *files.notices),
    )


def _beside(
    known: Sequence[StoredSession], filed: Sequence[StoredSession]
) -> Iterator[StoredSession]:
    """Yield what lies in the files and the database does not know."""
    ids = {one.session_id for one in known if one.session_id is not None}
    keys = {one.key.text for one in known if one.key is not None}
    for one in filed:
        if one.session_id in ids:
            continue
        is_outdated = one.key is not None and one.key.text in keys
        if not is_outdated or one.state is not SessionState.LIVE:
            yield one
        elif one.transcript is not None:
            yield replace(one, state=SessionState.ARCHIVED)


def _by_id(filed: Sequence[StoredSession]) -> Mapping[str | None, Sequence[StoredSession]]:
    found: defaultdict[str | None, list[StoredSession]] = defaultdict(list)
    for one in filed:
        if one.session_id is not None and one.transcript is not None:
            found[one.session_id].append(one)
    return found


def _completed(one: StoredSession, filed: Sequence[StoredSession]) -> StoredSession:
    """Give a session of the database the file of the same id, to read what it lacks."""
    same_key = [other for other in filed if other.key == one.key]
    nobodys = [other for other in filed if other.key is None]
    best = next(iter((*same_key, *nobodys, *filed)), None)
    if best is None or best.transcript is None:
        return one
    if one.transcript is None:
        return replace(one, transcript=best.transcript, transcript_state=TranscriptState.PRESENT)
    is_plain = best.transcript.kind is TranscriptKind.FILE
    if not is_plain or one.transcript.kind is TranscriptKind.DATABASE_ARCHIVE:
        return one
    return replace(one, transcript=replace(one.transcript, extra=best.transcript.path))


def _notices_beside(notices: Sequence[Notice], others: Sequence[StoredSession]) -> Iterator[Notice]:
    """Yield what the file store noticed and what still holds beside a database."""
    is_missing = any(one.transcript_state is TranscriptState.MISSING for one in others)
    for notice in notices:
        if notice.code != _ORPHAN and (is_missing or notice.code != _MISSING):
            yield notice


def _orphan_notices(agent: Agent, others: Sequence[StoredSession]) -> Iterator[Notice]:
    count = sum(one.state is SessionState.ORPHAN for one in others)
    if count:
        what = "1 transcript belongs" if count == 1 else f"{count} transcripts belong"
        message = f"{what} to no session of agent {agent.id}, in its database or beside it"
        yield Notice(_ORPHAN, one_line(message), str(agent.sessions_dir), agent.id)
