"""The objects of `docs/contract.md`; long because the whole page stands here, in its order.

Transcribed by hand: fields in order, types, what may be null.
A type is a word (`str`, `int`, `float`, `bool`, `time`), with `?` when it may be null; a tuple of
words is one of those words; a list is a list of its one type; a dict is an object.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.sessions.activity import Doing
from memconsole.domain.sessions.composition import PartKind
from tests.cli.contract_alerts import ALERT, STANDING

if TYPE_CHECKING:
    from collections.abc import Callable

Type: TypeAlias = "str | tuple[str, ...] | list[Type] | dict[str, Type] | None"

TAGS = (
    "DECISION",
    "GOTCHA",
    "SOLUTION",
    "PATTERN",
    "TRADEOFF",
    "FACT",
    "PREFERENCE",
    "TODO",
)
MARKERS: Type = dict.fromkeys(TAGS, "int?")
STORAGE = ("files", "sqlite", "none", "unreadable", "mixed")
ERA: Type = {"sessions": STORAGE, "memory_index": STORAGE, "cron": STORAGE}
ATTENTION: Type = {
    "severity": ("info", "warning", "high", "critical"),
    "code": "str",
    "agent": "str?",
    "key": "str?",
    "command": "str?",
    "seen_at": "time?",
    "message": "str",
    "hint": "str",
}
WARNING: Type = {"code": "str", "message": "str", "path": "str?"}

GATEWAY: Type = {
    "verdict": (
        "up",
        "down",
        "starting",
        "late",
        "wedged",
        "not-a-gateway",
        "bad-token",
        "not-paired",
        "missing-scope",
        "protocol-mismatch",
        "off",
    ),
    "url": "str",
    "version": "str?",
    "scopes": ["str"],
    "reason": "str?",
    "hint": "str?",
    "checked_at": "time?",
}
SCHEDULER: Type = {
    "state": ("running", "stopped", "stale"),
    "pid": "int?",
    "host": "str?",
    "since": "time?",
    "next_job": "str?",
    "next_at": "time?",
}
AGENT: Type = {
    "id": "str",
    "home": "str",
    "name": "str?",
    "era": ERA,
    "workspace": "str?",
    "workspace_exists": "bool?",
    "configured": "bool",
    "store": ("gateway", "sqlite", "files", "none", "unreadable"),
    "sessions": "int?",
    "due": "int?",
    "activity": {
        "?": {one.value: "int" for one in Doing},
    },
    "tokens_max": "int?",
    "memory_bytes": "int?",
    "memory_files": "int?",
    "markers": MARKERS,
    "checkpoint_at": "time?",
    "problems": [WARNING],
}
SERVICE: Type = {
    "kind": ("systemd", "launchd", "cron"),
    "path": "str?",
    "status": ("done", "planned", "skipped", "failed"),
    "message": "str",
    "hint": "str?",
    "installed": "bool",
    "current": "bool",
    "enabled": "bool?",
    "active": "bool?",
    "unit": "str",
    "commands": ["str"],
}
STATUS: Type = {
    "home": "str",
    "era": ERA,
    "gateway": GATEWAY,
    "scheduler": SCHEDULER,
    "attention": [ATTENTION],
    "quiet": {"is_quiet": "bool", "evidence": ["str"], "unknown": ["str"]},
    "agents": [AGENT],
    "alerts": [ALERT],
}
SESSION: dict[str, Type] = {
    "key": "str?",
    "agent": "str",
    "session_id": "str?",
    "class": (
        "main",
        "direct",
        "group",
        "thread",
        "cron",
        "subagent",
        "hook",
        "heartbeat",
        "incognito",
        "other",
    ),
    "state": ("live", "archived", "orphan"),
    "transcript": ("present", "none", "missing", "refused"),
    "label": "str?",
    "tokens": "int?",
    "tokens_reported": "int?",
    "tokens_estimated": "int?",
    "token_state": ("fresh", "stale", "estimated", "suspect", "unknown"),
    "window": "int?",
    "threshold": "int",
    "percent_of_threshold": "float?",
    "percent_of_window": "float?",
    "compactions": "int?",
    "messages": "int?",
    "started_at": "time?",
    "updated_at": "time?",
    "active": "bool?",
    "activity": {"?": {"doing": tuple(Doing), "since": "time?", "heard_at": "time?"}},
    "source": ("gateway", "sqlite", "files"),
    "due": "bool",
    "not_due_because": "str?",
    "due_at": "time?",
}
SESSION_DETAIL: Type = {
    **SESSION,
    "messages": "int",
    "events": "int",
    "tokens_by_class": dict.fromkeys(("user", "assistant", "tool_result", "thinking"), "int"),
    "contributors": [{"name": "str", "tokens": "int", "share": "float"}],
    "fill": [
        {
            "part": tuple(PartKind),
            "name": "str?",
            "tokens": "int",
            "truncated": "bool",
            "source": ("platform", "memory", "transcript", "rest"),
            "note": "str",
        }
    ],
    "fill_noted_at": "time?",
    "advice": [{"text": "str", "command": "str?"}],
    "next_events": {},
    "freshness": "map?",
    "last_capture_at": "time?",
    "last_flush_at": "time?",
    "summary": "str?",
    "is_captured": "bool?",
    "limits": {},
}
MESSAGE: Type = {
    "id": "str?",
    "at": "time?",
    "kind": ("message", "compaction", "reset", "note"),
    "role": "str?",
    "text": "str",
    "attachments": ["str"],
    "on_path": "bool",
}
POOL: Type = {
    "agent": "str",
    "agents": ["str"],
    "root": "str?",
    "files": "int?",
    "bytes": "int?",
    "tokens": "int?",
    "markers": MARKERS,
    "items": [
        {
            "path": "str",
            "bytes": "int",
            "tokens": "int",
            "generated": "bool",
            "counted": "bool",
            "because": "str?",
        }
    ],
    "by_category": [{"name": "str", "files": "int", "bytes": "int"}],
    "limits": [{"path": "str", "chars": "int", "limit": "int"}],
    "warnings": [WARNING],
    "trend": [{"day": "str", "bytes": "int", "tokens": "int", "markers": MARKERS}],
}
MARKER: Type = {"tag": TAGS, "agent": "str", "path": "str", "line": "int", "text": "str"}
HOOK: Type = {
    "name": "str",
    "path": "str",
    "state": ("missing", "installed", "outdated", "foreign"),
    "enabled": "bool?",
    "message": "str",
    "hint": "str?",
    "called_at": "time?",
    "proof": "str?",
}

BOOTSTRAP: Type = {
    "session_class": "str",
    "files": [{"name": "str", "path": "str", "content": "str", "missing": "bool"}],
    "chars": "int",
    "left_out": ["str"],
}

CHECK: Type = {
    "id": "str",
    "status": ("ok", "unknown", "warning", "critical"),
    "value": "scalar?",
    "limit": "scalar?",
    "message": "str",
    "hint": "str?",
    "since": "time?",
    "details": ["detail"],
}

HEALTH: Type = {
    "overall": ("ok", "warning", "critical"),
    "checks": [CHECK],
    "attention": [ATTENTION],
}

OUTCOME: Type = {
    "command": "str",
    "agent": "str?",
    "key": "str?",
    "status": ("done", "planned", "skipped", "failed"),
    "reason": "str?",
    "message": "str",
    "hint": "str?",
    "duration_ms": "int?",
    "wrote": [{"path": "str", "bytes": "int", "mode": "str"}],
    "details": {},
}
RUN: Type = {
    "id": "int",
    "job": "str?",
    "command": "str",
    "origin": ("scheduler", "console", "cli", "hook"),
    "started_at": "time",
    "ended_at": "time?",
    "status": "str",
    "reason": "str?",
    "steps": "list?",
    "proof": "map?",
}

HIT: Type = {
    "archived": "bool",
    "on_path": "bool",
    "path": "str",
    "start_line": "int",
    "end_line": "int",
    "score": "float",
    "vector_score": "float?",
    "text_score": "float?",
    "weak": "bool",
    "snippet": "str",
    "source": ("memory", "sessions"),
    "agent": "str",
    "modified_at": "time?",
    "heading": "str",
    "tags": [TAGS],
    "date_score": "float?",
    "same": [{"path": "str", "start_line": "int", "end_line": "int"}],
}
INDEX: Type = {
    "state": ("fresh", "stale", "missing", "building", "unavailable"),
    "chunks": "int",
    "provider": "str",
    "vector": "bool",
    "updated_at": "time?",
    "because": "str?",
    "compares": ("sqlite-vec", "numpy", "none"),
    "files": "int",
    "bytes": "int",
}
GET: Type = {
    "agent": "str?",
    "path": "str",
    "from": "int",
    "lines": "int",
    "total_lines": "int",
    "text": "str",
}

MEMORY_FILE: Type = {
    "agent": "str",
    "path": "str",
    "bytes": "int",
    "tokens": "int",
    "modified_at": "time?",
    "generated": "bool",
    "counted": "bool",
    "because": "str?",
}
MEMORY_ENTRY: Type = {
    "id": "str",
    "path": "str",
    "line": "int",
    "text": "str",
    "tags": [TAGS],
    "date": "str?",
}

PRUNE_PREVIEW: Type = {
    "key": "str?",
    "agent": "str",
    "session_id": "str?",
    "mode": ("off", "cache-ttl", "adaptive", "aggressive"),
    "ttl_s": "int",
    "at": "time",
    "last_call_at": "time?",
    "due_at": "time?",
    "window": "int",
    "gate": "str?",
    "results": [
        {
            "index": "int",
            "tool": "str",
            "at": "time?",
            "chars_before": "int",
            "chars_after": "int",
            "action": ("keep", "trim", "clear"),
            "reason": "str",
        }
    ],
    "totals": {
        "results": "int",
        "kept": "int",
        "trimmed": "int",
        "cleared": "int",
        "chars_before": "int",
        "chars_after": "int",
        "tokens_before": "int",
        "tokens_after": "int",
        "percent_before": "float",
        "percent_after": "float",
    },
}

FINDING: Type = {
    "id": "str",
    "severity": ("info", "warning", "high", "critical"),
    "current": "scalar?",
    "recommended": "scalar?",
    "why": "str",
    "fix": "str?",
    "path": "str?",
    "key": "str?",
    "agent": "str?",
    "hint": "str?",
    "details": [{}],
}

LISTING_LEFT_OUT: Type = dict.fromkeys(
    ("cron_run", "archived", "orphan", "backup", "unreadable"), "int"
)
TRANSCRIPT_LEFT_OUT: Type = dict.fromkeys(
    ("damaged", "in_progress", "filtered", "off_path", "unknown"), "int"
)

COMMANDS: dict[str, tuple[Type, Type]] = {
    "status": (STATUS, LISTING_LEFT_OUT),
    "agents": ([AGENT], {}),
    "sessions": ([SESSION], LISTING_LEFT_OUT),
    "session": (SESSION_DETAIL, TRANSCRIPT_LEFT_OUT),
    "transcript": ([MESSAGE], TRANSCRIPT_LEFT_OUT),
    "memory pool": ([POOL], {}),
    "memory show": ([{}], {}),
    "memory add": ([OUTCOME], {}),
    "memory forget": ([OUTCOME], {}),
    "memory undo": ([OUTCOME], {}),
    "memory tidy": ([OUTCOME], {}),
    "markers": ([MARKER], {}),
    "search": ({"hits": [HIT], "index": INDEX, "coverage": "float?"}, {}),
    "get": (GET, {}),
    "health": (HEALTH, {}),
    "alerts list": ([STANDING], {}),
    "alerts test": ([{}], {}),
    "alerts mute": ([{}], {}),
    "alerts unmute": ([{}], {}),
    "logs rotate": ([{}], {}),
    "service install": (SERVICE, {}),
    "service status": (SERVICE, {}),
    "service remove": (SERVICE, {}),
    "reindex": ([OUTCOME], {}),
    "checkpoint": ([OUTCOME], {}),
    "rotate": ([OUTCOME], {"below": "int"}),
    "flush": ([OUTCOME], {}),
    "compact": ([OUTCOME], {}),
    "observe": ([OUTCOME], {}),
    "summarize": ([OUTCOME], {}),
    "recover": ([OUTCOME], {}),
    "restore": ([OUTCOME], {}),
    "reflect": ([OUTCOME], {}),
    "index-md": ([OUTCOME], {}),
    "consolidate": ([{}], {}),
    "memory promote": ([OUTCOME], {}),
    "memory decline": ([OUTCOME], {}),
    "bootstrap": (BOOTSTRAP, {}),
    "hooks status": ([HOOK], {}),
    "hooks install": ([HOOK], {}),
    "hooks remove": ([HOOK], {}),
    "runs": ([RUN], {}),
    "prune-preview": (PRUNE_PREVIEW, {}),
    "config check": ([FINDING], {}),
    "config fix": ([OUTCOME], {}),
}
"""Data and `left_out` of each command."""


def check_envelope(envelope: object) -> None:
    """Assert that an answer has the shape that the contract promises."""
    assert isinstance(envelope, dict)
    assert list(envelope) == ["schema", "command", "at", "data", "warnings", "left_out"]
    assert envelope["schema"] == 1
    data, left_out = COMMANDS[envelope["command"]]
    check(envelope["at"], "time", "at")
    check(envelope["data"], data, "data")
    check(envelope["warnings"], [WARNING], "warnings")
    check(envelope["left_out"], left_out, "left_out")


def check(value: object, wanted: Type, place: str) -> None:
    """Assert that a value has a type; `place` names it in the message."""
    match wanted:
        case dict():
            _check_object(value, wanted, place)
        case list():
            assert isinstance(value, list), f"{place} is no list: {value!r}"
            for number, one in enumerate(value):
                check(one, wanted[0], f"{place}[{number}]")
        case tuple():
            assert value in wanted, f"{place} is {value!r}, none of {wanted}"
        case str():
            _check_word(value, wanted, place)
        case _:
            raise AssertionError(f"{place}: the table has no type")


def _check_object(value: object, wanted: dict[str, Type], place: str) -> None:
    if "?" in wanted:  # may be null
        if value is not None:
            check(value, wanted["?"], place)
        return
    assert isinstance(value, dict), f"{place} is no object: {value!r}"
    if not wanted:  # free form
        return
    assert list(value) == list(wanted), f"{place} has the fields {list(value)}"
    for name, one in value.items():
        check(one, wanted[name], f"{place}.{name}")


def _check_word(value: object, word: str, place: str) -> None:
    if value is None:
        assert word.endswith("?"), f"{place} is null"
        return
    # An empty string would be an unknown that pretends to be known.
    is_empty = value == "" and word in ("str?", "scalar?")
    is_right = _IS.get(word.rstrip("?"), _is_time)(value) and not is_empty
    assert is_right, f"{place} is {value!r}, not {word}"


def _is_time(value: object) -> bool:
    return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None


_IS: dict[str, Callable[[object], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, float) and math.isfinite(value),
    "scalar": lambda value: isinstance(value, str | int | float) and value != "",
    "bool": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "map": lambda value: isinstance(value, dict),
    "detail": lambda value: isinstance(value, str | dict),
}
