"""Domain values as the JSON objects of `docs/contract.md`: same names, same types, unknown is null.

Pure functions; `envelope` closes the object and `dump` turns it into text, every string masked and
cleaned on the way. Fields come in the order of the contract.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memconsole.cli.output import safe
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.sessions.activity import Doing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.agents import Era, Notice
    from memconsole.domain.alerts import AlertStatus, OpenAlert
    from memconsole.domain.freshness import Freshness
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.sessions.activity import Activity
    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import (
        AgentView,
        Attention,
        ConsoleSnapshot,
        SchedulerStatus,
        SessionDetail,
        SessionView,
    )
    from memconsole.domain.transcripts.records import Message, TranscriptCounts
    from memconsole.engine.health.service import HealthLook


Json: TypeAlias = "str | int | float | bool | datetime | Path | Sequence[Json] | Row | None"
"""What a row may hold; `dump` writes times as ISO-8601 and paths as on disk."""

Row: TypeAlias = "Mapping[str, Json]"

SCHEMA = 1


def envelope(
    command: str,
    at: datetime,
    data: Json,
    *,
    warnings: Iterable[Notice] = (),
    left_out: Mapping[str, int] | None = None,
) -> Row:
    """Return the object around every answer."""
    return {
        "schema": SCHEMA,
        "command": command,
        "at": at,
        "data": data,
        "warnings": [notice(one) for one in warnings],
        "left_out": dict(left_out or {}),
    }


def dump(row: Row, *, redact: bool = True) -> str:
    """Return an envelope as one line of JSON without NaN."""
    return json.dumps(plain(row, redact=redact), ensure_ascii=False, allow_nan=False)


def iso(at: datetime) -> str:
    """Return a time as ISO-8601 with offset; milliseconds only when there are some."""
    return at.isoformat(timespec="milliseconds" if at.microsecond else "seconds")


def plain(value: Json, *, redact: bool = True) -> object:
    """Return what JSON can hold of a row, masked and cleaned."""
    texts: dict[str, None] = {}
    _gather(value, texts)
    return _plain(value, safe.values(texts, redact=redact), redact)


def _gather(value: Json, texts: dict[str, None]) -> None:
    """Put the texts of a row into `texts`, names of its fields among them."""
    if isinstance(value, str):
        texts[value] = None
    elif isinstance(value, Mapping):
        texts.update(dict.fromkeys(value))
        for one in value.values():
            _gather(one, texts)
    elif isinstance(value, Sequence):
        for one in value:
            _gather(one, texts)


def _plain(value: Json, masked: Mapping[str, str], redact: bool) -> object:
    match value:
        case str():
            return masked[value]
        case datetime() | Path() | float():
            return _leaf(value, redact)
        case Mapping():
            return {masked[key]: _plain(one, masked, redact) for key, one in value.items()}
        case Sequence():
            return [_plain(one, masked, redact) for one in value]
        case _:
            return value


def _leaf(value: datetime | Path | float, redact: bool) -> object:
    match value:
        case datetime():
            return iso(value)
        case Path():
            return safe.path(str(value), redact=redact)
        case _:
            return value if math.isfinite(value) else None


def notice(one: Notice) -> Row:
    """Return a warning or problem."""
    path = None if one.path is None else Path(one.path)
    return {"code": one.code, "message": one.message, "path": path}


def status(snapshot: ConsoleSnapshot, settings: Settings) -> Row:
    """Return the first screen as one object."""
    return {
        "home": snapshot.home.path,
        "era": era(snapshot.era),
        "gateway": _gateway(snapshot.gateway, snapshot, settings),
        "scheduler": _scheduler(snapshot.scheduler),
        "attention": [attention(one) for one in snapshot.attention],
        "quiet": {
            "is_quiet": snapshot.is_quiet,
            "evidence": list(snapshot.quiet.evidence),
            "unknown": list(snapshot.quiet.unknown),
        },
        "agents": agents(snapshot),
        "alerts": [alert(one) for one in snapshot.alerts],
    }


def era(value: Era) -> Row:
    """Return where each feature of the platform keeps its data."""
    return {
        "sessions": value.sessions.value,
        "memory_index": value.memory_index.value,
        "cron": value.cron.value,
    }


def gateway_url(gateway: GatewayStatus, snapshot: ConsoleSnapshot, settings: Settings) -> str:
    """Return the address that is or would be asked: ours, else the platform's."""
    known = gateway.url or settings.gateway_url
    return known or f"ws://127.0.0.1:{snapshot.home.config.gateway_port}"


