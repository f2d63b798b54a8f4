"""Writes an agent of the file era: `sessions.json` and a file a transcript.

Format: `formats/clawdbot-file-era.md` §2 and §4.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from memconsole.demo.plan import Fate
from memconsole.demo.records import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.demo.records import Fields, Transcript
    from memconsole.demo.sessions import Session

STORE = "sessions.json"


def write_files(folder: Path, sessions: Iterable[Session]) -> None:
    """Write the store of an agent and all transcripts."""
    folder.mkdir(parents=True, mode=0o700)
    store = {}
    for session in sessions:
        if session.plan.fate is Fate.LIVE:
            store[session.key] = session.entry
        if session.transcript is not None:
            name = f"{session.id}.jsonl{_ending(session)}"
            write_transcript(folder / name, session.transcript)
    write_store(folder, store)


def _ending(session: Session) -> str:
    """Return what an archive's name ends in: why and when it was put away."""
    if session.plan.fate not in (Fate.RESET, Fate.DELETED):
        return ""
    at = f"{session.at:%Y-%m-%dT%H-%M-%S}.{session.at.microsecond // 1000:03}Z"
    return f".{session.plan.fate.name.lower()}.{at}"


def write_transcript(path: Path, transcript: Transcript) -> None:
    """Write a transcript; the file is as old as its last record."""
    lines = b"".join(encode(record) + b"\n" for _, record in transcript.records)
    write_file(path, lines, transcript.last[0])


def write_store(folder: Path, store: Mapping[str, Fields]) -> None:
    """Replace the store as the platform does: a file beside it, then a rename."""
    part = folder / f"{STORE}.{os.getpid()}.tmp"
    part.write_text(json.dumps(store, indent=2, ensure_ascii=False), encoding="utf-8")
    part.chmod(0o600)
    part.replace(folder / STORE)


def write_file(path: Path, data: bytes, at: datetime) -> None:
    """Write a file that was last written at a given moment."""
    path.write_bytes(data)
    path.chmod(0o600)
    os.utime(path, (at.timestamp(), at.timestamp()))
