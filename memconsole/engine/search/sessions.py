"""Hands transcripts of every era to the search index, each message once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.search.indexing import Document, DocumentText, MessageLine, Source
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.sessions.stored import SessionState, TranscriptRef
from memconsole.domain.transcripts.records import MessageKind
from memconsole.engine.home.lookup import unreadable
from memconsole.engine.transcripts.whole import read_whole
from memconsole.errors import StoreError
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import name_out, way_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.transcripts.records import Message
    from memconsole.ports.platform import SessionStore

MESSAGE_CHARS = 20_000
"""What of one message is indexed: a capture keeps less, but a search is for what was said."""

_NEVER = (SessionClass.INCOGNITO,)


def session_documents(store: SessionStore, agent: Agent) -> tuple[Document, ...]:
    """Return every transcript of an agent as a document; incognito sessions are left out.

    Raises:
        StoreError: The stores cannot be read; an index of "nothing" would forget all sessions.
    """
    found: dict[str, Document] = {}
    listing = store.sessions(agent)
    if not is_readable(listing) and not listing.sessions:
        raise unreadable(agent.id, listing)
    for session in listing.sessions:
        if session.transcript is None or _is_private(session):
            continue
        document = _document(session, session.transcript)
        number = 1
        while document.path in found:  # topics of one session have transcripts of their own
            number += 1
            document = _document(session, session.transcript, f"#{number}")
        found[document.path] = document
    return tuple(found.values())


def message_lines(store: SessionStore, document: Document, *, redact: bool) -> DocumentText:
    """Return the messages of a session, one a line, secrets masked before anything is cut.

    Raises:
        StoreError: The transcript cannot be read.
    """
    if not isinstance(document.place, TranscriptRef):
        raise StoreError(f"{document.path} is no transcript")
    whole = read_whole(store, document.place)
    return DocumentText(session=tuple(_lines(whole.messages, redact=redact)))


def _lines(messages: Iterable[Message], *, redact: bool) -> Iterator[MessageLine]:
    mask = way_out(redacts=redact)
    for message in messages:
        if message.kind is not MessageKind.MESSAGE:
            yield MessageLine("", on_path=message.on_path, at=message.at)
            continue
        text = one_line(mask(message.text))
        notes = "".join(f" [{mask(note)}]" for note in message.attachments)
        spoken = f"{mask(message.role or 'note')}: {cut(text, MESSAGE_CHARS)}{notes}"
        yield MessageLine(spoken, on_path=message.on_path, at=message.at)


def _is_private(session: StoredSession) -> bool:
    return session.key is not None and session.key.kind in _NEVER


def _document(session: StoredSession, ref: TranscriptRef, mark: str = "") -> Document:
    modified = ref.modified_at or session.updated_at
    stamp = f"{ref.kind}:{ref.size_bytes}:{modified}:{ref.generation}:{session.state}"
    return Document(
        path=f"sessions/{name_out(session.session_id or ref.session_id)}{mark}",
        source=Source.SESSIONS,
        place=ref,
        size_bytes=ref.size_bytes or 0,
        stamp=stamp,
        modified_at=modified,
        is_archived=session.state is SessionState.ARCHIVED,
    )
