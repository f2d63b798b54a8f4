"""Whose words a transcript holds: the one rule of every reading.

A file belongs to a session when it lies in the session folders of its agent, or where the rules
for moved homes map it to, and when its header carries the session's id. A file without a header
(old releases, cut files) goes by its name, which then must carry that id.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from memconsole.adapters.sessions.names import FileKind
from memconsole.adapters.transcripts.sources import open_file
from memconsole.domain.agents import Notice
from memconsole.errors import StoreError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sessions.entry_fields import EntryFields
    from memconsole.adapters.sessions.files.folder import SessionFile, SessionFolder
    from memconsole.adapters.transcripts.lines import Check
    from memconsole.adapters.transcripts.sources import Source
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.keys import SessionKey
    from memconsole.domain.sessions.stored import TranscriptRef

MISMATCH = "session-id-mismatch"
OUTSIDE = "transcript-outside"
MAPPED = "path-mapped"

_NEAR, _FAR = 4 * 1024, 64 * 1024
"""Bytes read for a header; real ones have some 150."""


class _Header(msgspec.Struct):
    type: str | None = None
    id: str | None = None


_HEADER = msgspec.json.Decoder(_Header)


@dataclass(frozen=True, slots=True)
class Found:
    """What came of looking for the transcript of an entry.

    Attributes:
        file: Its transcript; None when there is none that is its own.
        refusal: Why the file that the entry names is not read.
        notice: What else is to be said: another place, or another file than the entry names.
    """

    file: SessionFile | None = None
    refusal: Notice | None = None
    notice: Notice | None = None


def transcript_of(
    agent: Agent, folder: SessionFolder, key: SessionKey, fields: EntryFields, topic: str | None
) -> Found:
    """Find the transcript of an entry: by its own id, as named, by topic, and last as archived.

    Args:
        agent: Whose entry it is.
        folder: The agent's session files.
        key: For sentences.
        fields: The entry.
        topic: Topic or thread of the key.
    """
    session_id = fields.session_id
    own = None if session_id is None else folder.transcript(session_id, topic)
    if session_id is None and not fields.session_file:
        return Found()
    name = fields.session_file or f"{session_id}.jsonl"
    named = _named(agent, folder, key, session_id, name)
    if own is not None:
        is_other = named.refusal is not None and named.refusal.code == MISMATCH
        return Found(own, notice=named.refusal if is_other else None)
    if named.file is not None:
        return named
    parked = _parked(folder, session_id, topic)
    return named if parked is None else Found(parked)


def _parked(folder: SessionFolder, session_id: str | None, topic: str | None) -> SessionFile | None:
    if session_id is None:
        return None
    topics = (topic, None, *folder.topics(session_id))
    found = (folder.transcript(session_id, topic) for topic in topics)
    parked = (folder.archive(session_id, topic) for topic in topics)
    return next((file for file in (*found, *parked) if file is not None), None)


def _named(
    agent: Agent, folder: SessionFolder, key: SessionKey, session_id: str | None, name: str
) -> Found:
    """Resolve the `sessionFile` of an entry, and say why it is not taken."""
    file = folder.named(name)
    if file is not None:
        if session_id is None or _carries(file, session_id):
            return Found(file)
        return Found(refusal=_mismatch(agent, key, file.path))
    if (link := folder.links_out(name)) is not None:
        return Found(refusal=link)
    elsewhere = folder.elsewhere(name)
    return Found() if elsewhere is None else _elsewhere(agent, key, session_id, *elsewhere)


def _elsewhere(
    agent: Agent, key: SessionKey, session_id: str | None, file: SessionFile, is_mapped: bool
) -> Found:
    if not is_mapped:
        return Found(refusal=outside(agent, file.path))
    if session_id is not None and not _carries(file, session_id):
        return Found(refusal=_mismatch(agent, key, file.path))
    message = (
        f"the transcript of {one_line(key.text)} is read at {one_line(str(file.path))}: its entry"
        " names a place of another machine"
    )
    return Found(file, notice=Notice(MAPPED, message, str(file.path), agent.id))


def _carries(file: SessionFile, session_id: str) -> bool:
    """Whether a file is a session's own: by its name where it lies with the others, else inside."""
    if file.session_id == session_id and file.name.kind is not FileKind.CHECKPOINT:
        return True  # its header is compared when it is opened
    try:
        with open_file(file.path) as source:
            header = header_id(source)
    except StoreError:
        return False
    return header == session_id or (header is None and file.session_id == session_id)


def outside(agent: Agent, path: Path) -> Notice:
    """Return the notice of a file that lies outside of the agent's session folders."""
    message = (
        f"the transcript {one_line(str(path))} lies outside of the session folders of agent"
        f" {one_line(agent.id)}; it is not opened"
    )
    return Notice(OUTSIDE, message, str(path), agent.id)


def _mismatch(agent: Agent, key: SessionKey, path: Path) -> Notice:
    message = (
        f"the entry of {one_line(key.text)} names {one_line(path.name)}, which is the transcript"
        " of another session; it is not taken in"
    )
    return Notice(MISMATCH, message, str(path), agent.id)


def header_id(source: Source) -> str | None:
    """Return the session id in the header of a transcript; None when it has no header."""
    data = source.read_at(0, min(source.size, _NEAR))
    if b"\n" not in data and source.size > _NEAR:
        data = source.read_at(0, min(source.size, _FAR))
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\0").partition(b"\n")[0]
    try:
        header = _HEADER.decode(first.strip(b" \t\r\0"))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return (header.id or None) if header.type == "session" else None


def own_words(ref: TranscriptRef, path: Path | None = None) -> Check:
    """Return the check that every opening of a transcript file passes.

    Args:
        ref: The transcript.
        path: The file that is opened, where it is not that of the transcript.
    """

    def check(source: Source) -> None:
        found = header_id(source)
        if found is not None and found != ref.session_id:
            where = one_line(os.fspath(path or ref.path))
            raise TranscriptRefusedError(
                MISMATCH,
                f"{where} is the transcript of session {one_line(found)[:80]}, and not of"
                f" {one_line(ref.session_id)[:80]}",
            )

    return check
