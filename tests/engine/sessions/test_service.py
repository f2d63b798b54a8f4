"""One session in full: messages, contributors, what belongs to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.sessions.composition import TokensByClass
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind, MessageKind, ToolUse
from memconsole.engine.sessions.service import find_session, session_detail, transcript_view
from memconsole.errors import StoreError
from tests.doubles.bundle import World, reader_of, snapshots_of
from tests.doubles.platform import HOME, NOW, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView, TranscriptView

KEY = "agent:main:main"


class Case:
    """A world with some sessions, and the first one's view."""

    def __init__(self, *sessions: StoredSession, entries: list[Entry]) -> None:
        self.world = World()
        self.world.sessions.hold(*(sessions or (row(KEY),)))
        self.world.sessions.transcripts["id-main"] = entries
        self.settings = Settings(state_dir=HOME / "state")
        self.snapshot = snapshots_of(self.world, reader_of(self.world, self.settings)).take()

    @property
    def view(self) -> SessionView:
        return find_session(self.snapshot.sessions, KEY)

    def detail(self) -> SessionDetail:
        world = self.world
        return session_detail(
            self.view,
            self.snapshot,
            self.settings,
            sessions=world.sessions,
            captures=world.captures,
            summaries=world.summaries,
            recovery=world.recovery,
            flushes=world.flushes,
        )

    def transcript(self, *, tail: int | None = None, everything: bool = False) -> TranscriptView:
        return transcript_view(self.world.sessions, self.view, tail=tail, everything=everything)


WORDS = ("find a plumber", "Booked Ms. Weber", "thank you so much", "you are welcome")


def test_messages_come_oldest_first_and_a_tail_is_the_end() -> None:
    case = Case(entries=talk(*WORDS))

    assert [message.text for message in case.transcript().messages] == list(WORDS)
    assert [message.text for message in case.transcript(tail=1).messages] == [WORDS[3]]
    assert case.transcript(tail=0).messages == ()
    assert (case.transcript(tail=9).is_whole, case.transcript().is_whole) == (False, True)


def test_what_is_off_the_path_comes_only_on_demand() -> None:
    entries = talk(*WORDS)
    entries[3] = replace(entries[3], parent_id=entries[1].id)
    case = Case(entries=entries)

    assert [message.text for message in case.transcript().messages] == [*WORDS[:2], WORDS[3]]
    assert case.transcript().counts.off_path == 1
    everything = case.transcript(everything=True).messages
    assert [(message.text, message.on_path) for message in everything] == [
        (WORDS[0], True),
        (WORDS[1], True),
        (WORDS[2], False),
        (WORDS[3], True),
    ]


def test_damage_and_a_line_in_progress_are_said() -> None:
    entries = [
        *talk(*WORDS),
        Entry(EntryKind.DAMAGED, position=5),
        Entry(EntryKind.IN_PROGRESS, position=6),
    ]

    view = Case(entries=entries).transcript()

    assert [(notice.code, notice.message) for notice in view.notices] == [
        ("transcript-damaged", f"1 damaged line in the transcript of {KEY}"),
        (
            "transcript-in-progress",
            f"the last line of {KEY} is being written; it is read once it is complete",
        ),
    ]


def test_a_gap_in_the_chain_is_a_finding() -> None:
    entries = talk(*WORDS)
    entries[2] = replace(entries[2], parent_id=None, has_parent=False)

    view = Case(entries=entries).transcript()

    assert len(view.messages) == 4
    assert "without parentId" in view.notices[0].message


def test_a_session_that_never_ran_has_no_messages() -> None:
    case = Case(row(KEY, None, transcript=None, transcript_state=TranscriptState.NONE), entries=[])

    assert case.transcript().messages == ()
    assert case.detail().view.messages == 0


def test_a_missing_transcript_is_no_empty_one() -> None:
    case = Case(row(KEY, transcript=None, transcript_state=TranscriptState.MISSING), entries=[])

    assert [notice.code for notice in case.detail().notices] == ["missing-transcript"]
    assert case.detail().view.messages is None


def test_the_context_is_weighed_by_who_filled_it() -> None:
    entries = talk("a" * 400, "b" * 200)
    entries.append(
        Entry(
            EntryKind.MESSAGE,
            id="t1",
            parent_id=entries[1].id,
            has_parent=True,
            role="toolResult",
            tools=(ToolUse("read", 401, is_result=True),),
            position=9,
        )
    )

    detail = Case(entries=entries).detail()

    assert detail.by_class == TokensByClass(user=100, assistant=50, tool_result=101)
    assert [(one.name, one.tokens, one.share) for one in detail.contributors] == [
        ("tool read", 101, 0.401),
        ("user text", 100, 0.4),
        ("assistant text", 50, 0.2),
    ]
    assert (detail.events, detail.view.messages) == (3, 2)


def test_compactions_are_rows_of_their_own() -> None:
    entries = talk(*WORDS)
    entries.append(
        Entry(
            EntryKind.COMPACTION,
            id="c1",
            parent_id=entries[3].id,
            has_parent=True,
            at=NOW,
            compaction=Compaction("## Decisions\nPostgreSQL", 187_205),
            position=9,
        )
    )

    detail = Case(entries=entries).detail()

    [compaction] = detail.compactions
    assert (compaction.kind, compaction.text) == (
        MessageKind.COMPACTION,
        "## Decisions\nPostgreSQL",
    )
    assert detail.view.messages == 4


def test_related_sessions_share_the_key_or_were_spawned_by_it() -> None:
    case = Case(
        row(KEY),
        row(KEY, session_id="older", state=SessionState.ARCHIVED),
        row("agent:main:subagent:s1", parent_key=KEY),
        row("agent:main:other"),
        entries=talk(*WORDS),
    )

    assert {view.session_id for view in case.detail().related} == {"older", "id-s1"}


def test_the_last_capture_of_this_session_is_shown() -> None:
    case = Case(entries=talk(*WORDS))
    case.world.captures.add(
        Capture(
            row(KEY).agent,
            "id-main",
            KEY,
            NOW,
            "h",
            "b",
            is_logged=True,
            day_file="memory/2026-01-26.md",
            workspace="w",
        )
    )

    assert case.detail().last_capture_at == NOW


def test_a_transcript_that_cannot_be_read_is_an_error() -> None:
    case = Case(entries=[])
    case.world.sessions.broken.add("id-main")

    with pytest.raises(StoreError, match="cannot be read"):
        case.detail()
