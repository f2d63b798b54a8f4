"""Frames and rows of the wire: foreign JSON, of which only known fields of the right type count.

Formats: `docs/formats.md`, "The Gateway".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from memconsole.domain.gateway import CompactAnswer, LiveSession
from memconsole.text.plain import one_line
from memconsole.text.timestamps import moment

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 2**53
_LONGEST_KEY = 4096


def decode(data: str | bytes) -> Mapping[str, object] | None:
    """Return the object of a frame; None for anything that is no JSON object.

    The platform cuts texts where half a pair of surrogates may be left: it is marked.
    """
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        found = _with_halves(data)
    return found if isinstance(found, dict) else None


def _with_halves(data: str | bytes) -> object:
    try:
        text = json.dumps(json.loads(data), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return msgspec.json.decode(whole)
    except (ValueError, RecursionError):
        return None


def encode(frame: Mapping[str, object]) -> str:
    """Return a frame as text."""
    return msgspec.json.encode(frame).decode()


def mapping(value: object) -> Mapping[str, object]:
    """Return an object; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str | None:
    """Return a text that is not empty; anything else is None."""
    return value if isinstance(value, str) and value else None


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def whole(value: object) -> int | None:
    """Return a count; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _LARGEST else None


def flag(value: object) -> bool | None:
    """Return a truth value; anything else is None."""
    return value if isinstance(value, bool) else None


def session(row: object, key: str | None = None) -> LiveSession | None:
    """Return a row of a list, or the `entry` of an answer, which does not name its key.

    Args:
        row: The row, as foreign JSON.
        key: The key when the row does not hold it.
    """
    if not isinstance(row, dict):
        return None
    name = key or text(row.get("key"))
    if name is None or len(name) > _LONGEST_KEY:
        return None
    tokens, fresh = whole(row.get("totalTokens")), flag(row.get("totalTokensFresh"))
    if tokens == 0 and fresh is None:  # so old releases say that they do not know
        tokens = None
    return LiveSession(
        key=name,
        agent_id=_plain(row.get("agentId")),
        session_id=text(row.get("sessionId")),
        revision=text(row.get("lifecycleRevision")),
        started_at=moment(row.get("sessionStartedAt")),
        updated_at=moment(row.get("updatedAt")),
        last_interaction_at=moment(row.get("lastInteractionAt")),
        tokens=tokens,
        tokens_fresh=fresh,
        window=whole(row.get("contextTokens")) or None,
        compactions=whole(row.get("compactionCount")),
        status=_plain(row.get("status")),
        is_active=_active(row),
        model=_plain(row.get("model")),
        model_provider=_plain(row.get("modelProvider")),
        chat_type=_plain(row.get("classification"))
        or _plain(row.get("chatType"))
        or _plain(row.get("kind")),
        label=_plain(row.get("label")) or _plain(row.get("displayName")),
        is_archived=row.get("archived") is True,
        forked_at=_forked(mapping(row.get("forkSource"))),
        parent_key=text(row.get("parentSessionKey")),
    )


def _forked(source: Mapping[str, object]) -> tuple[str, str] | None:
    key, entry = text(source.get("sessionKey")), text(source.get("entryId"))
    return None if key is None or entry is None else (key, entry)


def compact_answer(payload: Mapping[str, object]) -> CompactAnswer:
    """Return what an answer to `sessions.compact` says inside."""
    result = mapping(payload.get("result"))
    is_done = payload.get("compacted") is True and payload.get("ok") is not False
    summary = result.get("summary")
    return CompactAnswer(
        is_compacted=is_done,
        reason="" if is_done else _plain(payload.get("reason")) or "it gave no reason",
        summary=summary if isinstance(summary, str) else None,
        tokens_before=whole(result.get("tokensBefore")),
        tokens_after=whole(result.get("tokensAfter")),
        kept_lines=whole(payload.get("kept")),
        archived=_plain(payload.get("archived")),
    )


def _active(row: Mapping[str, object]) -> bool | None:
    if row.get("activeRunIds"):
        return True
    known = flag(row.get("hasActiveRun"))
    return known if known is not None or "activeRunIds" not in row else False


def _plain(value: object) -> str | None:
    found = text(value)
    return None if found is None else one_line(found) or None
