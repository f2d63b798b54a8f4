"""What a file in a sessions folder is, by its exact name.

A name that fits nothing is no session: traces, compaction snapshots, locks and half-written files
lie in the same folder and are often the newest there. The names: `docs/formats.md`, "Names of
transcript files".
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.timestamps import moment

if TYPE_CHECKING:
    import re

STORE_NAME = "sessions.json"

PACKED = ".gz"
"""What `cleanup` adds to the name of a file that it packs."""


class FileKind(StrEnum):
    """What one file of a sessions folder is."""

    TRANSCRIPT = "transcript"
    ARCHIVE = "archive"
    COLD = "cold"
    BACKUP = "backup"
    CHECKPOINT = "checkpoint"
    TRAJECTORY = "trajectory"
    STORE = "store"
    LOCK = "lock"
    TEMPORARY = "temporary"
    CACHE = "cache"
    OTHER = "other"

    @property
    def is_copy(self) -> bool:
        """Whether it repeats a transcript's past (counted in `left_out.backup`)."""
        return self in (FileKind.BACKUP, FileKind.CHECKPOINT)


@dataclass(frozen=True, slots=True)
class FileName:
    """A name, read.

    Attributes:
        session_id: For transcripts, archives, backups and checkpoints.
        topic: Topic or thread id of a `-topic-` name, URI-decoded.
        reason: `reset`, `deleted` or `imported`, for archives.
        archived_at: When it was archived, aware UTC; None when the name gives no real date.
        is_packed: zstd inside, or gzip where we packed it (`.gz`).
        generation: Archive generation of the release that adds one, as in its database.
    """

    kind: FileKind
    session_id: str | None = None
    topic: str | None = None
    reason: str | None = None
    archived_at: datetime | None = None
    is_packed: bool = False
    generation: str | None = None


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_WHOLE_UUID = rf"(?ais){_UUID}"
_TOPIC = rf"(?ais)(?P<id>{_UUID})-topic-(?P<topic>.+)"
_CHECKPOINT = rf"(?ais)(?P<id>.+)\.checkpoint\.{_UUID}\.jsonl"
_ARCHIVE = (
    r"(?as)(?P<base>.+)\.jsonl\.(?P<reason>reset|deleted|bak)"
    r"\.(?P<at>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d{3})?Z)"
    r"(?:\.(?P<generation>[0-9a-f]{8,64}))?(?P<packed>\.zst)?"
)
_IMPORTED = r"(?ais)(?P<rest>.+)\.imported-(?P<ms>\d{1,17})(?:\.\d{1,2})?"
_IMPORT_PREFIX = (
    # The uuid tells where the slug of the session key ends, for a slug may hold dots itself.
    rf"(?ais)(?:.+\.(?={_UUID})|archive-tier\.|agent_[^.]*\.)(?P<base>.+)"
)
_COLD = r"(?a)[0-9a-f]{64}\.jsonl\.zst"


def is_uuid(text: str) -> bool:
    """Whether a session id has the shape that the platform gives its own."""
    return compiled(_WHOLE_UUID).fullmatch(text) is not None


def read_name(name: str) -> FileName:
    """Tell what a file of a sessions folder is."""
    if name.startswith("."):
        is_cache = name == ".usage-cost-cache.json"
        return FileName(FileKind.CACHE if is_cache else FileKind.OTHER)
    if name.endswith(".jsonl"):
        return _read_jsonl(name)
    if name.endswith(PACKED):
        return _packed_by_us(read_name(name.removesuffix(PACKED)))
    match = compiled(_ARCHIVE).fullmatch(name)
    return FileName(_side_kind(name)) if match is None else _read_archive(match)


def read_import_name(name: str) -> FileName:
    """Tell what a file of `session-sqlite-import-archive/` is: a parked transcript or nothing.

    Names are `[<prefix>.]<original name>.imported-<ms>`; the prefix is `archive-tier` or a session
    key with everything odd replaced, and never part of the id.
    """
    if name.endswith(PACKED):
        return _packed_by_us(read_import_name(name.removesuffix(PACKED)))
    match = compiled(_IMPORTED).fullmatch(name)
    if match is None:
        return FileName(FileKind.OTHER)
    prefixed = compiled(_IMPORT_PREFIX).fullmatch(match["rest"])
    original = read_name(prefixed["base"] if prefixed else match["rest"])
    if original.kind is not FileKind.TRANSCRIPT:
        return original
    at = moment(int(match["ms"]))
    return replace(original, kind=FileKind.ARCHIVE, reason="imported", archived_at=at)


def _packed_by_us(original: FileName) -> FileName:
    """Return what a file is that `cleanup` packed; it is no live transcript any more."""
    if original.is_packed or original.session_id is None:
        return FileName(FileKind.OTHER)
    kind = FileKind.ARCHIVE if original.kind is FileKind.TRANSCRIPT else original.kind
    return replace(original, kind=kind, is_packed=True)


def _read_jsonl(name: str) -> FileName:
    if name.endswith(".trajectory.jsonl"):
        return FileName(FileKind.TRAJECTORY)
    match = compiled(_CHECKPOINT).fullmatch(name) if ".checkpoint." in name.lower() else None
    if match is not None:
        session_id, topic = _split_topic(match["id"])
        return FileName(FileKind.CHECKPOINT, session_id, topic)
    session_id, topic = _split_topic(name.removesuffix(".jsonl"))
    return FileName(FileKind.TRANSCRIPT, session_id, topic)


def _read_archive(match: re.Match[str]) -> FileName:
    session_id, topic = _split_topic(match["base"])
    is_backup = match["reason"] == "bak"
    return FileName(
        FileKind.BACKUP if is_backup else FileKind.ARCHIVE,
        session_id,
        topic,
        reason=None if is_backup else match["reason"],
        archived_at=_archive_time(match["at"]),
        is_packed=match["packed"] is not None,
        generation=match["generation"],
    )


def _side_kind(name: str) -> FileKind:
    if name == STORE_NAME or name.startswith(f"{STORE_NAME}.bak"):
        return FileKind.STORE
    if name.endswith(".lock"):
        return FileKind.LOCK
    if name.endswith(".tmp"):
        return FileKind.TEMPORARY
    if name.endswith(".trajectory-path.json"):
        return FileKind.TRAJECTORY
    return FileKind.COLD if compiled(_COLD).fullmatch(name) else FileKind.OTHER


def _split_topic(stem: str) -> tuple[str, str | None]:
    """Part `<uuid>-topic-<n>`; an id of another shape may hold `-topic-` itself."""
    match = compiled(_TOPIC).fullmatch(stem) if "-topic-" in stem.lower() else None
    return (stem, None) if match is None else (match["id"], unquote(match["topic"]))


def _archive_time(text: str) -> datetime | None:
    """Read `2026-11-27T21-33-23.094Z`; None for a date that does not exist."""
    day, _, time = text.partition("T")
    try:
        return datetime.fromisoformat(f"{day}T{time.replace('-', ':')}")
    except ValueError:
        return None
