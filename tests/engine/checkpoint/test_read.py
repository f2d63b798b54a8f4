"""Which session a checkpoint takes, and when it takes none."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import SkipReason
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from tests.doubles.platform import HOME, NOW, fake_agent, talk
from tests.engine.checkpoint.checkpoint_stage import (
    DAY,
    ROOT,
    TEXTS,
    Stage,
    done,
    failed,
    skipped,
)
from tests.engine.rows import row


def older(key: str | None, state: SessionState = SessionState.LIVE) -> StoredSession:
    """Return a session whose transcript is an hour old: it is not its agent's current work."""
    found = row(key, state=state)
    assert found.transcript is not None
    at = NOW - timedelta(hours=1)
    return replace(found, transcript=replace(found.transcript, modified_at=at))


class TestSkipping:
    def test_a_missing_workspace_is_never_made(self) -> None:
        stage = Stage(fake_agent(workspace_exists=False))
        outcome = skipped(stage.run(), SkipReason.WORKSPACE_MISSING)
        assert str(ROOT) in outcome.message
        assert stage.world.workspace.files == {}
        assert stage.world.locks.taken == []

    def test_a_quiet_session_keeps_what_was_saved(self) -> None:
        stage = Stage()
        stage.run()
        before = dict(stage.world.workspace.files)
        stage.later(hours=5)
        outcome = skipped(stage.run(), SkipReason.STALE)
        assert "has been quiet for 5 h 27 min" in outcome.message
        assert stage.world.workspace.files == before
        done(stage.run(is_forced=True))

    def test_four_hours_are_not_yet_too_old(self) -> None:
        stage = Stage()
        stage.later(hours=4, minutes=-27)  # the last message is 27 minutes old
        done(stage.run())
        stage.later(seconds=1)
        skipped(stage.run(), SkipReason.STALE)

    def test_a_file_from_the_future_is_not_old(self) -> None:
        stage = Stage()
        stage.world.clock.at = NOW - timedelta(days=1)
        done(stage.run())

    @pytest.mark.parametrize(("size", "is_done"), [(1023, False), (1024, True), (None, True)])
    def test_a_tiny_transcript_is_not_worth_it(self, size: int | None, is_done: bool) -> None:
        stage = Stage()
        stored = row()
        assert stored.transcript is not None
        stage.hold(replace(stored, transcript=replace(stored.transcript, size_bytes=size)))
        outcome = stage.run()
        if is_done:
            done(outcome)
        else:
            assert "holds 1023 B" in skipped(outcome, SkipReason.TOO_SMALL).message

    def test_a_size_that_nobody_counted_is_that_of_the_reading(self) -> None:
        stage = Stage()
        stored = row()
        assert stored.transcript is not None
        stage.hold(replace(stored, transcript=replace(stored.transcript, size_bytes=None)))
        entries = [replace(entry, size_bytes=100) for entry in talk(*TEXTS)]
        stage.world.sessions.transcripts["id-main"] = entries
        skipped(stage.run(), SkipReason.TOO_SMALL)

    def test_too_few_messages_say_what_was_passed_over(self) -> None:
        stage = Stage()
        stage.say("id-main", "/status", "HEARTBEAT_OK", "a real request", "an answer")
        outcome = skipped(stage.run(), SkipReason.TOO_FEW_MESSAGES)
        assert "holds 2 messages worth keeping" in outcome.message
        assert (outcome.details["read"], outcome.details["filtered"]) == (2, 2)
        assert stage.world.workspace.files == {}

    def test_no_session_at_all(self) -> None:
        stage = Stage()
        stage.world.sessions.listings.clear()
        outcome = skipped(stage.run(), SkipReason.NO_SESSION)
        assert outcome.message == "main has no session that is going on"

    def test_only_groups_and_jobs(self) -> None:
        stage = Stage()
        stage.hold(row("agent:main:telegram:group:-5"), row("agent:main:cron:daily"))
        outcome = skipped(stage.run(), SkipReason.NO_SESSION)
        assert outcome.message.endswith("only sessions of the kind cron, group")

    def test_a_session_without_a_transcript(self) -> None:
        stage = Stage()
        stage.hold(row(transcript=None, transcript_state=TranscriptState.NONE))
        outcome = skipped(stage.run(), SkipReason.NO_SESSION)
        assert outcome.message == "main has sessions, but none with a transcript yet"

    def test_a_workspace_in_use(self) -> None:
        stage = Stage()
        stage.world.locks.held_by[ROOT] = "process 12"
        outcome = skipped(stage.run(), SkipReason.LOCKED)
        assert "in use by process 12" in outcome.message
        assert stage.world.workspace.files == {}


