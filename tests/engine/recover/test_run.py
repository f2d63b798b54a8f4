"""Recovery over fakes: what ended uncaptured is captured once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.flush import Flush
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.recover import Recover, Recovered
from memconsole.domain.commands.summarize import Summarize
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command

AGENT = fake_agent()
LIVE = SessionState.LIVE
LOOK = Observe(AGENT.ref, session_key="agent:main:main", is_flush=True)
ROOT = AGENT.workspace
KEY = "agent:main:main"
SETTINGS = Settings(state_dir=Path("/state"), timezone="UTC")
WORDS = [f"uncaptured message number {n} about the scanner firmware" for n in range(12)]


def stored(
    session_id: str, key: str | None, state: SessionState, **changes: object
) -> StoredSession:
    ref = TranscriptRef(
        AGENT.ref, session_id, TranscriptKind.FILE, HOME / f"{session_id}.jsonl", modified_at=NOW
    )
    made = StoredSession(
        AGENT.ref,
        None if key is None else parse_key(key, owner="main"),
        session_id,
        state,
        TranscriptState.PRESENT,
        transcript=ref,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # the dataclass checks the names


class Stage:
    """One agent whose main session was reset: `old` ended, `new` goes on."""

    def __init__(self, key: str | None = KEY, **changes: object) -> None:
        self.world = World(AGENT)
        self.old = stored("old", key, SessionState.ARCHIVED, **changes)
        self.new = stored("new", KEY, SessionState.LIVE)
        self.world.sessions.hold(self.new, self.old)
        self.world.sessions.transcripts = {"old": talk(*WORDS), "new": []}

    def run(self, *, dry_run: bool = False) -> object:
        engine = Engine(self.world.ports, SETTINGS)
        return engine.run(Recover(AGENT.ref, dry_run=dry_run))

    def written(self) -> str:
        return "\n".join(self.world.workspace.files.values())


def test_words_that_ended_uncaptured_are_in_memory_afterwards() -> None:
    stage = Stage()
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    assert all(f"number {n} " in stage.written() for n in range(12))
    rows = outcome.details["sessions"]
    assert isinstance(rows, list)
    assert [row["session_id"] for row in rows if isinstance(row, dict)] == ["old"]
    assert "**Reason**: recovery" in stage.written()


def test_nothing_is_captured_twice() -> None:
    stage = Stage()
    stage.run()
    before = dict(stage.world.workspace.files)
    again = stage.run()
    assert isinstance(again, Skipped)
    assert again.reason is SkipReason.NOTHING_NEW
    assert stage.world.workspace.files == before


def test_a_transcript_that_grew_after_its_capture_is_taken_again() -> None:
    stage = Stage()
    stage.run()
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "the last word", "and its answer")
    assert isinstance(stage.run(), Recovered)
    assert "the last word" in stage.written()


def test_the_key_of_an_ended_transcript_is_known_from_when_it_lived() -> None:
    stage = Stage(key=None)
    unknown = stage.run()
    assert isinstance(unknown, Skipped)
    assert unknown.message == (
        "1 ended transcript is left out, because nobody knows whose it is: old"
    )
    assert "observe --recover ID" in unknown.hint
    assert unknown.details["nameless_ids"] == ["old"]
    assert stage.world.workspace.files == {}

    stage = Stage(key=None)
    stage.world.sessions.hold(stored("old", KEY, SessionState.LIVE))
    stage.run()
    stage.world.sessions.hold(stage.new, stage.old)
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    assert "uncaptured message number 11" in stage.written()


def test_groups_jobs_and_deleted_sessions_are_left_alone() -> None:
    for key, reason in (
        ("agent:main:telegram:group:-1", "reset"),
        ("agent:main:cron:job:run:1", "reset"),
        (KEY, "deleted"),
    ):
        stage = Stage(key=key, archive_reason=reason)
        assert isinstance(stage.run(), Skipped)
        assert stage.world.workspace.files == {}


def test_a_session_before_a_reset_in_place_is_found_inside_the_transcript() -> None:
    stage = Stage()
    ended = talk(*WORDS)
    reset = Entry(
        EntryKind.RESET,
        id="feed",
        parent_id=ended[-1].id,
        has_parent=True,
        at=NOW,
        position=90_000,
        size_bytes=100,
    )
    later = [
        replace(one, id=f"b{one.id}", parent_id=f"b{one.parent_id}" if one.parent_id else "feed")
        for one in talk("a new talk begins here", "it does", start=NOW + timedelta(minutes=1))
    ]
    stage.world.sessions.hold(stage.new)
    stage.world.sessions.transcripts["new"] = [*ended, reset, *later]
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    assert "uncaptured message number 11" in stage.written()
    assert "a new talk" not in stage.written()
    assert isinstance(stage.run(), Skipped)


def test_a_live_session_is_not_over() -> None:
    stage = Stage()
    stage.world.sessions.hold(stage.new)
    stage.world.sessions.transcripts["new"] = talk(*WORDS)
    assert isinstance(stage.run(), Skipped)
    assert stage.world.workspace.files == {}


def test_what_has_its_summary_and_went_on_is_kept_raw() -> None:
    stage = Stage()
    engine = Engine(stage.world.ports, SETTINGS)
    engine.run(Summarize(AGENT.ref, KEY, session_id="old"))
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a # late word", "- [DECISION] late")
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    log = stage.world.workspace.text(ROOT, "memory/2026-01-26.md") or ""
    assert "<!-- Session Recovery Capture: 2026-01-26 13:20 session=old -->" in log
    assert "- **user [13:02]** a # late word" in log
    assert "\\[DECISION\\]" in log


def captured_while_it_lived(stage: Stage, *commands: Command) -> None:
    """Run commands while `old` is the live main session, then have it end."""
    engine = Engine(stage.world.ports, SETTINGS)
    stage.world.sessions.hold(replace(stage.old, key=parse_key(KEY, owner="main"), state=LIVE))
    for command in commands:
        outcome = engine.run(command)
        assert not isinstance(outcome, Failed), outcome
    stage.world.sessions.hold(stage.new, stage.old)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_session_that_was_captured_to_its_end_is_left_alone(dry_run: bool) -> None:
    stage = Stage()
    captured_while_it_lived(
        stage,
        LOOK,
        Checkpoint(AGENT.ref, is_forced=True),
        Summarize(AGENT.ref, KEY),
    )
    before = dict(stage.world.workspace.files)
    outcome = stage.run(dry_run=dry_run)
    assert isinstance(outcome, Skipped), outcome
    assert outcome.message == "1 ended session of main: nothing is missing"
    assert stage.world.workspace.files == before
    assert "Recovery Capture" not in stage.written()


def test_only_what_was_said_after_the_summary_is_kept_raw() -> None:
    stage = Stage()
    captured_while_it_lived(stage, LOOK, Summarize(AGENT.ref, KEY))
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a late word", "its late answer")
    assert isinstance(stage.run(), Recovered)
    log = stage.world.workspace.text(ROOT, "memory/2026-01-26.md") or ""
    raw = log.partition("Session Recovery Capture")[2]
    assert "a late word" in raw
    assert "uncaptured message number" not in raw


def test_what_a_checkpoint_saved_after_the_summary_is_not_kept_raw() -> None:
    stage = Stage()
    captured_while_it_lived(stage, LOOK, Summarize(AGENT.ref, KEY))
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a late word", "its late answer")
    captured_while_it_lived(stage, LOOK, Checkpoint(AGENT.ref, session_key=KEY, is_forced=True))
    assert isinstance(stage.run(), Skipped)
    assert "Recovery Capture" not in stage.written()


@pytest.mark.parametrize(
    "command",
    [
        Observe(AGENT.ref),
        LOOK,
        Checkpoint(AGENT.ref, is_forced=True),
        Flush(AGENT.ref, KEY),
        Summarize(AGENT.ref, KEY),
    ],
    ids=["observe", "observe --flush", "checkpoint", "flush", "summarize"],
)
def test_every_capture_remembers_whose_session_it_was(command: Command) -> None:
    stage = Stage(key=None)
    captured_while_it_lived(stage, command)
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a late word", "its late answer")
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    assert "a late word" in stage.written()


def test_a_hook_tells_the_key_of_a_session_that_has_ended() -> None:
    stage = Stage(key=None)
    Engine(stage.world.ports, SETTINGS).run(Summarize(AGENT.ref, KEY, session_id="old"))
    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a late word", "its late answer")
    assert isinstance(stage.run(), Recovered)


def test_transcripts_of_nobody_are_counted_beside_the_sessions() -> None:
    stage = Stage()
    others = [stored(f"orphan-{n}", None, SessionState.ORPHAN) for n in range(5)]
    stage.world.sessions.hold(stage.new, stage.old, *others)
    outcome = stage.run()
    assert isinstance(outcome, Recovered), outcome
    assert outcome.message == (
        "1 ended session of main captured after the fact; 5 ended transcripts are left out, "
        "because nobody knows whose they are: orphan-0, orphan-1, orphan-2 and 2 more"
    )


def test_a_failing_workspace_is_told_and_tried_again() -> None:
    stage = Stage()
    stage.world.workspace.refused = {
        "memory/2026-01-26.md": "the disk is full",
        "memory/2026-01-26-uncaptured-message-number-scanner.md": "the disk is full",
    }
    outcome = stage.run()
    assert isinstance(outcome, Failed), outcome
    assert "the disk is full" in outcome.message
    stage.world.workspace.refused = {}
    assert isinstance(stage.run(), Recovered)


def test_a_held_lock_leaves_everything_for_the_next_run() -> None:
    stage = Stage()
    stage.world.locks.held_by[ROOT] = "another run"
    assert isinstance(stage.run(), Failed)
    del stage.world.locks.held_by[ROOT]
    assert isinstance(stage.run(), Recovered)


def test_an_unreadable_transcript_is_told_of_once_until_it_changes() -> None:
    stage = Stage()
    stage.world.sessions.broken.add("old")
    first = stage.run()
    assert isinstance(first, Skipped)
    assert [one.code for one in first.notices] == ["transcript-damaged"]
    second = stage.run()
    assert isinstance(second, Skipped)
    assert second.notices == ()


def test_the_plan_names_the_sessions_and_writes_nothing() -> None:
    stage = Stage()
    outcome = stage.run(dry_run=True)
    assert isinstance(outcome, Planned), outcome
    assert "1 ended session of main" in outcome.message
    assert (stage.world.workspace.files, stage.world.recovery.stored) == ({}, {})


def test_what_was_taken_in_by_hand_is_not_named_again_until_it_grows() -> None:
    stage = Stage(key=None)
    take_in = Observe(AGENT.ref, recover_id="old")
    Engine(stage.world.ports, SETTINGS).run(replace(take_in, dry_run=True))
    assert "nobody knows" in str(stage.run())
    Engine(stage.world.ports, SETTINGS).run(take_in)

    outcome = stage.run()
    assert isinstance(outcome, Skipped)
    assert (outcome.details["nameless_ids"], outcome.hint) == ([], "")
    assert "nobody knows" not in outcome.message

    stage.world.sessions.transcripts["old"] = talk(*WORDS, "a late word", "its late answer")
    grown = stage.run()
    assert isinstance(grown, Skipped)
    assert grown.details["nameless_ids"] == ["old"]


def test_one_session_that_ended_is_captured_alone() -> None:
    """A finding tells of one of them; what else ended is not its business."""
    stage = Stage()
    other = stored("other", "agent:main:telegram:direct:7", SessionState.ARCHIVED)
    stage.world.sessions.hold(stage.new, stage.old, other)
    stage.world.sessions.transcripts["other"] = talk("a word of somebody else")
    engine = Engine(stage.world.ports, SETTINGS)

    outcome = engine.run(Recover(AGENT.ref, "old"))

    assert isinstance(outcome, Recovered), outcome
    assert outcome.details["looked_at"] == 1
    assert "somebody else" not in stage.written()
    assert "uncaptured message" in stage.written()
    nothing = engine.run(Recover(AGENT.ref, KEY))
    assert isinstance(nothing, Skipped), nothing
    nobody = engine.run(Recover(AGENT.ref, "nobody"))
    assert isinstance(nobody, Failed), nobody
    assert "nobody" in nobody.message
