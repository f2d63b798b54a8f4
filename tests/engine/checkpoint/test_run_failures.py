"""Checkpoints that fail, and those that are only planned."""

from __future__ import annotations

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.commands.outcomes import Planned, SkipReason
from memconsole.domain.sessions.stored import SessionState
from tests.doubles.platform import fake_agent
from tests.engine.checkpoint.checkpoint_stage import (
    CONTEXT,
    DAY,
    ROOT,
    Stage,
    done,
    failed,
    skipped,
)
from tests.engine.rows import row


class TestFailing:
    def test_a_store_that_cannot_be_read_is_no_empty_one(self) -> None:
        stage = Stage()
        broken = Notice("store-unreadable", "sessions.json is cut off")
        orphan = row(None, state=SessionState.ORPHAN)
        stage.hold(orphan, storage=Storage.UNREADABLE, notices=(broken,))
        outcome = failed(stage.run(), "store-unreadable")
        assert outcome.message == "the sessions of main cannot be read: sessions.json is cut off"
        assert "--session ID" in outcome.hint

    def test_a_store_that_is_partly_unreadable(self) -> None:
        stage = Stage()
        stage.hold(row(None, state=SessionState.ORPHAN), left_out={"unreadable": 2})
        assert failed(stage.run(), "store-unreadable").message.endswith("cannot be read")

    def test_a_transcript_that_cannot_be_read(self) -> None:
        stage = Stage()
        stage.world.sessions.broken.add("id-main")
        failed(stage.run(), "store-unreadable")
        assert stage.world.workspace.files == {}

    def test_an_edit_meanwhile_is_survived_once(self) -> None:
        stage = Stage()
        stage.world.workspace.edits[CONTEXT] = ["edited once\n"]
        outcome = done(stage.run())
        assert outcome.is_logged
        assert (stage.text() or "").startswith("# Active Context")
        assert stage.entries() == 1

    def test_two_edits_meanwhile_are_too_many(self) -> None:
        stage = Stage()
        stage.world.workspace.edits[CONTEXT] = ["edited once\n", "edited twice\n"]
        outcome = failed(stage.run(), "concurrent-edit")
        assert "changed by someone else" in outcome.message
        assert stage.text() == "edited twice\n"
        assert stage.text(DAY) is None
        assert stage.world.captures.stored == []

    def test_a_refused_context_leaves_the_log_alone(self) -> None:
        stage = Stage()
        stage.world.workspace.refused[CONTEXT] = "it is a symbolic link"
        outcome = failed(stage.run(), "workspace")
        assert outcome.message == f"{CONTEXT}: it is a symbolic link"
        assert stage.text(DAY) is None
        assert stage.world.captures.stored == []

    def test_a_refused_log_is_not_remembered_as_written(self) -> None:
        stage = Stage()
        stage.world.workspace.refused[DAY] = "no space left on device"
        failed(stage.run(), "workspace")
        assert stage.world.captures.stored == []
        stage.world.workspace.refused.clear()
        assert done(stage.run()).is_logged
        assert stage.entries() == 1

    def test_without_our_records_nothing_is_written(self) -> None:
        stage = Stage()
        stage.world.journal.is_unwritable = True
        failed(stage.run(), "state")
        assert stage.world.workspace.files == {}

    def test_without_locks_nothing_is_written(self) -> None:
        stage = Stage()
        stage.world.locks.is_unwritable = True
        failed(stage.run(), "state")
        assert stage.world.workspace.files == {}

    def test_an_entry_that_cannot_be_remembered_does_not_stay(self) -> None:
        stage = Stage()
        stage.world.captures.is_unwritable = True
        failed(stage.run(), "state")
        assert "migrate src/app.py" in (stage.text(CONTEXT) or "")
        assert stage.text(DAY) is None
        stage.world.captures.is_unwritable = False
        assert done(stage.run()).is_logged
        assert stage.entries() == 1


class TestDryRun:
    def test_it_says_what_would_be_written_and_writes_nothing(self) -> None:
        stage = Stage()
        planned = stage.run(dry_run=True)
        assert isinstance(planned, Planned)
        assert planned.message.startswith("would save 4 messages of agent:main:main: memory/ACTIVE")
        assert stage.world.workspace.files == {}
        assert stage.world.captures.stored == []
        assert stage.world.runs.stored == []
        assert stage.world.locks.taken == []
        wrote = done(stage.run()).wrote
        assert planned.wrote == wrote
        assert planned.details["read"] == 4

    def test_it_sizes_an_entry_for_an_existing_log(self) -> None:
        stage = Stage()
        stage.world.workspace.files[ROOT, DAY] = "# 2026-01-26\r\n\r\nno line end"
        planned = stage.run(dry_run=True)
        assert isinstance(planned, Planned)
        fresh = Stage().run(dry_run=True)
        assert isinstance(fresh, Planned)
        header, lines = len("# main — 2026-01-26\n\n".encode()), 6
        grown = planned.wrote[1].size_bytes - fresh.wrote[1].size_bytes
        assert grown == -header + lines + len("\r\n")

    def test_it_skips_like_the_run_itself(self) -> None:
        stage = Stage()
        stage.run()
        stored = len(stage.world.captures.stored)
        skipped(stage.run(dry_run=True), SkipReason.NOTHING_NEW)
        assert len(stage.world.captures.stored) == stored

    def test_a_refusal_is_found_beforehand(self) -> None:
        stage = Stage(fake_agent(workspace_exists=False))
        skipped(stage.run(dry_run=True), SkipReason.WORKSPACE_MISSING)