class TestNaming:
    def test_a_named_session_is_taken(self) -> None:
        stage = Stage()
        stage.hold(row("agent:main:dashboard:old"), row())
        stage.say("id-old", "old request here", "old answer here", "old follow-up")
        outcome = done(stage.run(session_key="agent:main:dashboard:old"))
        assert outcome.session_id == "id-old"

    def test_an_older_one_is_logged_and_leaves_the_context(self) -> None:
        stage = Stage()
        stage.hold(older("agent:main:dashboard:old"), row())
        stage.say("id-old", "old request here", "old answer here", "old follow-up")
        done(stage.run())
        before = stage.text()
        stage.later(minutes=20)
        outcome = done(stage.run(session_key="agent:main:dashboard:old", is_forced=True))
        assert [one.path for one in outcome.wrote] == [DAY]
        assert stage.text() == before
        assert stage.world.captures.stored[-1].block == before
        assert "old follow-up" in (stage.text(DAY) or "")

    def test_an_older_one_alone_leaves_no_context(self) -> None:
        stage = Stage()
        stage.hold(older("agent:main:dashboard:old"), row())
        stage.say("id-old", "old request here", "old answer here", "old follow-up")
        done(stage.run(session_key="agent:main:dashboard:old"))
        assert stage.text() is None
        assert stage.world.captures.stored[-1].block == ""

    @pytest.mark.parametrize(
        "key", ["agent:main:telegram:group:-5", "agent:main:cron:daily", "agent:main:subagent:f0"]
    )
    def test_what_is_never_captured_says_so(self, key: str) -> None:
        stage = Stage()
        stage.hold(row(key), row())
        outcome = skipped(stage.run(session_key=key), SkipReason.NOT_CAPTURED)
        assert "never copied into memory" in outcome.message

    def test_an_orphan_by_its_id(self) -> None:
        stage = Stage()
        stage.hold(older(None, state=SessionState.ORPHAN), row())
        stage.say("id-orphan", "a lost request", "a lost answer", "the end of it")
        outcome = done(stage.run(session_key="id-orphan"))
        assert (outcome.session_id, outcome.details["key"]) == ("id-orphan", None)
        assert [one.path for one in outcome.wrote] == [DAY]

    def test_an_archive_has_ended(self) -> None:
        stage = Stage()
        stage.hold(row("agent:main:dashboard:x", state=SessionState.ARCHIVED), row())
        outcome = skipped(stage.run(session_key="agent:main:dashboard:x"), SkipReason.NO_SESSION)
        assert "has ended" in outcome.message

    def test_a_named_session_without_a_transcript(self) -> None:
        stage = Stage()
        stage.hold(row(transcript=None, transcript_state=TranscriptState.MISSING))
        outcome = skipped(stage.run(session_key="agent:main:main"), SkipReason.NO_SESSION)
        assert outcome.message == "agent:main:main has no transcript to read"

    def test_a_name_nobody_has(self) -> None:
        stage = Stage()
        failed(stage.run(session_key="agent:main:nope"), "unknown-session")

    def test_an_agent_nobody_has(self) -> None:
        stage = Stage()
        failed(stage.run(Checkpoint(AgentRef(HomeRef(str(HOME)), "nope"))), "unknown-agent")

    def test_an_orphan_alone_is_the_agents_work(self) -> None:
        stage = Stage()
        stage.hold(row(None, state=SessionState.ORPHAN, tokens_reported=None))
        stage.say("id-orphan", *TEXTS)
        done(stage.run())
        lines = (stage.text() or "").splitlines()
        assert lines[2:4] == [
            "> Session: id-orphan",
            "> Messages: 4 (2 user, 2 assistant) | Tokens: ? | Compactions: ?",
        ]
        assert "- Session: `id-orpha` (main)" in (stage.text(DAY) or "")