def _gateway(gateway: GatewayStatus, snapshot: ConsoleSnapshot, settings: Settings) -> Row:
    return {
        "verdict": gateway.verdict,
        "url": gateway_url(gateway, snapshot, settings),
        "version": gateway.version,
        "scopes": list(gateway.scopes),
        "reason": gateway.reason,
        "hint": gateway.hint,
        "checked_at": gateway.checked_at,
    }


def _scheduler(scheduler: SchedulerStatus) -> Row:
    return {
        "state": scheduler.state,
        "pid": scheduler.pid,
        "host": scheduler.host,
        "since": scheduler.since,
        "next_job": scheduler.next_job,
        "next_at": scheduler.next_at,
        "layers": [
            {
                "layer": one.layer.value,
                "state": one.state,
                "pid": one.pid,
                "host": one.host,
                "since": one.since,
            }
            for one in scheduler.layers
        ],
    }


def attention(finding: Attention) -> Row:
    """Return one finding."""
    return {
        "severity": finding.severity.value,
        "code": finding.code,
        "agent": finding.agent,
        "key": finding.key,
        "command": finding.command or None,
        "seen_at": finding.seen_at,
        "message": finding.message,
        "hint": finding.hint,
    }


def agents(snapshot: ConsoleSnapshot) -> list[Row]:
    """Return every agent, in the order of the roster."""
    return [_agent(view, snapshot.home.path) for view in snapshot.agents]


def _agent(view: AgentView, home: Path) -> Row:
    pool = view.pool if view.pool is not None and view.pool.is_known else None
    is_guess = bool(view.agent.workspace_doubt)
    return {
        "id": view.ref.id,
        "home": home,
        "name": view.agent.name,
        "era": era(view.agent.era),
        "workspace": None if is_guess else view.agent.workspace_shown,
        "workspace_exists": None if is_guess else view.agent.workspace_exists,
        "configured": view.agent.is_configured,
        "store": view.store.value,
        "sessions": view.sessions,
        "due": None if view.sessions is None else view.due,
        "activity": None
        if view.activity is None
        else {one.value: view.activity.get(one, 0) for one in Doing},
        "tokens_max": view.tokens_max,
        "memory_bytes": None if pool is None else pool.size_bytes,
        "memory_files": None if pool is None else pool.files,
        "markers": markers_by_tag(None if pool is None else pool.markers),
        "checkpoint_at": view.checkpoint_at,
        "problems": [notice(problem) for problem in view.problems],
    }


def markers_by_tag(counts: Mapping[str, int] | None) -> dict[str, int | None]:
    """Return all eight tags in their order, zeros included, then any others; None for unknown."""
    if counts is None:
        return dict.fromkeys(MARKER_TAGS)
    return {tag: counts.get(tag, 0) for tag in (*MARKER_TAGS, *counts)}


def session(view: SessionView) -> dict[str, Json]:
    """Return one session."""
    stored = view.stored
    return {
        "key": view.key_text,
        "agent": view.agent.id,
        "session_id": view.session_id,
        "class": view.session_class.value,
        "state": view.state.value,
        "transcript": view.transcript_state.value,
        "label": view.label,
        "tokens": view.tokens,
        "tokens_reported": view.count.reported,
        "tokens_estimated": view.count.estimated,
        "token_state": view.count.state.value,
        "window": view.window,
        "threshold": view.threshold,
        "percent_of_threshold": view.percent_of_threshold,
        "percent_of_window": view.percent_of_window,
        "compactions": stored.compactions,
        "messages": view.messages,
        "started_at": stored.started_at,
        "updated_at": stored.updated_at,
        "active": stored.is_active,
        "activity": None if view.activity is None else _activity(view.activity),
        "source": stored.source.value,
        "due": view.is_due,
        "not_due_because": view.not_due_because,
        "due_at": None if view.growth is None else view.growth.due_at,
    }


