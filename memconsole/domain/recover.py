"""Tells which sessions ended before everything in them was captured.

One fingerprint on both sides: what a capture remembers of a session, and what the session turns out
to be once it has ended, are hashes of the same messages by this one function. Records that hold no
words of people are left out: a reset adds some of its own, and none of them can be lost.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.calendar import clock, daily_log, local_day
from memconsole.domain.checkpoint.rules import touched_at
from memconsole.domain.sessions.keys import SessionClass, classify, key_of
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memconsole.domain.agents import Agent
    from memconsole.domain.calendar import Zone
    from memconsole.domain.sessions.stored import StoredSession, StoreListing
    from memconsole.domain.transcripts.excerpts import Spoken
    from memconsole.domain.transcripts.records import Message

TAIL_MESSAGES = 50
"""`recovery.tail_lines`: messages that the fingerprint covers."""

MOST_ENDED = 5
"""Ended sessions of an agent that one look takes, newest first."""

SILENT = "nothing was said"
"""Kept as the fingerprint of a session without words, so that its packed file may go as well."""


def whole(print_: str) -> str:
    """Return what is kept beside a fingerprint where all before that end was captured as well."""
    return f"whole {print_}"


RAW_MESSAGES = 100
RAW_CHARS = 400

_NEVER = datetime.min.replace(tzinfo=UTC)
_NOT_SESSIONS = ("deleted",)
"""What an operator deleted is not brought back."""


def fingerprint(messages: Sequence[Message]) -> str:
    """Return the fingerprint of a session's end: MD5, which is not for security, of its messages.

    Args:
        messages: Eligible ones on the active path, oldest first; the last fifty count.
    """
    digest = hashlib.md5(usedforsecurity=False)
    for one in messages[-TAIL_MESSAGES:]:
        for part in (one.role or "", one.text):
            data = part.encode("utf-8", errors="replace")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class EndedSession:
    """One session that is over.

    Attributes:
        key: Its session key, as stored or as it was known while it went on.
        is_previous: It lies before a reset in place, inside a transcript that goes on.
    """

    stored: StoredSession
    key: str
    is_previous: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """What has ended for one agent.

    Attributes:
        sessions: Main and direct sessions, newest first, at most five.
        nameless: Session ids of ended transcripts whose key nobody knows, newest first: they may
            be a group's.
    """

    sessions: tuple[EndedSession, ...]
    nameless: tuple[str, ...]


def ended_sessions(
    agent: Agent,
    listing: StoreListing,
    known: Mapping[str, str],
    dated: Callable[[Sequence[StoredSession]], Sequence[StoredSession]],
) -> Ended:
    """Return the sessions of an agent that are over, whatever store they are in.

    Args:
        agent: Whose sessions.
        listing: What its stores hold.
        known: Session keys by session id, as remembered from earlier looks.
        dated: Gives sessions the time of their newest message.
    """
    found: list[EndedSession] = []
    nameless: list[str] = []
    for stored in listing.sessions:
        if stored.transcript is None or stored.transcript_state is not TranscriptState.PRESENT:
            continue
        if stored.archive_reason in _NOT_SESSIONS:
            continue
        key = known.get(stored.session_id or "") if stored.key is None else stored.key.text
        if key is None:
            if stored.state is not SessionState.LIVE:
                nameless.append(stored.session_id or stored.transcript.session_id)
        elif _class(agent, key, stored).may_be_captured(groups=stored.captures_groups):
            is_previous = stored.state is SessionState.LIVE
            found.append(EndedSession(stored, key, is_previous=is_previous))
    fresh = dated([one.stored for one in found])
    found = [replace(one, stored=stored) for one, stored in zip(found, fresh, strict=True)]
    found.sort(key=lambda one: touched_at(one.stored) or _NEVER, reverse=True)
    return Ended(tuple(_newest_of_each(found)), tuple(nameless))


def _newest_of_each(sessions: Iterable[EndedSession]) -> list[EndedSession]:
    """Return live transcripts, which may hold an earlier session, and the newest ended ones."""
    live = [one for one in sessions if one.is_previous]
    ended = [one for one in sessions if not one.is_previous]
    return [*live[:MOST_ENDED], *ended[:MOST_ENDED]]


def _class(agent: Agent, key: str, stored: StoredSession) -> SessionClass:
    return classify(stored.key or key_of(agent, key), stored.chat_type)


def render_raw(
    session_id: str, said: Sequence[Spoken], at: datetime, zone: Zone
) -> tuple[str, str, str]:
    """Return the raw capture of a session: what is kept when nothing better can be made of it.

    Args:
        session_id: The session.
        said: Masked, oldest first; the last hundred are kept.
        at: The time of writing.
        zone: The user's zone.

    Returns:
        The daily log that it goes to, relative to the workspace; its entry; the header of a new
        log.
    """
    last = next((one.at for one in reversed(said) if one.at is not None), at)
    day = local_day(last, zone)
    name = quote_line(cut(session_id, 80)).replace("--", "‐‐")
    written = f"{local_day(at, zone)} {clock(at, zone)}"
    lines = [
        f"<!-- Session Recovery Capture: {written} session={name} -->",
        "",
        *(
            f"- **{one.role} [{clock(one.at, zone)}]** {quote_line(cut(one.text, RAW_CHARS))}"
            for one in said[-RAW_MESSAGES:]
        ),
        "",
    ]
    return daily_log(day), "\n".join(lines) + "\n", f"# {day}\n\n"
