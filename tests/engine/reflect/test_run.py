"""Reflection over fakes: what is written in which order, undo, and what stops it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from memconsole.adapters.workspace.pool_text import facts_of
from memconsole.domain.commands.outcomes import Failed, Planned, SkipReason
from memconsole.domain.commands.reflect import Reflect, Reflected
from memconsole.domain.memory.observation_log import add, parse
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ReflectorSettings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import fake_agent
from tests.engine.checkpoint.checkpoint_stage import skipped

AGENT = fake_agent()
ROOT = AGENT.workspace
FILE = "memory/observations.md"
BACKUPS = "memory/observation-backups"
ARCHIVE = "memory/archive/observations/2026-01-26.md"
TODAY = date(2026, 1, 26)
RULES = ReflectorSettings(word_threshold=30)


def line(text: str, ago: int, priority: Priority = Priority.LOW) -> Observation:
    return Observation(priority, text, TODAY - timedelta(days=ago), "14:05")


OLD = add(
    ObservationLog(),
    [
        line("Two keys for every deployment", 40, Priority.HIGH),
        *(line(f"Unimportant remark about {word * 5}", 30) for word in "abcdefghijkl"),
        line("The host moved to the second rack", 1, Priority.MEDIUM),
    ],
).text


class Stage:
    """One agent with a file that is over its budget."""

    def __init__(self, text: str = OLD, rules: ReflectorSettings = RULES) -> None:
        self.world = World(AGENT)
        self.world.workspace.files[ROOT, FILE] = text
        self.settings = Settings(state_dir=Path("/state"), timezone="UTC", reflector=rules)

    def run(self, **changes: object) -> object:
        command = replace(Reflect(AGENT.ref), **changes)  # type: ignore[arg-type]
        return Engine(self.world.ports, self.settings).run(command)

    def text(self, path: str = FILE) -> str:
        return self.world.workspace.text(ROOT, path) or ""

    def backups(self) -> tuple[str, ...]:
        return self.world.folders.names(ROOT, BACKUPS)


def test_what_goes_is_archived_and_the_whole_file_is_backed_up_first() -> None:
    stage = Stage()
    outcome = stage.run()
    assert isinstance(outcome, Reflected), outcome
    kept = [one.text for one in parse(stage.text()).observations]
    assert kept == ["Two keys for every deployment", "The host moved to the second rack"]
    assert "Last reflection: 2026-01-26 13:20" in stage.text()
    assert stage.backups() == ("observations-20260126-132000.md",)
    assert stage.text(f"{BACKUPS}/observations-20260126-132000.md") == OLD
    archived = stage.text(ARCHIVE)
    assert archived.startswith("# Archived Observations — 2026-01-26\n\n")
    assert all(f"remark about {word * 5}" in archived for word in "abcdefghijkl")
    assert "mc:day=2025-12-27 mc:because=least-value" in archived
    order = stage.world.workspace.writes
    assert order == [f"{BACKUPS}/observations-20260126-132000.md", ARCHIVE, FILE]
    assert outcome.details["removed"] == {"least-value": 12}


@pytest.mark.parametrize("failing", [f"{BACKUPS}/observations-20260126-132000.md", ARCHIVE, FILE])
def test_without_backup_or_archive_nothing_is_replaced(failing: str) -> None:
    stage = Stage()
    stage.world.workspace.refused[failing] = "the disk is full"
    outcome = stage.run()
    assert isinstance(outcome, Failed)
    assert "the disk is full" in outcome.message
    assert stage.text() == OLD
    stage.world.workspace.refused.clear()
    assert isinstance(stage.run(), Reflected)


def test_nothing_is_written_when_it_could_not_be_remembered() -> None:
    stage = Stage()
    before = dict(stage.world.workspace.files)
    stage.world.reflections.is_unwritable = True
    assert isinstance(stage.run(), Failed)
    assert stage.world.workspace.files == before


def test_lines_that_arrive_meanwhile_are_merged() -> None:
    stage = Stage(rules=ReflectorSettings(word_threshold=40))
    arrived = "- 🟡 13:19 Something that was said just now\n"
    stage.world.workspace.edits[FILE] = [OLD + arrived]
    assert isinstance(stage.run(), Reflected)
    assert "Something that was said just now" in stage.text()
    assert "Unimportant" not in stage.text()


def test_a_cheap_look_agrees_with_the_run() -> None:
    stage = Stage()
    engine = Engine(stage.world.ports, stage.settings)
    assert engine.due.reflections() == (Reflect(AGENT.ref),)
    assert stage.world.workspace.writes == []
    assert isinstance(stage.run(), Reflected)
    assert engine.due.reflections() == ()

    stage.world.workspace.unreadable[FILE] = "a folder is in its place"
    assert engine.due.reflections() == (Reflect(AGENT.ref),)
    assert isinstance(stage.run(), Failed)

    for text in ("", "# Observations\n"):
        assert Engine(Stage(text).world.ports, stage.settings).due.reflections() == ()


def test_it_waits_for_its_budget_and_its_interval() -> None:
    stage = Stage(rules=ReflectorSettings())
    message = skipped(stage.run(), SkipReason.NOT_DUE).message
    assert "of 3750 words" in message
    skipped(stage.run(is_forced=True), SkipReason.NOTHING_NEW)

    stage = Stage()
    stage.run()
    stage.world.workspace.files[ROOT, FILE] = OLD
    skipped(stage.run(), SkipReason.TOO_SOON)
    stage.world.clock.advance(timedelta(hours=7))
    assert isinstance(stage.run(), Reflected)


def test_languages_without_blanks_are_due_by_tokens() -> None:
    rules = ReflectorSettings(word_threshold=100)

    def log(text: str) -> str:
        return add(ObservationLog(), [line(text.format(n), 30) for n in range(9)]).text

    assert isinstance(Stage(log("{}" + "记" * 60), rules).run(), Reflected)
    skipped(Stage(log("remark {}"), rules).run(), SkipReason.NOT_DUE)


def test_japanese_is_due_at_the_budget_and_counted_alike_everywhere() -> None:
    """300 lines of 55 characters: well over the tokens of 3,750 words."""
    said = "ゲートウェイの設定を夜間に変更したので、" + "朝の点検で三号機の応答を確かめる。" * 2
    lines = [line(f"{said}{n}", 30) for n in range(300)]
    text = add(ObservationLog(), lines).text
    stage = Stage(text, ReflectorSettings())
    plan = stage.run(dry_run=True)
    assert isinstance(plan, Planned), plan
    in_the_pool = facts_of(text.encode()).tokens
    assert plan.details["tokens_before"] == in_the_pool > 300 * len(said)

    few = Stage(add(ObservationLog(), lines[:70]).text, ReflectorSettings())
    details = skipped(few.run(), SkipReason.NOT_DUE).details
    assert (details["token_threshold"], details["threshold"]) == (5_000, 3_750)


def test_a_second_time_finds_nothing_that_could_go() -> None:
    stage = Stage()
    stage.run()
    before = stage.text()
    skipped(stage.run(is_forced=True), SkipReason.NOTHING_NEW)
    assert stage.text() == before


def test_lines_of_one_topic_are_put_together_although_nothing_goes() -> None:
    lines = [line(f"The rack {n} of Zanzibar goes to hall {n + 40}", 1) for n in range(3)]
    medium = [replace(one, priority=Priority.MEDIUM) for one in lines]
    stage = Stage(add(ObservationLog(), medium).text, ReflectorSettings())
    assert isinstance(stage.run(is_forced=True), Reflected)
    assert [one.is_child for one in parse(stage.text()).observations] == [False, True, True]
    before = stage.text()
    skipped(stage.run(is_forced=True), SkipReason.NOTHING_NEW)
    assert stage.text() == before


def test_the_plan_shows_the_difference_and_writes_nothing() -> None:
    stage = Stage()
    outcome = stage.run(dry_run=True)
    assert isinstance(outcome, Planned), outcome
    diff = outcome.details["diff"]
    assert isinstance(diff, list)
    assert len(diff) == 12
    assert str(diff[0]).startswith("- 🟢 14:05 Unimportant remark")
    assert stage.world.workspace.writes == []


class TestCandidate:
    GOOD = OLD.replace("- 🟢 14:05 Unimportant remark about aaaaa", "- 🟢 14:05 aaaaa")

    def test_a_text_from_elsewhere_takes_the_place(self) -> None:
        stage = Stage()
        outcome = stage.run(candidate=self.GOOD, candidate_name="new.md")
        assert isinstance(outcome, Reflected), outcome
        assert "- 🟢 14:05 aaaaa" in stage.text()
        assert "remark about aaaaa" in stage.text(ARCHIVE)
        assert "mc:because=replaced" in stage.text(ARCHIVE)

    def test_one_that_loses_something_is_rejected_byte_for_byte(self) -> None:
        stage = Stage()
        outcome = stage.run(candidate=OLD.replace("Two keys", "One key"))
        assert isinstance(outcome, Failed)
        assert (outcome.code, stage.text(), stage.backups()) == ("rejected", OLD, ())

    def test_secrets_in_it_are_masked(self) -> None:
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        stage = Stage()
        stage.run(candidate=OLD.replace("remark about aaaaa", secret), is_forced=True)
        assert secret not in "".join(stage.world.workspace.files.values())


class TestUndo:
    def test_the_file_is_put_back_with_what_was_added_since(self) -> None:
        stage = Stage()
        stage.run()
        added = "\nDate: 2026-01-27\n- 🟡 09:00 Said after the reflection\n"
        stage.world.workspace.files[ROOT, FILE] += added
        outcome = stage.run(is_undo=True)
        assert isinstance(outcome, Reflected), outcome
        assert stage.text() == OLD + added
        skipped(stage.run(is_undo=True), SkipReason.NOTHING_NEW)

    def test_a_file_that_was_rewritten_since_is_kept_as_a_backup(self) -> None:
        stage = Stage()
        stage.run()
        mine = stage.text().replace("second rack", "third rack")
        stage.world.workspace.files[ROOT, FILE] = mine
        outcome = stage.run(is_undo=True)
        assert isinstance(outcome, Reflected), outcome
        assert stage.text() == OLD
        assert mine in [stage.text(f"{BACKUPS}/{name}") for name in stage.backups()]
        assert "what the file held since is in" in outcome.message

    def test_a_backup_that_is_gone_is_said(self) -> None:
        stage = Stage()
        stage.run()
        for name in stage.backups():
            stage.world.folders.remove(ROOT, f"{BACKUPS}/{name}")
        before = stage.text()
        outcome = stage.run(is_undo=True)
        assert isinstance(outcome, Failed)
        assert (outcome.code, stage.text()) == ("backup-missing", before)


def test_ten_backups_are_kept_and_nothing_that_is_not_ours_goes() -> None:
    stage = Stage()
    stage.world.workspace.files[ROOT, f"{BACKUPS}/mine.md"] = "a note"
    for _ in range(13):
        stage.world.workspace.files[ROOT, FILE] = OLD
        assert isinstance(stage.run(is_forced=True), Reflected)
        stage.world.clock.advance(timedelta(minutes=1))
    mine, *names = stage.backups()
    assert mine == "mine.md"
    assert (len(names), names[0]) == (10, "observations-20260126-132300.md")


@pytest.mark.parametrize("text", ["", "# Observations Log\n\nnothing yet\n"])
def test_a_file_without_observations_is_left_alone(text: str) -> None:
    stage = Stage(text)
    skipped(stage.run(is_forced=True), SkipReason.NOTHING_NEW)
    assert stage.text() == text


def test_a_held_lock_is_a_skip() -> None:
    stage = Stage()
    stage.world.locks.held_by[ROOT] = "another run"
    skipped(stage.run(), SkipReason.LOCKED)
