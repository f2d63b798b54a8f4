"""The tables of our own database, each declared once; it is long for all of them stand here.

A column that comes later says since which version; `migrations.py` brings older databases there.
Classes are named by their place: most calls read few tables, and many find them empty.
"""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memconsole.adapters.state.table import (
    BLOB,
    COUNT,
    FLAG,
    INSTANT,
    NAME,
    NUMBER,
    SHARE,
    TEXT,
    WHOLE,
    WORD,
    Column,
    Table,
    late,
    one_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from memconsole.domain.alerts import ChannelRecord, Mute, OpenAlert
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.cleanup import TakenFile
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.consolidate.note_hits import NoteHit
    from memconsole.domain.events import Event
    from memconsole.domain.flush import FlushMark, Stage
    from memconsole.domain.health import CheckStatus
    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.memory.edits import MemoryAction, ReflectionRecord
    from memconsole.domain.memory.files import PoolDay
    from memconsole.domain.memory.intents import Intent
    from memconsole.domain.model import ModelUse
    from memconsole.domain.observe.rules import Cursor
    from memconsole.domain.rotation import Rotation
    from memconsole.domain.sessions.tokens import Sample
    from memconsole.domain.sessions.windows import Branch
    from memconsole.domain.summarize.handover import Handover
    from memconsole.domain.summarize.text import SummaryRecord

    AnyTable: TypeAlias = Table[Any]

Plain: TypeAlias = dict[str, object]
"""A row that is no value of the domain."""


class Seen(NamedTuple):
    """What was worked on last: a hash of it, and when."""

    hash: str
    at: datetime


def _steps(stored: str) -> tuple[tuple[str, str], ...]:
    """Return (step, status) of what was saved before a reset."""
    parts = [one.partition(":") for one in stored.split(",")]
    return tuple((step, status) for step, colon, status in parts if colon)


def _step_words(steps: Iterable[tuple[str, str]]) -> str:
    return ",".join(f"{step}:{status}" for step, status in steps)


def _stages(stored: str) -> frozenset[Stage]:
    from memconsole.domain.flush import Stage  # noqa: PLC0415 - mostly none

    return frozenset(one for one in Stage if one.value in stored.split(","))


_CHECK_STATUS = late("memconsole.domain.health:CheckStatus")


def _bad(stored: str) -> CheckStatus:
    found: CheckStatus = _CHECK_STATUS(stored)
    if not found.is_bad:
        raise ValueError("nothing to alert about")
    return found


_AGENT_REF = "memconsole.domain.agents:AgentRef"
_IDENTITY = "memconsole.domain.rotation:Identity"
_HOME = Column(
    str, lambda home: NAME.put(str(home)), late("memconsole.domain.agents:HomeRef"), "agent.home"
)
_AGENT = NAME.of("agent.id")
_ISSUE_STATUS = Column(str, str, _bad)
_EDITS = Column(
    str,
    late("memconsole.adapters.state.memory:packed_edits"),
    late("memconsole.adapters.state.memory:unpacked_edits"),
)

_ACCOUNT = Column(
    str,
    late("memconsole.adapters.state.runs:packed_account"),
    late("memconsole.adapters.state.runs:unpacked_account"),
    is_optional=True,
    since=17,
)


def _identity(part: str) -> dict[str, Column]:
    return {
        f"{part}_id": NAME.optional.of(f"{part}.session_id"),
        f"{part}_revision": TEXT.optional.of(f"{part}.revision"),
        f"{part}_started_at": INSTANT.optional.of(f"{part}.started_at"),
        f"{part}_tokens": WHOLE.optional.of(f"{part}.tokens"),
    }


RUNS: Table[Run] = Table(
    "run",
    "memconsole.domain.commands.outcomes:Run",
    {
        "id": NUMBER,
        "job": NAME.optional,
        "command": NAME,
        "command_line": TEXT,
        "origin": one_of("memconsole.domain.agents:Origin"),
        "agent": NAME.optional,
        "key": NAME.optional,
        "started_at": INSTANT,
        "ended_at": INSTANT.optional,
        "status": WORD,
        "reason": TEXT.optional,
        "message": TEXT,
        "duration_ms": WHOLE.optional,
        "home": NAME.optional,
        "account": _ACCOUNT,
    },
    indexes=[("started_at",)],
)

SAMPLES: Table[Sample] = Table(
    "sample",
    "memconsole.domain.sessions.tokens:Sample",
    {
        "id": NUMBER.beside,
        "agent": NAME.of("agent_id"),
        "session_id": NAME,
        "at": INSTANT,
        "tokens": WHOLE,
    },
    indexes=[("session_id", "at"), ("at",)],
)

POOL_DAYS: Table[PoolDay] = Table(
    "pool_day",
    "memconsole.domain.memory.files:PoolDay",
    {
        "home": NAME.beside,
        "agent": NAME.of("agent_id"),
        "day": Column(str, date.isoformat, date.fromisoformat),
        "size_bytes": WHOLE,
        "tokens": WHOLE,
        "markers": Column(str, json.dumps, json.loads),
    },
    key=("home", "agent", "day"),
)

CAPTURES: Table[Capture] = Table(
    "capture",
    "memconsole.domain.checkpoint.rules:Capture",
    {
        "id": NUMBER.beside,
        "home": _HOME,
        "agent": _AGENT,
        "session_id": NAME,
        "session_key": NAME.optional,
        "at": INSTANT,
        "content_hash": WORD,
        "block": TEXT,
        "is_logged": FLAG,
        "day_file": NAME.optional,
        "workspace": NAME,
    },
    parts={"agent": _AGENT_REF},
    indexes=[("home", "agent", "session_id", "at")],
)

ROTATIONS: Table[Rotation] = Table(
    "rotation",
    "memconsole.domain.rotation:Rotation",
    {
        "id": NUMBER,
        "home": _HOME,
        "agent": _AGENT,
        "key": NAME,
        "state": one_of("memconsole.domain.rotation:RotationState"),
        "started_at": INSTANT,
        "ended_at": INSTANT.optional,
        "threshold": COUNT,
        **_identity("before"),
        **_identity("after"),
        "captured": Column(str, _step_words, _steps, since=9).or_else(()),
    },
    parts={"agent": _AGENT_REF, "before": _IDENTITY, "after": _IDENTITY},
    indexes=[("home", "agent", "key", "id")],
)

BRANCHES: Table[Branch] = Table(
    "branch",
    "memconsole.domain.sessions.windows:Branch",
    {
        "id": NUMBER,
        "home": _HOME,
        "agent": _AGENT,
        "key": NAME,
        "window": NAME,
        "entry": NAME,
        "state": one_of("memconsole.domain.sessions.windows:BranchState"),
        "started_at": INSTANT,
        "ended_at": INSTANT.optional,
        "made": TEXT.optional,
    },
    parts={"agent": _AGENT_REF},
    indexes=[("home", "agent", "key", "id")],
)

JOBS: Table[JobRecord] = Table(
    "job",
    "memconsole.domain.jobs.runs:JobRecord",
    {
        "id": NAME,
        "started_at": INSTANT.optional,
        "ended_at": INSTANT.optional,
        "status": TEXT.optional,
        "reason": TEXT.optional,
        "message": TEXT.or_else(""),
        "duration_ms": WHOLE.optional,
        "is_running": FLAG._replace(default=0),
        "is_paused": FLAG._replace(default=0),
        "done_at": INSTANT.optional,
        "next_at": INSTANT.optional,
        "missed": WHOLE._replace(default=0),
        "failures": WHOLE._replace(default=0),
    },
)

SUMMARIES: Table[SummaryRecord] = Table(
    "summary",
    "memconsole.domain.summarize.text:SummaryRecord",
    {
        "id": NUMBER.beside,
        "home": _HOME,
        "agent": _AGENT,
        "session_id": NAME,
        "session_key": NAME.optional,
        "at": INSTANT,
        "until": INSTANT,
        "path": NAME,
        "reason": WORD,
    },
    parts={"agent": _AGENT_REF},
    indexes=[("home", "agent", "session_id", "id")],
)

HANDOVERS: Table[Handover] = Table(
    "handover",
    "memconsole.domain.summarize.handover:Handover",
    {
        "id": NUMBER.beside,
        "home": _HOME,
        "agent": _AGENT,
        "session_key": NAME,
        "path": NAME,
        "window": NAME,
        "at": INSTANT,
        "given_at": INSTANT.optional.beside,
    },
    parts={"agent": _AGENT_REF},
    indexes=[("home", "agent", "session_key", "id")],
)

FINGERPRINTS: Table[Plain] = Table(
    "fingerprint",
    dict,
    {
        "id": NUMBER,
        "home": NAME,
        "agent": NAME,
        "session_id": NAME,
        "hash": WORD,
        "at": INSTANT,
    },
    indexes=[("home", "agent", "session_id")],
)

KNOWN_SESSIONS: Table[Plain] = Table(
    "known_session",
    dict,
    {"home": NAME, "agent": NAME, "session_id": NAME, "session_key": NAME, "at": INSTANT},
    key=("home", "agent", "session_id"),
)

OBSERVED: Table[Cursor] = Table(
    "observed",
    "memconsole.domain.observe.rules:Cursor",
    {
        "home": NAME.beside,
        "agent": NAME.beside,
        "session_id": NAME.beside,
        "message_id": NAME.optional,
        "position": WHOLE,
        "at": INSTANT.optional,
        "observed_at": INSTANT.beside,
        "is_whole": FLAG.optional,
    },
    key=("home", "agent", "session_id"),
)

OBSERVER_RUNS: Table[Seen] = Table(
    "observer_run",
    Seen,
    {"home": NAME.beside, "agent": NAME.beside, "hash": WORD, "at": INSTANT},
    key=("home", "agent"),
)

REFLECTIONS: Table[ReflectionRecord] = Table(
    "reflection",
    "memconsole.domain.memory.edits:ReflectionRecord",
    {
        "id": NUMBER,
        "workspace": NAME,
        "at": INSTANT,
        "words_before": COUNT,
        "words_after": COUNT,
        "backup": TEXT,
        "result_chars": WHOLE,
        "result_hash": WORD,
        "undone_at": INSTANT.optional.beside,
        "edits": _EDITS.or_else(())._replace(since=16),
    },
    indexes=[("workspace", "id")],
)

FLUSHES: Table[FlushMark] = Table(
    "flush",
    "memconsole.domain.flush:FlushMark",
    {
        "home": NAME.beside,
        "agent": NAME.beside,
        "session_key": NAME.beside,
        "session_id": NAME.optional.of("cycle.session_id"),
        "compactions": WHOLE.optional.of("cycle.compactions"),
        "started_at": INSTANT.optional.of("cycle.started_at"),
        "stages": Column(str, lambda stages: ",".join(sorted(stages)), _stages),
        "at": INSTANT,
    },
    parts={"cycle": "memconsole.domain.flush:Cycle"},
    key=("home", "agent", "session_key"),
)

MODEL_USES: Table[ModelUse] = Table(
    "model_use",
    "memconsole.domain.model:ModelUse",
    {"id": NUMBER.beside, "at": INSTANT, "purpose": TEXT, "model": TEXT, "tokens": WHOLE},
    indexes=[("at",)],
)

ALERTS: Table[OpenAlert] = Table(
    "alert",
    "memconsole.domain.alerts:OpenAlert",
    {
        "home": NAME.beside,
        "issue": NAME,
        "status": _ISSUE_STATUS,
        "message": TEXT,
        "hint": TEXT,
        "since": INSTANT,
        "seen_at": INSTANT,
    },
    key=("home", "issue"),
)

ALERTS_TOLD: Table[ChannelRecord] = Table(
    "alert_told",
    "memconsole.domain.alerts:ChannelRecord",
    {
        "home": NAME.beside,
        "channel": NAME.beside,
        "issue": NAME.beside,
        "status": _ISSUE_STATUS,
        "at": INSTANT,
        "since": INSTANT,
    },
    key=("home", "channel", "issue"),
)

MUTES: Table[Mute] = Table(
    "alert_mute",
    "memconsole.domain.alerts:Mute",
    {
        "home": NAME.beside,
        "issue": NAME,
        "status": _ISSUE_STATUS,
        "at": INSTANT,
        "until": INSTANT,
    },
    key=("home", "issue"),
)

ACTIONS: Table[MemoryAction] = Table(
    "memory_action",
    "memconsole.domain.memory.edits:MemoryAction",
    {
        "id": NUMBER,
        "workspace": NAME,
        "kind": one_of("memconsole.domain.memory.edits:ActionKind"),
        "at": INSTANT,
        "entries": Column(str, " ".join, lambda stored: tuple(stored.split())),
        "edits": _EDITS,
        "undone_at": INSTANT.optional.beside,
    },
    indexes=[("workspace", "id")],
)

FOUND_NOTES: Table[NoteHit] = Table(
    "found_note",
    "memconsole.domain.consolidate.note_hits:NoteHit",
    {
        "workspace": NAME.beside,
        "entry": WORD,
        "query": WORD,
        "day": Column(str, date.isoformat, date.fromisoformat),
        "path": NAME,
        "score": SHARE,
        "at": INSTANT,
    },
    key=("workspace", "entry", "query", "day"),
)

DECLINED_NOTES: Table[Plain] = Table(
    "declined_note",
    dict,
    {"workspace": NAME, "entry": WORD, "at": INSTANT},
    key=("workspace", "entry"),
)

PROPOSED: Table[Seen] = Table(
    "proposed",
    Seen,
    {"workspace": NAME.beside, "input": WORD.of("hash"), "at": INSTANT},
    key=("workspace",),
)

INTENTS: Table[Intent] = Table(
    "intent",
    "memconsole.domain.memory.intents:Intent",
    {
        "id": NUMBER.beside,
        "turn": WORD.beside,
        "workspace": WORD.beside,
        "path": WORD,
        "kind": one_of("memconsole.domain.memory.intents:IntentKind"),
        "before": BLOB.optional,
        "after": BLOB.or_else(b""),
        "start": COUNT.of("offset"),
        "mode": WHOLE.optional.of("standing.mode"),
        "folders": Column(str, json.dumps, lambda stored: tuple(json.loads(stored)))
        .of("standing.folders")
        .or_else(()),
        "temporary": WORD.or_else(""),
    },
    parts={"standing": "memconsole.domain.memory.edits:PathState"},
    indexes=[("workspace", "id"), ("turn",)],
)

_PATH = Column(bytes, os.fsencode, lambda stored: Path(os.fsdecode(stored)))
"""A file that has to be found again: its name need be no text, and is not masked."""

TAKEN: Table[TakenFile] = Table(
    "taken",
    "memconsole.domain.cleanup:TakenFile",
    {
        "id": NUMBER,
        "home": _HOME,
        "agent": _AGENT,
        "at": INSTANT,
        "path": _PATH,
        "kind": one_of("memconsole.domain.cleanup:OldKind"),
        "step": one_of("memconsole.domain.cleanup:Step"),
        "kept": WORD,
        "size_bytes": WHOLE,
        "mode": WHOLE,
        "modified_ns": WHOLE,
        "is_done": FLAG,
        "waited_s": SHARE.or_else(0.0),
        "looked_at": INSTANT.optional,
        "passed_s": SHARE.optional,
    },
    parts={"agent": _AGENT_REF},
    indexes=[("home", "agent", "id")],
)

EVENTS: Table[Event] = Table(
    "event",
    "memconsole.domain.events:Event",
    {
        "id": NUMBER,
        "home": NAME,
        "at": INSTANT,
        "since": INSTANT,
        "kind": one_of("memconsole.domain.events:EventKind"),
        "agent": NAME.optional,
        "key": NAME.optional,
        "message": TEXT,
    },
    indexes=[("home", "at")],
)

NOTED: Table[Plain] = Table(
    "noted", dict, {"home": NAME, "at": INSTANT, "value": WORD}, key=("home",)
)

LOOKS: Table[Plain] = Table(
    "look",
    dict,
    {"home": NAME, "what": WORD, "since": INSTANT, "at": INSTANT},
    key=("home", "what"),
)
"""When a home was looked at first and last: by a `reading` that is kept, or at its `health`."""

TABLES: tuple[AnyTable, ...] = (
    RUNS,
    EVENTS,
    NOTED,
    LOOKS,
    SAMPLES,
    POOL_DAYS,
    CAPTURES,
    ROTATIONS,
    BRANCHES,
    JOBS,
    SUMMARIES,
    HANDOVERS,
    FINGERPRINTS,
    KNOWN_SESSIONS,
    OBSERVED,
    OBSERVER_RUNS,
    REFLECTIONS,
    FLUSHES,
    MODEL_USES,
    ALERTS,
    ALERTS_TOLD,
    MUTES,
    ACTIONS,
    FOUND_NOTES,
    DECLINED_NOTES,
    PROPOSED,
    INTENTS,
    TAKEN,
)
