"""Cleaning old transcripts: only what nobody needs any more, and only when that is known."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Storage
from memconsole.domain.commands.observe import Observe
from memconsole.domain.sessions.stored import SessionState, TranscriptKind
from memconsole.domain.settings import Settings, UiSettings
from memconsole.domain.settings.sections import CleanupSettings
from memconsole.domain.upkeep import OldFile, Step, step_due
from memconsole.engine.engine import Engine
from memconsole.errors import ReadOnlyError
from memconsole.scheduler.jobs import TABLE, clean_transcripts
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession

MAIN = "agent:main:main"
SESSIONS = World().platform.agents[0].sessions_dir
WEEK, DAY = timedelta(days=7), timedelta(days=1)
ON = CleanupSettings(is_enabled=True)


def old(session_id: str, age: timedelta = WEEK, **changes: object) -> StoredSession:
    """Return a transcript that no store knows."""
    stored = row(key=None, session_id=session_id, state=SessionState.ORPHAN)
    assert stored.transcript is not None
    usual = {"path": SESSIONS / f"{session_id}.jsonl", "modified_at": NOW - age}
    ref = replace(
        stored.transcript,
        session_id=session_id,
        **{**usual, **changes},  # type: ignore[arg-type]  # names are checked by the dataclass itself
    )
    return replace(stored, transcript=ref, is_loose=True)


def packed(session_id: str, age: timedelta) -> OldFile:
    path = Path(f"/x/{session_id}.jsonl.gz")
    return OldFile(path, session_id, 400, NOW - age, is_packed=True)


class Stage:
    """One agent with a live talk and an old one, whose key is remembered."""

    def __init__(self, *loose: StoredSession, **listing: object) -> None:
        self.world = World()
        self.agent = self.world.platform.agents[0]
        self.world.sessions.hold(row(session_id="live"), *(loose or (old("s-1"),)), **listing)  # type: ignore[arg-type]
        for one in loose or (old("s-1"),):
            texts = ("please keep in mind that we chose SQLite", "I do", "and WAL", "yes")
            at = NOW if one.transcript is None else one.transcript.modified_at
            said = talk(*texts, start=(at or NOW) - timedelta(minutes=3))
            self.world.sessions.transcripts[one.session_id or ""] = said
            self.know(one.session_id or "")

    def know(self, session_id: str, key: str = MAIN) -> None:
        self.world.recovery.note(self.agent.ref, {session_id: key}, NOW)

    def engine(self, rules: CleanupSettings = ON, **rest: object) -> Engine:
        settings = Settings(state_dir=HOME / "state", timezone="UTC", cleanup=rules)
        return Engine(self.world.ports, replace(settings, **rest))  # type: ignore[arg-type]

    def clean(self, *, dry_run: bool = False) -> list[tuple[str, str]]:
        """Return (status, message) of each file."""
        found = self.engine().upkeep.clean_transcripts(dry_run=dry_run)
        return [(one.status, one.message) for one in found]

    @property
    def done(self) -> list[tuple[str, str]]:
        return self.world.old_transcripts.done


def test_what_nobody_knows_is_captured_and_packed_after_a_week() -> None:
    stage = Stage()
    assert [status for status, _ in stage.clean()] == ["done"]
    assert stage.done == [("compress", "s-1")]
    assert stage.world.recovery.fingerprints(stage.agent.ref, "s-1")
    assert "SQLite" in str(stage.world.workspace.files)


@pytest.mark.parametrize(
    "file",
    [
        old("s-1", WEEK - timedelta(seconds=1)),
        old("s-1", -DAY),
        old("s-1", kind=TranscriptKind.PACKED_FILE),
        old("s-1", kind=TranscriptKind.DATABASE),
        old("s-1", extra=Path("/x/other.jsonl")),
        old("s-1", path=Path("/x/parked/s-1.jsonl")),
        replace(old("s-1"), state=SessionState.ARCHIVED, key=row().key, is_loose=False),
        replace(old("s-1"), state=SessionState.LIVE, key=row().key, is_loose=False),
    ],
)
def test_what_is_young_packed_or_known_to_a_store_is_left_alone(file: StoredSession) -> None:
    stage = Stage(file)
    assert stage.clean() == []
    assert stage.done == []


@pytest.mark.parametrize(
    "listing", [{"storage": Storage.UNREADABLE}, {"left_out": {"unreadable": 1}}]
)
def test_where_a_store_cannot_be_read_whole_nothing_is_touched(listing: dict[str, object]) -> None:
    stage = Stage(**listing)
    stage.world.old_transcripts.there = [packed("s-9", 40 * DAY)]
    [(status, message)] = stage.clean()
    assert status == "skipped"
    assert "any transcript may be in use" in message
    assert stage.done == []


@pytest.mark.parametrize("texts", [("we chose SQLite", "I see"), ()])
def test_a_session_of_nobody_is_packed_once_it_was_taken_in_by_hand(texts: tuple[str, ...]) -> None:
    stage = Stage()
    stage.world.recovery.known.clear()
    said = talk(*texts, start=NOW - WEEK - DAY) if texts else []
    stage.world.sessions.transcripts["s-1"] = said
    assert [status for status, _ in stage.clean()] == ["skipped"]

    stage.engine().run(Observe(stage.agent.ref, recover_id="s-1"))

    assert [status for status, _ in stage.clean()] == ["done"]


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (None, "nobody knows whose it is; `observe --recover s-1` captures it"),
        (
            "agent:main:telegram:group:-1",
            "what is said in sessions of its kind is never captured",
        ),
    ],
)
def test_a_session_that_may_not_be_captured_is_never_packed(key: str | None, why: str) -> None:
    stage = Stage()
    stage.world.recovery.known.clear()
    if key is not None:
        stage.know("s-1", key)
    assert stage.clean() == [("skipped", why)]
    assert stage.done == []


@pytest.mark.parametrize("reason", ["reset", None])
def test_an_archive_and_the_history_of_a_key_are_packed_too(reason: str | None) -> None:
    path = SESSIONS / "s-1.jsonl.reset.2026-01-01T00-00-00Z"
    archive = replace(
        old("s-1", path=path), state=SessionState.ARCHIVED, key=row().key, archive_reason=reason
    )
    stage = Stage(archive)
    stage.world.recovery.known.clear()
    assert [status for status, _ in stage.clean()] == ["done"]
    assert "SQLite" in str(stage.world.workspace.files)


def test_what_was_deleted_on_purpose_is_captured_by_nobody() -> None:
    deleted = replace(old("s-1"), state=SessionState.ARCHIVED, archive_reason="deleted")
    stage = Stage(deleted)
    assert stage.clean() == [("skipped", "it was deleted on purpose, and never captured")]
    assert "SQLite" not in str(stage.world.workspace.files)


def test_what_was_captured_before_needs_no_key() -> None:
    stage = Stage()
    assert [status for status, _ in stage.clean()] == ["done"]
    stage.world.recovery.known.clear()
    assert [status for status, _ in stage.clean()] == ["done"]
    assert stage.done == [("compress", "s-1")] * 2


def test_a_session_that_cannot_be_captured_stays() -> None:
    stage = Stage()
    stage.world.sessions.broken.add("s-1")
    [(status, message)] = stage.clean()
    assert (status, "cannot be read" in message) == ("skipped", True)
    assert stage.done == []


def test_a_session_without_a_word_is_packed() -> None:
    stage = Stage()
    stage.world.sessions.transcripts["s-1"] = []
    assert [status for status, _ in stage.clean()] == ["done"]


def test_what_was_packed_is_deleted_after_a_month_if_it_was_captured() -> None:
    stage = Stage(old("s-9", DAY))
    stage.world.old_transcripts.there = [
        packed("kept", 30 * DAY),
        packed("young", 30 * DAY - timedelta(seconds=1)),
        packed("live", 90 * DAY),
        packed("foreign", 90 * DAY),
    ]
    for name in ("kept", "young", "live"):
        stage.world.recovery.remember(stage.agent.ref, name, "abc", NOW)
    assert stage.clean() == [
        ("done", "deleted, 400 B"),
        ("skipped", "it is not known that its session was captured"),
    ]
    assert stage.done == [("delete", "kept")]


def test_a_dry_run_changes_nothing_and_so_does_one_that_is_switched_off() -> None:
    stage = Stage()
    assert stage.clean(dry_run=True) == [("planned", "would pack 3.9 KB")]
    off = stage.engine(CleanupSettings())
    assert [one.status for one in off.upkeep.clean_transcripts()] == ["planned"]
    assert stage.done == []
    assert stage.world.recovery.fingerprints(stage.agent.ref, "s-1") == frozenset()


def test_read_only_refuses_it() -> None:
    engine = Stage().engine(ui=UiSettings(read_only=True))
    with pytest.raises(ReadOnlyError):
        engine.upkeep.clean_transcripts()
    assert [one.status for one in engine.upkeep.clean_transcripts(dry_run=True)] == ["planned"]


def test_one_that_fails_stops_no_other_and_the_job_says_so() -> None:
    stage = Stage(old("s-1"), old("s-2"))
    stage.world.old_transcripts.refused.add("s-1")
    end = clean_transcripts(stage.engine(), threading.Event())
    assert (end.status, end.reason) == ("failed", "not-written")
    assert end.message == f"{SESSIONS}/s-1.jsonl: it was left alone: permission denied"
    assert stage.done == [("compress", "s-2")]


def test_it_ends_between_two_files() -> None:
    stage, stop = Stage(old("s-1"), old("s-2")), threading.Event()
    stop.set()
    clean_transcripts(stage.engine(), stop)
    assert len(stage.done) == 1


def test_the_job_is_off_and_says_what_it_would_do() -> None:
    [job] = [one for one in TABLE if one.id == "transcript_cleanup"]
    settings = Settings(state_dir=HOME / "state")
    assert not job.is_enabled(settings)
    assert str(job.trigger(settings)) == "daily at 04:30"
    assert job.preview is not None
    end = job.preview(Stage().engine())
    assert (
        end.message
        == f"1 old transcripts would be packed or deleted, the first is {SESSIONS}/s-1.jsonl"
    )
    end = job.preview(Stage(old("s-1", DAY)).engine())
    assert (end.status, end.message) == ("skipped", "no old transcript may go")


def test_both_ages_count_from_the_last_line() -> None:
    file = OldFile(Path("/x"), "s", 1, NOW - 29 * DAY)
    assert step_due(file, NOW, ON) is Step.COMPRESS
    assert step_due(replace(file, is_packed=True), NOW, ON) is None
    assert step_due(replace(file, is_packed=True), NOW + DAY, ON) is Step.DELETE


def test_a_session_of_today_stays_whatever_its_file_says() -> None:
    stage = Stage()
    stage.world.sessions.transcripts["s-1"] = talk("this was said", "half an hour ago")

    assert stage.clean() == []
    assert stage.done == []
