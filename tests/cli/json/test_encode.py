"""Domain values become the objects of the contract."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.cli.json import encode, memory
from memconsole.cli.json import outcome as encode_outcome
from memconsole.domain.agents import AgentRef, HomeRef, Notice, Origin
from memconsole.domain.commands.checkpoint import Checkpoint, Checkpointed
from memconsole.domain.commands.outcomes import Failed, Planned, Run, Skipped, SkipReason, Written
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.memory.files import MARKER_TAGS, Category, Limit, Marker, Pool, PoolItem
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source
from memconsole.domain.transcripts.records import Message, MessageKind, TranscriptCounts
from tests.cli.contract import check_data

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)
REF = AgentRef(HomeRef("/home/operator/.openclaw"), "main")


def plain(row: encode.Json) -> object:
    """Return what a reader of the JSON gets."""
    return json.loads(encode.dump({"row": row}))["row"]


def test_an_envelope_has_its_fields_in_order() -> None:
    warning = Notice("not-utf8", "notes.md is not UTF-8", "memory/notes.md")
    row = encode.envelope("sessions", NOW, [], warnings=[warning], left_out={"orphan": 2})
    assert encode.dump(row) == (
        '{"schema": 1, "command": "sessions", "at": "2026-04-12T09:00:00+00:00", "data": [], '
        '"warnings": [{"code": "not-utf8", "message": "notes.md is not UTF-8", '
        '"path": "memory/notes.md"}], "left_out": {"orphan": 2}}'
    )


def test_times_carry_their_offset_and_no_needless_fraction() -> None:
    assert encode.iso(NOW) == "2026-04-12T09:00:00+00:00"
    assert encode.iso(NOW.replace(microsecond=48_997)) == "2026-04-12T09:00:00.048+00:00"
    zone = timezone(timedelta(hours=5, minutes=45))
    assert encode.iso(NOW.astimezone(zone)) == "2026-04-12T14:45:00+05:45"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_there_is_no_nan(value: float) -> None:
    assert plain({"share": value}) == {"share": None}


def test_conversation_text_is_cleaned_and_paths_stay_as_on_disk() -> None:
    row: encode.Row = {
        "text": "red \x1b[31malert\x07\nnext",
        "path": Path("memory/odd\x07é.md"),
    }
    assert plain(row) == {"text": "red alert\nnext", "path": "memory/odd\x07é.md"}


def test_a_byte_of_a_path_that_is_not_utf8_is_written_out() -> None:
    assert plain({"path": Path("memory/caf\udce9.md")}) == {"path": "memory/caf\\xe9.md"}


def test_secrets_are_masked_unless_the_configuration_says_otherwise() -> None:
    secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrSt"
    row = {"label": f"deploy with {secret}"}
    assert secret not in encode.dump(row)
    assert secret in encode.dump(row, redact=False)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_anything_becomes_one_line_of_valid_json(value: encode.Json) -> None:
    text = encode.dump({"row": value})
    assert "\n" not in text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def test_all_eight_tags_are_there_in_their_order() -> None:
    counts = encode.markers_by_tag({"TODO": 3, "EXTRA": 1, "DECISION": 2})
    assert list(counts) == [*MARKER_TAGS, "EXTRA"]
    assert counts["TODO"] == 3
    assert counts["GOTCHA"] == 0


def test_a_pool() -> None:
    pool = Pool(
        agents=("main", "work"),
        root=Path("/home/operator/clawd"),
        exists=True,
        files=1,
        size_bytes=4096,
        tokens=1024,
        markers={"TODO": 3},
        items=(
            PoolItem("MEMORY.md", 4096, 1024, is_generated=False, is_counted=True),
            PoolItem("memory/INDEX.md", 9, 2, is_generated=True, is_counted=False, because="index"),
        ),
        by_category=(Category("🔑 Core State", 1, 4096),),
        limits=(Limit("MEMORY.md", 18_200, 20_000),),
        notices=(Notice("not-utf8", "odd bytes", "memory/a.md"),),
        active_context_at=None,
        read_at=NOW,
    )
    waiting = IndexStatus(IndexState.FRESH, chunks=9, updated_at=NOW, lacking=7)
    missing = IndexStatus(IndexState.MISSING, because="it was never built")
    indexes = {
        ("main", Source.MEMORY): waiting,
        ("main", Source.SESSIONS): missing,
        ("ops", Source.MEMORY): waiting,
    }
    row = plain(memory.pool(pool, "work", indexes))
    check_data([row], "memory pool")
    assert isinstance(row, dict)
    assert row["agent"] == "work"
    assert row["agents"] == ["main", "work"]
    assert [item["because"] for item in row["items"]] == [None, "index"]
    assert [(one["agent"], one["source"], one["waiting"]) for one in row["indexes"]] == [
        ("main", "memory", 7),
        ("main", "sessions", None),
    ]
    assert plain(memory.pool(pool, None, indexes)) == row | {"agent": "main"}


def test_a_marked_line() -> None:
    row = plain(memory.marker("main", Marker("DECISION", "memory/[/bad] notes.md", 12, "use WAL")))
    assert row == {
        "tag": "DECISION",
        "agent": "main",
        "path": "memory/[/bad] notes.md",
        "line": 12,
        "text": "use WAL",
    }


def test_a_message() -> None:
    message = Message(
        MessageKind.MESSAGE, "look", id="a1", at=NOW, role="user", attachments=("image/png, 7 KB",)
    )
    row = plain(encode.message(message))
    check_data([row], "transcript")
    assert isinstance(row, dict)
    assert row["attachments"] == ["image/png, 7 KB"]
    counts = TranscriptCounts(damaged=1, in_progress=2, filtered=3, off_path=4, unknown=5)
    assert encode.transcript_left_out(counts) == {
        "damaged": 1,
        "in_progress": 2,
        "filtered": 3,
        "off_path": 4,
        "unknown": 5,
    }


WROTE = (Written("memory/ACTIVE_CONTEXT.md", 2100),)
SAVED = Checkpointed(
    Checkpoint(REF),
    "saved 18 messages",
    session_id="ab12",
    is_logged=True,
    wrote=WROTE,
    details={"read": 18, "session_key": "agent:main:main"},
    duration_ms=31,
)


@pytest.mark.parametrize(
    ("outcome", "status", "reason", "hint", "key"),
    [
        (SAVED, "done", None, None, "agent:main:main"),
        (Planned(Checkpoint(REF, "agent:main:x"), "would"), "planned", None, None, "agent:main:x"),
        (
            Skipped(Checkpoint(REF), SkipReason.STALE, "old", hint="use --force"),
            "skipped",
            "stale",
            "use --force",
            None,
        ),
        (
            Failed(Rotate(REF, "agent:main:main"), "gateway-unavailable", "no gateway"),
            "failed",
            "gateway-unavailable",
            None,
            "agent:main:main",
        ),
    ],
    ids=["done", "planned", "skipped", "failed"],
)
def test_an_outcome(
    outcome: Checkpointed | Planned | Skipped | Failed,
    status: str,
    reason: str | None,
    hint: str | None,
    key: str | None,
) -> None:
    row = plain(encode_outcome.outcome(outcome))
    check_data([row], "checkpoint")
    assert isinstance(row, dict)
    assert (row["status"], row["reason"], row["hint"], row["key"]) == (status, reason, hint, key)
    assert row["agent"] == "main"


def test_an_outcome_names_what_it_wrote() -> None:
    row = plain(encode_outcome.outcome(SAVED))
    assert isinstance(row, dict)
    assert row["wrote"] == [{"path": "memory/ACTIVE_CONTEXT.md", "bytes": 2100, "mode": "0600"}]
    assert row["duration_ms"] == 31
    assert row["details"]["read"] == 18


def test_a_run() -> None:
    run = Run(
        id=7,
        job=None,
        command="checkpoint",
        command_line="memconsole checkpoint --agent main",
        origin=Origin.CLI,
        agent="main",
        key=None,
        started_at=NOW,
        ended_at=NOW,
        status="skipped",
        reason="stale",
        message="too old",
        duration_ms=3,
    )
    row = plain(encode_outcome.run(run))
    check_data([row], "runs")


def test_an_error() -> None:
    assert plain(encode_outcome.error("usage", "there is no agent", "")) == {
        "schema": 1,
        "error": {"code": "usage", "message": "there is no agent", "hint": None},
    }
