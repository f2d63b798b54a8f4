"""What each command of another home may answer: closed types, limited and cleaned.

An answer is foreign. A field of another kind than ours makes the whole of it useless; one that we
do not know is left out, for a newer memconsole may say more; one that an older memconsole does not
say is unknown, where it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias

from memconsole.text.plain import clean

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Row | None"
Row: TypeAlias = "Mapping[str, Json]"

Shape: TypeAlias = "str | dict[str, Shape] | list[Shape]"
"""A kind, a table of fields, or a list of one thing; `?` behind a kind: it may be unknown.

A table with the one field `*` has any names. `any` is a value that has no shape of its own.
"""

MOST_ROWS: Final = 20_000
MOST_CHARS: Final = 20_000
_MOST_COUNT: Final = 2**63

_ERA: Final[Shape] = {"sessions": "text", "memory_index": "text", "cron": "text"}
_NOTICE: Final[Shape] = {"code": "text", "message": "text", "path": "text?"}
AGENT: Final[Shape] = {
    "id": "text",
    "home": "text?",
    "name": "text?",
    "era": _ERA,
    "workspace": "text?",
    "workspace_exists": "flag?",
    "configured": "flag?",
    "store": "text",
    "sessions": "count?",
    "due": "count?",
    "activity": {"?": "", "*": "count"},
    "tokens_max": "count?",
    "memory_bytes": "count?",
    "memory_files": "count?",
    "markers": {"?": "", "*": "count?"},
    "checkpoint_at": "time?",
    "problems": [_NOTICE],
}
SESSION: Final[dict[str, Shape]] = {
    "key": "text?",
    "agent": "text",
    "session_id": "text?",
    "class": "text",
    "state": "text",
    "transcript": "text",
    "label": "text?",
    "tokens": "count?",
    "tokens_reported": "count?",
    "tokens_estimated": "count?",
    "token_state": "text",
    "window": "count?",
    "threshold": "count",
    "percent_of_threshold": "number?",
    "percent_of_window": "number?",
    "compactions": "count?",
    "messages": "count?",
    "started_at": "time?",
    "updated_at": "time?",
    "active": "flag?",
    "activity": {"?": "", "doing": "text", "since": "time?", "heard_at": "time?"},
    "source": "text",
    "due": "flag",
    "not_due_because": "text?",
    "due_at": "time?",
}
_FINDING: Final[Shape] = {
    "severity": "text",
    "code": "text",
    "agent": "text?",
    "key": "text?",
    "command": "text?",
    "seen_at": "time?",
    "message": "text",
    "hint": "text?",
}
_ALERT: Final[Shape] = {
    "id": "text",
    "status": "text",
    "message": "text",
    "hint": "text?",
    "since": "time?",
    "seen_at": "time?",
}
_LAYER: Final[Shape] = {
    "layer": "text",
    "state": "text",
    "pid": "count?",
    "host": "text?",
    "since": "time?",
}
STATUS: Final[Shape] = {
    "home": "text",
    "era": _ERA,
    "gateway": {
        "verdict": "text",
        "url": "text?",
        "version": "text?",
        "scopes": ["text"],
        "reason": "text?",
        "hint": "text?",
        "checked_at": "time?",
    },
    "scheduler": {
        "state": "text",
        "pid": "count?",
        "host": "text?",
        "since": "time?",
        "next_job": "text?",
        "next_at": "time?",
        "layers": [_LAYER],
    },
    "attention": [_FINDING],
    "quiet": {"?": "", "is_quiet": "flag", "evidence": ["text"], "unknown": ["text"]},
    "agents": [AGENT],
    "alerts": [_ALERT],
    "index": {"?": "", "waiting": "count?", "changed": "count?"},
}
RUN: Final[Shape] = {
    "id": "count",
    "job": "text?",
    "command": "text",
    "origin": "text",
    "started_at": "time",
    "ended_at": "time?",
    "status": "text",
    "reason": "text?",
    "steps": "any",
    "proof": "any",
}
_HEALTH: Final[Shape] = {
    "overall": "text",
    "checks": [
        {
            "id": "text",
            "status": "text",
            "value": "any",
            "limit": "any",
            "message": "text",
            "hint": "text?",
            "since": "time?",
            "details": "any",
        }
    ],
    "attention": [_FINDING],
}
_HIT: Final[Shape] = {
    "archived": "flag?",
    "on_path": "flag?",
    "path": "text",
    "start_line": "count",
    "end_line": "count",
    "score": "number?",
    "vector_score": "number?",
    "text_score": "number?",
    "weak": "flag?",
    "snippet": "text",
    "source": "text",
    "agent": "text",
    "modified_at": "time?",
    "heading": "text?",
    "tags": ["text"],
    "date_score": "number?",
    "quality_score": "number?",
    "same": [{"path": "text", "start_line": "count", "end_line": "count"}],
    "agent_rank": "any",
    "agent_score": "any",
    "agent_because": "text?",
    "agent_reason": "text?",
    "agent_help": "text?",
    "agent_facts": "any",
}
_SEARCH: Final[Shape] = {
    "hits": [_HIT],
    "index": "any",
    "coverage": "number?",
    "ranking": "any",
    "agent_searches": "any",
}
OUTCOME: Final[Shape] = {
    "command": "text",
    "agent": "text?",
    "key": "text?",
    "status": "text",
    "reason": "text?",
    "message": "text",
    "hint": "text?",
    "duration_ms": "count?",
    "wrote": [{"path": "text", "bytes": "count", "mode": "text"}],
    "details": "any",
}
_OF_A_SESSION: Final = (
    *("events", "tokens_by_class", "contributors", "fill", "fill_noted_at", "advice"),
    *("next_events", "freshness", "last_capture_at", "last_flush_at", "summary", "is_captured"),
    *("limits", "windows", "unattributed"),
)
"""What `session` says of one beside the fields of its row."""

_MESSAGE: Final[Shape] = {
    "id": "text?",
    "at": "time?",
    "kind": "text",
    "role": "text?",
    "text": "text",
    "attachments": "any",
    "on_path": "flag?",
}
_ANSWERS: Final[dict[str, Shape]] = {
    "status": STATUS,
    "agents": [AGENT],
    "sessions": [SESSION],
    "runs": [RUN],
    "health": _HEALTH,
    "search": _SEARCH,
    "consolidate": "any",
    "session": {**SESSION, **dict.fromkeys(_OF_A_SESSION, "any")},
    "transcript": [_MESSAGE],
    "memory show": "any",
}


def text_of(row: Row, name: str) -> str:
    """Return a text of a row; anything else there is empty."""
    found = row.get(name)
    return found if isinstance(found, str) else ""


def count_of(row: Row, name: str) -> int | None:
    """Return a whole number of a row; None where there is none."""
    found = row.get(name)
    return found if type(found) is int else None


def closed(command: str, data: Json) -> Json:
    """Return what a command answered as the type that it answers with.

    Args:
        command: Its name; one that acts answers with a list of its outcomes, or previews.
        data: As it came.

    Raises:
        ValueError: It is of another type; names the field.
    """
    shape = _ANSWERS.get(command)
    if shape is None:
        shape = [OUTCOME] if isinstance(data, list) else "any"
    return _shaped(data, shape, command)


def _shaped(value: Json, shape: Shape, name: str) -> Json:
    if isinstance(shape, str):
        return _leaf(value, shape, name)
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise _wrong(name, "list")
        if len(value) > MOST_ROWS:
            raise ValueError(f"{name} has more than {MOST_ROWS} rows")
        return [_shaped(one, shape[0], name) for one in value]
    if value is None and "?" in shape:
        return None
    if not isinstance(value, Mapping):
        raise _wrong(name, "table")
    if "*" in shape:
        return {clean(key): _shaped(one, shape["*"], name) for key, one in value.items()}
    return {
        key: _shaped(_given(value, key, one), one, f"{name}.{key}")
        for key, one in shape.items()
        if key != "?" and (key in value or one != "any")
    }


def _given(row: Mapping[str, Json], key: str, shape: Shape) -> Json:
    """Return a field; a list that an older memconsole does not have is empty."""
    return row.get(key, [] if isinstance(shape, list) else None)


def _leaf(value: Json, kind: str, name: str) -> Json:
    if kind == "any":
        return _free(value)
    if value is None and kind.endswith("?"):
        return None
    if not _KINDS[kind.removesuffix("?")](value):
        raise _wrong(name, kind.removesuffix("?"))
    return _free(value)


def _is_time(value: Json) -> bool:
    return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None


_KINDS: Final[dict[str, Callable[[Json], bool]]] = {
    "text": lambda value: isinstance(value, str),
    "flag": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "count": lambda value: type(value) is int and 0 <= value < _MOST_COUNT,
    "time": _is_time,
}


def _free(value: Json) -> Json:
    if isinstance(value, str):
        return clean(value[:MOST_CHARS])
    if isinstance(value, Mapping):
        return {clean(key): _free(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_free(one) for one in value[:MOST_ROWS]]
    return value


def _wrong(name: str, kind: str) -> ValueError:
    return ValueError(f"{name} is no {kind}")
