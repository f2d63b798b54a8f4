"""What stands behind the first screen of the sample home: a transcript, memory files, markers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from memconsole.domain.memory.files import Marker
from memconsole.domain.sessions.composition import TokensByClass
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.windows import Window, WindowState
from memconsole.domain.snapshot.snapshot import (
    Contributor,
    SessionDetail,
    TranscriptView,
)
from memconsole.domain.transcripts.records import Message, MessageKind, TranscriptCounts
from tests.ui import sample

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import SessionView
    from tests.ui.fake_engine import FakeEngine

TALK = (
    ("user", "Can you look at the inventory sync again? It was slow last night."),
    (
        "assistant",
        "I looked at the last three runs. The slow one waited 41 s for a lock on items.db; the "
        "other two finished in 3 s.\n\nDECISION: we keep SQLite in WAL mode for the inventory.",
    ),
    ("user", "Good. And the digest?"),
    ("assistant", "It went out at 06:00, without the sales part. The source was empty."),
    ("user", "Here is what the shop shows."),
    ("assistant", "The picture shows yesterday's prices. I would refresh the cache first."),
)

MEMORY_MD = """# Memory

The shop runs on **two** servers. See [the plan](https://example.invalid/plan).

## Decisions

- DECISION: SQLite in WAL mode for the inventory
- GOTCHA: the digest needs the sales source before 06:00

| host | role |
|---|---|
| kaveri | shop |
| narmada | backup |

```python
print("[bold]not markup[/bold]")
```
"""


def transcript(view: SessionView) -> TranscriptView:
    """A talk with a picture, a compaction and a reset."""
    messages = [
        Message(
            MessageKind.MESSAGE,
            text,
            id=f"{number:08x}",
            at=sample.ago(minutes=60 - number * 9),
            role=role,
            attachments=("image/png, 717 KB",) if number == 4 else (),
        )
        for number, (role, text) in enumerate(TALK)
    ]
    compaction = Message(
        MessageKind.COMPACTION,
        "Summary: the inventory sync waits for a lock; the digest misses its sales part.",
        id="cccccccc",
        at=sample.ago(minutes=30),
    )
    reset = Message(
        MessageKind.RESET, "reset by the operator", id="dddddddd", at=sample.ago(days=2)
    )
    return TranscriptView(
        session=view,
        messages=(reset, *messages[:4], compaction, *messages[4:]),
        counts=TranscriptCounts(damaged=1, filtered=31),
        is_whole=False,
        notices=(),
        events=412,
    )


def detail(view: SessionView) -> SessionDetail:
    """A whole reading with a history of counts and two ended windows."""
    points = tuple(
        (sample.ago(hours=6 - step * 0.25), 62_000 + step * 3_700 - (step % 5) * 400)
        for step in range(25)
    )
    ended = tuple(
        replace(
            view,
            stored=replace(
                view.stored,
                session_id=f"{number}f00ba4e-1111-4222-8333-444455556666",
                state=SessionState.ARCHIVED,
                archive_reason=reason,
                updated_at=sample.ago(days=number),
            ),
        )
        for number, reason in ((3, "reset"), (9, "imported"))
    )
    return SessionDetail(
        view=view,
        events=412,
        by_class=TokensByClass(12_300, 34_100, 88_000, 16_800),
        contributors=(
            Contributor("tool exec", 61_000, 0.4),
            Contributor("assistant text", 34_100, 0.23),
            Contributor("tool read", 27_000, 0.18),
            Contributor("thinking", 16_800, 0.11),
            Contributor("user text", 12_300, 0.08),
        ),
        compactions=(),
        usage_points=points,
        counts=TranscriptCounts(damaged=1, filtered=31),
        related=ended,
        windows=_windows(view),
        last_capture_at=sample.ago(minutes=4),
    )


def _windows(view: SessionView) -> tuple[Window, ...]:
    """The window that goes on, one that is in memory, and one that nobody saved."""
    rest = "f00ba4e-1111-4222-8333-444455556666"
    return (
        Window(view.session_id or "?", WindowState.CURRENT, captured=("checkpoint",)),
        Window(
            f"3{rest}",
            WindowState.ENDED,
            ended_at=sample.ago(days=3),
            why="reset",
            size_bytes=127_000,
            captured=("checkpoint", "memory/2026-01-23-digest.md"),
        ),
        Window(f"9{rest}", WindowState.PARKED, ended_at=sample.ago(days=9), why="imported"),
    )


def markers() -> tuple[tuple[str, Marker], ...]:
    """A few marked lines."""
    return (
        ("main", Marker("DECISION", "MEMORY.md", 7, "DECISION: SQLite in WAL mode")),
        ("main", Marker("GOTCHA", "MEMORY.md", 8, "GOTCHA: the digest needs the sales source")),
        ("main", Marker("TODO", "memory/2026-01-20.md", 41, "TODO: order a larger disk")),
    )


def furnish(engine: FakeEngine) -> None:
    """Give an engine something to say about everything in the usual home."""
    transcripts, details = _sessions()
    engine.transcripts.update(transcripts)
    engine.details.update(details)
    for item in sample.pool("main").items:
        engine.texts[item.path] = MEMORY_MD
    engine.marked = markers()


@cache
def _sessions() -> tuple[dict[str, TranscriptView], dict[str, SessionDetail]]:
    """Transcripts and details of the usual home, by key and by id."""
    named = {
        name: view
        for view in sample.main_sessions() + sample.other_sessions()
        for name in (view.key_text, view.session_id)
        if name is not None
    }
    return (
        {name: transcript(view) for name, view in named.items()},
        {name: detail(view) for name, view in named.items()},
    )
