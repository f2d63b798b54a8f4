"""The checkpoint command over fakes: what is written and remembered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.agents import AgentRef, HomeRef, Notice, PlatformConfig, Storage
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import Planned, SkipReason
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings.sections import CheckpointSettings
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.engine.engine import Engine
from tests.doubles.platform import HOME, NOW, fake_agent, talk
from tests.engine.checkpoint.checkpoint_stage import (
    CONTEXT,
    DAY,
    MAIN,
    ROOT,
    TEXTS,
    Stage,
    done,
    failed,
    skipped,
)
from tests.engine.rows import row


def test_what_was_saved_can_be_looked_at_again_newest_first() -> None:
    stage = Stage()
    done(stage.run())
    stage.say("id-main", *TEXTS, "ship it")
    stage.later(hours=1)
    done(stage.run())

    newest, oldest = Engine(stage.world.ports, stage.settings).memory.checkpoints("MAIN")

    assert newest.block == stage.text()
    assert "ship it" in newest.block
    assert "ship it" not in oldest.block


class TestSaving:
    def test_the_first_checkpoint_writes_both_files(self) -> None:
        stage = Stage()
        outcome = done(stage.run())
        assert stage.text() == (
            "# Active Context — main\n"
            "> Updated: 2026-01-26T13:20:00+00:00 by memconsole checkpoint\n"
            "> Session: id-main (agent:main:main)\n"
            "> Messages: 4 (2 user, 2 assistant) | Tokens: 1000 | Compactions: ?\n"
            "\n"
            "## Recent Requests\n"
            "- **[12:50]** please migrate src/app.py\n"
            "- **[12:52]** and the docs too\n"
            "\n"
            "## Recent Work\n"
            "- **[12:51]** migrated, tests pass\n"
            "- **[12:53]** the docs are updated\n"
            "\n"
            "## Files Referenced\n"
            "- `src/app.py`\n"
        )
        assert stage.text(DAY) == (
            "# main — 2026-01-26\n"
            "\n"
            "### Checkpoint 13:20 (auto)\n"
            "\n"
            "- Session: `id-main` (main) — 4 messages (2 user, 2 assistant)\n"
            "- Last request: and the docs too\n"
            "- Last output: the docs are updated\n"
            "\n"
        )
        assert (outcome.session_id, outcome.is_logged) == ("id-main", True)
        assert [one.path for one in outcome.wrote] == [CONTEXT, DAY]
        assert outcome.wrote[0].size_bytes == len((stage.text() or "").encode())
        assert outcome.details == {
            "session_id": "id-main",
            "key": "agent:main:main",
            "read": 4,
            "damaged": 0,
            "in_progress": 0,
            "filtered": 0,
            "unknown": 0,
            "secrets_masked": 0,
        }
        assert outcome.message.startswith("saved 4 messages of agent:main:main: memory/ACTIVE")

    def test_what_was_saved_is_remembered_afterwards(self) -> None:
        stage = Stage()
        stage.run()
        [capture] = stage.world.captures.stored
        assert (capture.agent, capture.session_id, capture.at) == (MAIN, "id-main", NOW)
        assert (capture.is_logged, capture.day_file) == (True, DAY)
        assert capture.block == stage.text()
        assert capture.workspace == str(ROOT)

    def test_secrets_stay_out_of_files_and_records(self) -> None:
        stage = Stage()
        stage.say("id-main", *TEXTS, "use password=hunter2secret please", "I will")
        outcome = done(stage.run())
        assert outcome.details["secrets_masked"] == 1
        assert [notice.code for notice in outcome.notices] == ["secrets-masked"]
        held = f"{stage.text()}{stage.text(DAY)}{stage.world.captures.stored}{outcome}"
        assert "hunter2" not in held
        assert "password=[redacted:password] please" in held

    def test_redaction_can_be_switched_off(self) -> None:
        stage = Stage()
        stage.settings = replace(stage.settings, redact=False)
        stage.say("id-main", *TEXTS, "use password=hunter2secret please", "I will")
        assert done(stage.run()).details["secrets_masked"] == 0
        assert "hunter2secret" in (stage.text() or "")

    def test_damage_is_said(self) -> None:
        stage = Stage()
        entries = talk(*TEXTS)
        entries.insert(2, Entry(EntryKind.DAMAGED, position=1500, size_bytes=10))
        entries.append(Entry(EntryKind.IN_PROGRESS, position=9000, size_bytes=10))
        stage.world.sessions.transcripts["id-main"] = entries
        outcome = done(stage.run())
        assert (
            "1 damaged line was left out; the last line is still being written" in outcome.message
        )
        assert {notice.code for notice in outcome.notices} == {
            "transcript-damaged",
            "transcript-in-progress",
        }
        assert (outcome.details["damaged"], outcome.details["in_progress"]) == (1, 1)

    def test_the_platforms_zone_counts_without_our_own(self) -> None:
        stage = Stage(config=PlatformConfig(user_timezone="Asia/Tokyo"))
        stage.settings = replace(stage.settings, timezone=None)
        stage.world.clock.at = NOW.replace(hour=16)
        stage.run(is_forced=True)
        assert "### Checkpoint 01:20 (auto)" in (stage.text("memory/2026-01-27.md") or "")

    def test_a_zone_nobody_knows_is_passed_over(self) -> None:
        stage = Stage(config=PlatformConfig(user_timezone="Asia/Tokyo"))
        stage.settings = replace(stage.settings, timezone="Middle/Earth")
        [notice] = done(stage.run()).notices
        assert "22:20:00+09:00" in (stage.text() or "")
        assert "Middle/Earth" in notice.message

    def test_the_day_is_that_of_the_writing(self) -> None:
        """Reading may take long: a clock that moves while the transcript is read counts."""
        stage = Stage()
        stage.world.clock.at = NOW.replace(hour=23, minute=59, second=59)
        read = stage.world.sessions.backward

        def slow(*arguments: object, **values: object) -> object:
            stage.later(seconds=2)
            return read(*arguments, **values)  # type: ignore[arg-type]

        stage.world.sessions.backward = slow  # type: ignore[assignment,method-assign]
        done(stage.run(is_forced=True))
        assert stage.entries("memory/2026-01-27.md") == 1
        assert stage.text(DAY) is None

    def test_an_agent_has_its_own_limits(self) -> None:
        stage = Stage()
        own = replace(stage.settings, checkpoint=CheckpointSettings(min_messages=9))
        stage.settings = replace(stage.settings, agents={"main": own})
        skipped(stage.run(), SkipReason.TOO_FEW_MESSAGES)


class TestNothingNew:
    @pytest.mark.parametrize("minutes", [1, 20, 600])
    def test_no_news_change_no_file(self, minutes: float) -> None:
        stage = Stage()
        stage.settings = replace(
            stage.settings, checkpoint=CheckpointSettings(stale_after=timedelta(days=9))
        )
        stage.run()
        before = dict(stage.world.workspace.files)
        stage.later(minutes=minutes)
        outcome = skipped(stage.run(), SkipReason.NOTHING_NEW)
        assert "nothing new in agent:main:main since the checkpoint of 13:20" in outcome.message
        assert stage.world.workspace.files == before
        assert len(stage.world.workspace.writes) == 2

    def test_the_look_is_remembered(self) -> None:
        stage = Stage()
        stage.run()
        stage.later(minutes=20)
        stage.run()
        first, look = stage.world.captures.stored
        assert (look.at, look.is_logged) == (NOW + timedelta(minutes=20), False)
        assert (look.block, look.content_hash) == (first.block, first.content_hash)

    def test_heartbeats_are_no_news(self) -> None:
        stage = Stage()
        stage.run()
        stage.later(minutes=30)
        stage.say("id-main", *TEXTS, "Read HEARTBEAT.md if it exists.", "HEARTBEAT_OK")
        skipped(stage.run(), SkipReason.NOTHING_NEW)
        assert stage.entries() == 1

    def test_a_context_that_is_gone_comes_back_without_a_second_entry(self) -> None:
        stage = Stage()
        stage.run()
        del stage.world.workspace.files[ROOT, CONTEXT]
        stage.later(minutes=20)
        outcome = done(stage.run())
        assert [one.path for one in outcome.wrote] == [CONTEXT]
        assert "; the daily log has this already" in outcome.message
        assert stage.entries() == 1

    def test_what_a_person_wrote_stays_while_there_is_nothing_new(self) -> None:
        stage = Stage()
        stage.run()
        stage.world.workspace.files[ROOT, CONTEXT] = "my own notes\n"
        skipped(stage.run(), SkipReason.NOTHING_NEW)
        assert stage.text() == "my own notes\n"

    def test_news_inside_the_window_change_the_context_alone(self) -> None:
        stage = Stage()
        stage.run()
        stage.later(minutes=5)
        stage.say("id-main", *TEXTS, "one more thing", "done as well")
        outcome = done(stage.run())
        assert not outcome.is_logged
        assert [one.path for one in outcome.wrote] == [CONTEXT]
        assert "; no daily entry before 13:35" in outcome.message
        assert "one more thing" in (stage.text() or "")
        assert stage.entries() == 1

        stage.later(minutes=5)
        waits = skipped(stage.run(), SkipReason.NOTHING_NEW)
        assert "no daily entry before 13:35" in waits.message

        stage.later(minutes=5)
        outcome = done(stage.run())
        assert [one.path for one in outcome.wrote] == [DAY]
        assert stage.entries() == 2

        stage.later(minutes=20)
        skipped(stage.run(), SkipReason.NOTHING_NEW)
        assert stage.entries() == 2

    def test_force_writes_again(self) -> None:
        stage = Stage()
        stage.run()
        stage.later(minutes=1)
        outcome = done(stage.run(is_forced=True))
        assert [one.path for one in outcome.wrote] == [CONTEXT, DAY]
        assert stage.entries() == 2

    def test_another_workspace_starts_anew(self) -> None:
        stage = Stage()
        stage.run()
        moved = Path("/elsewhere/workspace")
        stage.world.platform.agents = (fake_agent(workspace=moved),)
        done(stage.run())
        assert stage.entries(DAY, moved) == 1


def test_a_run_is_logged_with_its_reason() -> None:
    stage = Stage()
    stage.run()
    stage.run()
    first, second = stage.world.runs.stored
    assert (first.status, first.reason, first.agent) == ("done", None, "main")
    assert (second.status, second.reason) == ("skipped", "nothing-new")


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


class TestSharedWorkspace:
    """Several agents in one folder."""

    SHARED = HOME / "shared"

    def stage(self) -> Stage:
        agents = (
            fake_agent("main", workspace=self.SHARED),
            fake_agent("work", workspace=self.SHARED),
            fake_agent("alone"),
        )
        stage = Stage(*agents)
        for agent_id in ("work", "alone"):
            stage.hold(row(f"agent:{agent_id}:dashboard:{agent_id}", 77))
            stage.say(f"id-{agent_id}", *(f"{agent_id}: {text}" for text in TEXTS))
        return stage

    def test_the_context_shows_all_agents_that_were_saved(self) -> None:
        stage = self.stage()
        done(stage.run())
        assert (stage.text(root=self.SHARED) or "").startswith(
            "# Active Context\n\n## Agent main\n> Updated: "
        )
        stage.later(minutes=1)
        done(stage.run(Checkpoint(AgentRef(HomeRef(str(HOME)), "work"))))
        text = stage.text(root=self.SHARED) or ""
        headings = [line for line in text.splitlines() if line.startswith("#")]
        assert headings == [
            "# Active Context",
            "## Agent main",
            "### Recent Requests",
            "### Recent Work",
            "### Files Referenced",
            "## Agent work",
            "### Recent Requests",
            "### Recent Work",
            "### Files Referenced",
        ]
        assert "please migrate src/app.py" in text
        assert "work: and the docs too" in text

    def test_every_daily_entry_names_its_agent(self) -> None:
        stage = self.stage()
        stage.run()
        stage.run(Checkpoint(AgentRef(HomeRef(str(HOME)), "work")))
        day = stage.text(DAY, self.SHARED) or ""
        assert day.startswith("# main — 2026-01-26\n\n### Checkpoint 13:20 (auto)")
        assert "- Session: `id-main` (main) — " in day
        assert "- Session: `id-work` (work) — " in day

    def test_news_of_one_agent_leave_the_others_block(self) -> None:
        stage = self.stage()
        work = Checkpoint(AgentRef(HomeRef(str(HOME)), "work"))
        stage.run()
        stage.run(work)
        stage.later(minutes=30)
        stage.say("id-work", "a wholly new request", "a wholly new answer", "and one more")
        done(stage.run(work))
        text = stage.text(root=self.SHARED) or ""
        assert text.count("> Updated: 2026-01-26T13:20") == 1
        assert text.count("> Updated: 2026-01-26T13:50") == 1
        assert text.index("## Agent main") < text.index("## Agent work")

    def test_one_agent_alone_has_the_plain_shape(self) -> None:
        stage = self.stage()
        done(stage.run(Checkpoint(AgentRef(HomeRef(str(HOME)), "alone"))))
        text = stage.text(root=HOME / "workspace-alone") or ""
        assert text.startswith("# Active Context — alone\n")

    def test_a_block_from_another_workspace_is_not_shown(self) -> None:
        stage = self.stage()
        elsewhere = fake_agent("work", workspace=HOME / "other")
        stage.world.platform.agents = (stage.world.platform.agents[0], elsewhere)
        stage.run(Checkpoint(AgentRef(HomeRef(str(HOME)), "work")))
        shared = fake_agent("work", workspace=self.SHARED)
        stage.world.platform.agents = (stage.world.platform.agents[0], shared)
        done(stage.run())
        assert "## Agent work" not in (stage.text(root=self.SHARED) or "")