def _activity(one: Activity) -> Row:
    return {"doing": one.doing.value, "since": one.since, "heard_at": one.heard_at}


def session_detail(detail: SessionDetail) -> dict[str, Json]:
    """Return one session with what only a whole reading tells."""
    tokens = detail.by_class
    return {
        **session(detail.view),
        "events": detail.events,
        "tokens_by_class": {
            "user": tokens.user,
            "assistant": tokens.assistant,
            "tool_result": tokens.tool_result,
            "thinking": tokens.thinking,
        },
        "contributors": [
            {"name": one.name, "tokens": one.tokens, "share": round(one.share, 4)}
            for one in detail.contributors
        ],
        "fill": [
            {
                "part": one.kind.value,
                "name": None if one.loaded is None else one.loaded.name,
                "tokens": one.tokens,
                "raw_chars": None if one.loaded is None else one.loaded.raw_chars,
                "chars": None if one.loaded is None else one.loaded.chars,
                "truncated": one.loaded is not None and one.loaded.is_cut,
                "source": one.source,
                "note": one.note,
            }
            for one in detail.parts
        ],
        "fill_noted_at": detail.noted_at,
        "advice": [{"text": one.text, "command": one.command or None} for one in detail.advice],
        "next_events": dict(detail.next_events),
        "freshness": None if detail.freshness is None else _freshness(detail.freshness),
        "last_capture_at": detail.last_capture_at,
        "last_flush_at": detail.last_flush_at,
        "summary": None if detail.summary is None else detail.summary.path,
        "is_captured": detail.is_captured,
        "limits": dict(detail.limits),
    }


def windows(found: Iterable[Window]) -> list[Row]:
    """Return windows of a session, or of nobody knows which."""
    return [
        {
            "id": one.id,
            "state": one.state.value,
            "started_at": one.started_at,
            "ended_at": one.ended_at,
            "why": one.why,
            "messages": one.messages,
            "bytes": one.size_bytes,
            "captured": list(one.captured),
        }
        for one in found
    ]


def _freshness(found: Freshness) -> Row:
    because = found.stale_because
    return {
        "mode": found.policy.mode.value,
        "at_hour": found.policy.at_hour,
        "idle_minutes": found.policy.idle_minutes,
        "origin": found.policy.origin,
        "stale": found.is_stale,
        "because": None if because is None else because.value,
        "boundary_at": found.boundary_at,
        "next_boundary_at": found.next_boundary_at,
        "idle_at": found.idle_at,
        "next_reset_at": found.next_reset_at,
    }


def message(one: Message) -> Row:
    """Return one message of a transcript."""
    return {
        "id": one.id,
        "at": one.at,
        "kind": one.kind.value,
        "role": one.role,
        "text": one.text,
        "attachments": list(one.attachments),
        "on_path": one.on_path,
    }


def transcript_left_out(counts: TranscriptCounts) -> dict[str, int]:
    """Return what a reading of a transcript passed over, and why."""
    return {
        "damaged": counts.damaged,
        "in_progress": counts.in_progress,
        "filtered": counts.filtered,
        "off_path": counts.off_path,
        "unknown": counts.unknown,
    }


def health(look: HealthLook) -> Row:
    """Return a look as the object of the contract."""
    return {
        "overall": look.report.overall.value,
        "checks": look.report.rows(),
        "attention": [attention(one) for one in look.attention],
    }


def alert(one: OpenAlert) -> Row:
    """Return one alert."""
    return {
        "id": one.issue,
        "status": one.status.value,
        "message": one.message,
        "hint": one.hint or None,
        "since": one.since,
        "seen_at": one.seen_at,
    }


def alert_status(one: AlertStatus) -> Row:
    """Return one alert with who knows of it."""
    return {
        **alert(one.alert),
        "told_at": one.told_at,
        "again_at": one.again_at,
        "muted_until": one.muted_until,
    }
