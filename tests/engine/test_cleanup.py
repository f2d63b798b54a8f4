"""Cleaning old transcripts; it is long because each reason for which a file stays has a test."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.domain.agents import AgentRef, HomeRef, Notice, Storage
from memconsole.domain.cleanup import OldFile, OldKind, Step, TakenFile, steps_due
from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Skipped, status_of
from memconsole.domain.commands.recover import Recover
from memconsole.domain.memory.edits import ReflectionRecord
from memconsole.domain.observe.rules import Cursor
from memconsole.domain.recover import SILENT
from memconsole.domain.sessions.stored import SessionState, TranscriptKind
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import CleanupSettings, UiSettings
from memconsole.domain.summarize.text import SummaryRecord
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.engine.engine import Engine
from memconsole.scheduler.jobs import TABLE
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, FakeClock, fake_agent, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Outcome
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


def packed(session_id: str, age: timedelta, size: int = 400) -> OldFile:
    path = SESSIONS / f"{session_id}.jsonl.gz"
    return OldFile(path, session_id, size, NOW - age, is_packed=True)


def copy_of(session_id: str, kind: OldKind = OldKind.BACKUP, **changes: object) -> OldFile:
    """Return a file that no listing has."""
    path = SESSIONS / f"{session_id}.jsonl.bak.2026-01-01T00-00-00Z"
    file = OldFile(path, session_id, 300, NOW - 9 * DAY, kind=kind)
    return replace(file, **changes)  # type: ignore[arg-type]  # as above


class Stage:
    """One agent with a live talk and an old one, whose key is remembered."""

    def __init__(self, *loose: StoredSession, **listing: object) -> None:
        self.world = World()
        self.agent = self.world.platform.agents[0]
        self.files = self.world.old_transcripts
        self.world.sessions.hold(row(session_id="live"), *(loose or (old("s-1"),)), **listing)  # type: ignore[arg-type]
        for one in loose or (old("s-1"),):
            self.say(one.session_id or "", NOW if one.transcript is None else _time_of(one))
            self.know(one.session_id or "")
            if one.transcript is not None:
                ref = one.transcript
                size, at = ref.size_bytes or 0, ref.modified_at or NOW
                is_packed = ref.kind is TranscriptKind.PACKED_FILE
                self.files.there.append(OldFile(ref.path, ref.session_id, size, at, is_packed))

    def say(self, session_id: str, at: datetime) -> None:
        texts = ("please keep in mind that we chose SQLite", "I do", "and WAL", "yes")
        said = talk(*texts, start=at - timedelta(minutes=3))
        self.world.sessions.transcripts[session_id] = said

    def know(self, session_id: str, key: str = MAIN) -> None:
        self.world.recovery.note(self.agent.ref, {session_id: key}, NOW)

    def capture(self, session_id: str) -> None:
        """Let a session without a word be captured to its end."""
        self.world.sessions.transcripts[session_id] = []
        self.world.recovery.remember(self.agent.ref, session_id, SILENT, NOW)

    def engine(self, rules: CleanupSettings = ON, **rest: object) -> Engine:
        settings = Settings(state_dir=HOME / "state", timezone="UTC", cleanup=rules)
        return Engine(self.world.ports, replace(settings, **rest))  # type: ignore[arg-type]

    def run(self, rules: CleanupSettings = ON, **options: object) -> Outcome:
        return self.engine(rules).run(Cleanup(self.agent.ref, **options))  # type: ignore[arg-type]

    def clean(self, rules: CleanupSettings = ON, **options: object) -> list[tuple[str, str]]:
        """Return (status, message) of each file."""
        files = self.run(rules, **options).details.get("files", [])
        assert isinstance(files, list)
        return [(str(one["status"]), str(one["message"])) for one in files if isinstance(one, dict)]

    @property
    def done(self) -> list[tuple[str, str]]:
        return self.files.done


def _time_of(stored: StoredSession) -> datetime:
    return (None if stored.transcript is None else stored.transcript.modified_at) or NOW


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
    stage.files.there = [packed("s-9", 40 * DAY)]
    outcome = stage.run()
    assert isinstance(outcome, Skipped)
    assert (outcome.reason, "any file may be in use" in outcome.message) == ("unreadable", True)
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


@pytest.mark.parametrize(("count", "apart"), [(151, 0), (4, 5)])
@pytest.mark.parametrize("is_known", [False, True])
def test_what_a_capture_by_hand_took_in_half_stays(
    count: int, apart: int, *, is_known: bool
) -> None:
    stage = Stage()
    first, *rest = talk(*(f"this is number {n}" for n in range(count)), start=NOW - WEEK - DAY)
    said = [replace(first, at=NOW - WEEK - DAY - timedelta(hours=apart)), *rest]
    stage.world.sessions.transcripts["s-1"] = said
    if not is_known:
        stage.world.recovery.known.clear()
    taken = Observe(stage.agent.ref, recover_id="s-1") if not is_known else Recover(stage.agent.ref)
    assert status_of(stage.engine().run(taken)) in ("done", "skipped")
    assert stage.world.recovery.fingerprints(stage.agent.ref, "s-1")
    stage.world.summaries.stored.clear()  # what was summarised may go
    why = "only its end was captured: `observe --recover s-1` took no more"
    assert stage.clean() == [("skipped", why)]
    assert stage.done == []


def test_a_session_that_was_observed_all_along_goes_however_long_it_is() -> None:
    stage = Stage()
    words = talk(*(f"this is number {n}" for n in range(400)), start=NOW - WEEK - DAY)
    for end in (100, 200, 300, 400):
        stage.world.sessions.transcripts["s-1"] = words[:end]
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
    there = list(stage.files.there)
    assert [status for status, _ in stage.clean()] == ["done"]
    stage.world.recovery.known.clear()
    stage.files.there, stage.world.taken.stored = there, []
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


def test_what_was_packed_is_taken_away_after_a_month_if_it_was_captured() -> None:
    stage = Stage(old("s-9", DAY))
    stage.files.there = [
        packed("kept", 30 * DAY),
        packed("young", 30 * DAY - timedelta(seconds=1)),
        packed("live", 90 * DAY, 500),
        packed("foreign", 90 * DAY, 300),
    ]
    stage.say("foreign", NOW)
    for name in ("kept", "young", "live"):
        stage.capture(name)
    assert stage.clean() == [
        ("skipped", "its session goes on"),
        ("done", "taken away"),
        ("skipped", "nobody knows whose it is; `observe --recover foreign` captures it"),
    ]
    assert stage.done == [("take", "kept")]
    assert [one.session_id for one in stage.files.kept.values()] == ["kept"]


def test_a_dry_run_changes_nothing_and_so_does_the_job_that_is_switched_off() -> None:
    stage = Stage()
    assert stage.clean(dry_run=True) == [("planned", "would capture it and pack it")]
    [job] = [one for one in TABLE if one.id == "transcript_cleanup"]
    commands = list(job.commands(stage.engine(CleanupSettings()), dry_run=False))
    assert commands == [Cleanup(one, dry_run=True) for one in (stage.agent.ref, OURS)]
    assert stage.done == []
    assert stage.world.recovery.fingerprints(stage.agent.ref, "s-1") == frozenset()


def test_files_that_wait_for_their_time_are_said() -> None:
    waiting = Stage(old("s-1", WEEK - timedelta(seconds=1))).run()
    assert waiting.message == "no old file of main may go; nothing is due for 1 file"


def test_read_only_refuses_it() -> None:
    stage = Stage()
    engine = stage.engine(ui=UiSettings(read_only=True))
    assert isinstance(engine.run(Cleanup(stage.agent.ref)), Failed)
    assert status_of(engine.run(Cleanup(stage.agent.ref, dry_run=True))) == "planned"
    assert stage.done == []


def test_one_that_fails_stops_no_other_and_is_said() -> None:
    stage = Stage(old("s-1"), old("s-2"))
    stage.files.refused.add("s-1")
    outcome = stage.run()
    assert isinstance(outcome, Failed)
    assert outcome.message == f"{SESSIONS}/s-1.jsonl: it was left alone: permission denied"
    assert stage.done == [("compress", "s-2")]
    assert [one.path.name for one in stage.world.taken.stored] == ["s-2.jsonl"]


def test_it_ends_between_two_files() -> None:
    stage, stop = Stage(old("s-1"), old("s-2")), threading.Event()

    def told(done: int, total: int) -> None:
        assert (done, total) == (1, 2)
        stop.set()

    stage.engine().run(Cleanup(stage.agent.ref), progress=told, cancel=stop)
    assert len(stage.done) == 1


def test_the_job_is_off() -> None:
    [job] = [one for one in TABLE if one.id == "transcript_cleanup"]
    settings = Settings(state_dir=HOME / "state")
    assert not job.is_enabled(settings)
    assert str(job.trigger(settings)) == "daily at 04:30"


def test_both_ages_count_from_the_newest_message() -> None:
    file = OldFile(Path("/x"), "s", 1, NOW - 29 * DAY)
    gone = replace(file, path=Path("/y"), is_packed=True, modified_at=NOW - 30 * DAY)
    assert steps_due([file, gone], NOW, ON) == {file: Step.COMPRESS, gone: Step.DELETE}
    assert steps_due([replace(file, is_packed=True)], NOW, ON) == {}
    assert steps_due([file, gone], NOW, ON, 30 * DAY) == {gone: Step.DELETE}
    assert steps_due([gone], NOW, ON, 31 * DAY) == {}
    assert steps_due([replace(file, modified_at=NOW + DAY)], NOW, ON) == {}


def test_where_all_take_too_much_packed_ones_go_before_their_time_oldest_first() -> None:
    files = [packed(name, age * DAY) for name, age in (("a", 10), ("b", 20), ("c", 6), ("d", 9))]
    due = steps_due(files, NOW, replace(ON, max_bytes=900))
    assert [one.session_id for one in due] == ["a", "b"]
    assert steps_due(files, NOW, replace(ON, max_bytes=1600)) == {}


def test_a_session_of_today_stays_whatever_its_file_says() -> None:
    stage = Stage()
    stage.world.sessions.transcripts["s-1"] = talk("this was said", "half an hour ago")

    assert stage.clean() == []
    assert stage.done == []


def test_the_largest_file_comes_first_and_sizes_are_told_before_and_after() -> None:
    stage = Stage(old("small", size_bytes=900), old("large", size_bytes=90_000))
    outcome = stage.run()
    assert stage.done == [("compress", "large"), ("compress", "small")]
    totals = outcome.details["totals"]
    assert isinstance(totals, dict)
    assert (totals["bytes_before"], totals["bytes_after"]) == (90_900, 9_090)
    said = "packed 2 files of main (88 KB): 88 KB of old files became 8.8 KB"
    assert outcome.message.startswith(said)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (copy_of("live"), "it is not known that everything in this copy was captured"),
        (copy_of("live", refusal="it has a second name"), "it has a second name"),
        (copy_of("live", kind=OldKind.RESET), "its session goes on"),
        (copy_of("s-7", kind=OldKind.RESET), "no store lists its session"),
    ],
)
def test_a_file_that_no_listing_has_stays_with_a_reason(file: OldFile, why: str) -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.there.append(file)
    stage.say(file.session_id, NOW - 9 * DAY)
    assert stage.clean() == [("skipped", why)]
    outcome = stage.run()
    assert isinstance(outcome, Skipped)
    assert ("--uncaptured" in outcome.hint) == ("captured" in why)
    assert stage.done == []


def test_a_live_transcript_is_never_even_listed() -> None:
    stage = Stage(old("s-1", DAY))
    live = row(session_id="live").transcript
    assert live is not None
    stage.files.there.append(OldFile(live.path, "live", 4000, NOW - 90 * DAY))
    assert stage.clean(takes_uncaptured=True) == []
    assert stage.done == []


def test_what_nobody_captured_goes_where_the_operator_says_so() -> None:
    stage = Stage(old("s-1", DAY))
    stage.world.recovery.known.clear()
    stage.files.there.append(copy_of("live"))
    assert stage.clean(takes_uncaptured=True, dry_run=True) == [("planned", "would pack it")]
    assert [status for status, _ in stage.clean(takes_uncaptured=True)] == ["done"]
    assert "SQLite" not in str(stage.world.workspace.files)


def summarised(stage: Stage, session_id: str, until: datetime, key: str | None = MAIN) -> None:
    record = SummaryRecord(stage.agent.ref, session_id, key, NOW, until, "memory/a.md", "new")
    stage.world.summaries.add(record)
    stage.world.workspace.files[stage.agent.workspace, "memory/a.md"] = "# a\n"


@pytest.mark.parametrize(("behind", "status"), [(0, "done"), (1, "skipped")])
def test_a_summary_up_to_the_newest_message_is_enough(behind: int, status: str) -> None:
    stage = Stage(old("s-1", DAY))
    file = copy_of("live")
    stage.files.there.append(file)
    stage.say("live", file.modified_at)
    summarised(stage, "live", file.modified_at - timedelta(minutes=behind))
    [(found, _)] = stage.clean()
    assert found == status


def test_what_only_a_summary_tells_is_told_so_until_it_is_taken_away() -> None:
    stage = Stage()
    stage.world.recovery.known.clear()  # nobody knows whose it is: it cannot be captured
    summarised(stage, "s-1", NOW - WEEK, key=None)

    planned = stage.run(dry_run=True)
    assert planned.message == "would pack 1 file of main (3.9 KB), 1 of which only a summary tells"
    assert str(planned.details["diff"]).count("summary only  s-1.jsonl") == 1
    [(_, message)] = stage.clean()
    assert message.endswith("; only a summary tells what it says")
    assert stage.world.recovery.fingerprints(stage.agent.ref, "s-1") == frozenset()

    stage.world.clock.advance(30 * DAY)
    path = SESSIONS / "s-1.jsonl.gz"  # as the store lists it now
    listed = old("s-1", path=path, kind=TranscriptKind.PACKED_FILE)
    stage.world.sessions.hold(row(session_id="live"), listed)
    taken = stage.run()
    assert "took 1 packed file of main" in taken.message
    assert "1 of which only a summary tells" in taken.message
    files = taken.details["files"]
    assert isinstance(files, list)
    assert [one["captured"] for one in files if isinstance(one, dict)] == ["summary"]


def test_what_a_summary_tells_is_captured_as_well_where_that_can_be() -> None:
    stage = Stage()
    summarised(stage, "s-1", NOW - WEEK)
    assert stage.clean(dry_run=True) == [("planned", "would capture it and pack it")]
    assert [status for status, _ in stage.clean()] == ["done"]
    assert "SQLite" in str(stage.world.workspace.files)


def test_a_summary_that_is_gone_tells_nothing() -> None:
    stage = Stage()
    stage.world.recovery.known.clear()
    summarised(stage, "s-1", NOW - WEEK, key=None)
    stage.world.workspace.files.clear()
    assert [status for status, _ in stage.clean()] == ["skipped"]


def test_a_parked_file_stays_while_its_session_goes_on() -> None:
    ended = replace(row(session_id="ended"), state=SessionState.ARCHIVED, transcript=None)
    stage = Stage(old("s-1", DAY), ended)
    parked = [
        replace(copy_of(name, kind=OldKind.PARKED), path=SESSIONS / name)
        for name in ("live", "ended")
    ]
    stage.files.there += parked
    found = dict(zip(("ended", "live"), stage.clean(takes_uncaptured=True), strict=True))
    assert found["live"] == ("skipped", "its session goes on")
    assert found["ended"][0] == "done"


def test_what_was_packed_is_not_taken_away_while_it_can_be_unpacked() -> None:
    stage = Stage(old("s-1", 90 * DAY))
    assert [status for status, _ in stage.clean()] == ["done"]
    assert stage.clean() == []
    stage.world.clock.advance(8 * DAY)
    assert stage.clean() == [("done", "taken away")]


class RunningClock(FakeClock):
    """Runs on with every look."""

    def now(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at


def test_the_last_cleanup_comes_back_as_one_and_once() -> None:
    stage = Stage(old("s-1", 90 * DAY), old("s-2", 90 * DAY))
    stage.world.clock = RunningClock()
    before = list(stage.files.there)
    stage.clean()
    plan = stage.run(is_undo=True, dry_run=True)
    assert (status_of(plan), plan.message) == ("planned", "would bring 2 files of main back")
    outcome = stage.run(is_undo=True)
    assert (status_of(outcome), outcome.message) == ("done", "brought 2 files of main back")
    assert sorted(stage.files.there, key=str) == sorted(before, key=str)
    assert isinstance(stage.run(is_undo=True), Skipped)


def test_behind_its_grace_time_it_is_deleted_for_good() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.there = [packed("kept", 40 * DAY)]
    stage.capture("kept")
    stage.clean()
    stage.world.clock.advance(ON.grace)
    assert isinstance(stage.run(is_undo=True, dry_run=True), Skipped)
    assert "would delete 400 B of main for good" in stage.run(dry_run=True).message
    assert len(stage.files.kept) == 1
    assert "deleted 400 B of main for good" in stage.run().message
    assert (stage.files.kept, stage.world.taken.stored) == ({}, [])


def test_a_clock_that_jumps_ahead_deletes_nothing() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.there = [packed("kept", 40 * DAY)]
    stage.capture("kept")
    stage.clean()
    stage.world.clock.at += 3650 * DAY
    for _ in range(2):
        assert "for good" not in stage.run().message
        assert "kept" in {one.session_id for one in stage.files.kept.values()}
        stage.world.clock.advance(timedelta(hours=1))
    assert status_of(stage.run(is_undo=True, dry_run=True)) == "planned"
    stage.world.clock.advance(ON.grace)
    assert "for good" in stage.run().message


def test_time_before_a_restart_of_the_host_counts_as_far_as_somebody_looked() -> None:
    stage = Stage(old("s-1", DAY))
    stage.world.clock.seconds = 5e6
    stage.files.there = [packed("kept", 40 * DAY)]
    stage.capture("kept")
    stage.clean()
    stage.world.clock.advance(4 * DAY)
    stage.run()
    stage.world.clock.seconds = 0  # the host starts, with a clock that is years ahead
    stage.world.clock.at += 3650 * DAY
    stage.world.clock.advance(2 * DAY)
    assert "for good" not in stage.run().message
    stage.world.clock.advance(DAY)
    assert "for good" in stage.run().message


@pytest.mark.parametrize("is_behind", [True, False])
def test_what_a_killed_run_began_is_settled_by_the_next_one(is_behind: bool) -> None:
    stage = Stage(old("s-1", DAY))
    file = packed("kept", DAY)
    begun = TakenFile(
        0, stage.agent.ref, NOW, file.path, file.kind, Step.DELETE, "ab", 400, 0o600, 1
    )
    stage.world.taken.add(begun)
    stage.files.there = [] if is_behind else [file]
    stage.files.kept = {"ab": file}
    stage.run()
    if is_behind:
        assert [one.is_done for one in stage.world.taken.stored] == [True]
        assert status_of(stage.run(is_undo=True)) == "done"
        assert stage.files.there == [file]
    else:
        assert (stage.world.taken.stored, stage.files.kept) == ([], {})


def test_nothing_is_touched_that_cannot_be_recorded() -> None:
    stage = Stage()
    stage.world.recovery.remember(stage.agent.ref, "s-1", "abc", NOW)
    stage.world.taken.is_unwritable = True
    assert isinstance(stage.run(takes_uncaptured=True), Failed)
    assert stage.done == []


@pytest.mark.parametrize("count", [0, 4])
@pytest.mark.parametrize("kind", [EntryKind.DAMAGED, EntryKind.IN_PROGRESS])
def test_what_cannot_be_read_at_its_end_was_captured_by_nobody(kind: EntryKind, count: int) -> None:
    stage = Stage()
    said = stage.world.sessions.transcripts["s-1"][:count]
    stage.world.sessions.transcripts["s-1"] = [*said, Entry(kind)]
    stage.engine().run(Observe(stage.agent.ref, recover_id="s-1"))
    why = "records at its end cannot be read, so nobody captured them"
    assert stage.clean() == [("skipped", why)]
    assert stage.done == []


def test_records_of_another_release_are_not_taken_for_silence() -> None:
    stage = Stage()
    stage.world.sessions.transcripts["s-1"] = [Entry(EntryKind.UNKNOWN)]
    assert [status for status, _ in stage.clean()] == ["skipped"]


@pytest.mark.parametrize("is_listed", [False, True])
def test_of_several_files_of_a_session_only_the_captured_one_goes(*, is_listed: bool) -> None:
    path = SESSIONS / "s-1-topic-2.jsonl"
    stage = Stage(old("s-1"), *([old("s-1", path=path)] if is_listed else []))
    stage.files.there = [OldFile(path, "s-1", 300, NOW - WEEK)]
    record = SummaryRecord(stage.agent.ref, "s-1", MAIN, NOW, NOW, "memory/a.md", "new")
    stage.world.summaries.add(record)
    why = "another file of its session is what is captured, and not this one"
    assert stage.clean() == [("skipped", why)]
    assert "SQLite" not in str(stage.world.workspace.files)


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("agent_id", ["main", "work"])
def test_a_file_that_an_entry_names_stays_though_we_refuse_to_read_it(
    agent_id: str, *, is_told: bool
) -> None:
    one = old("s-1")
    assert one.transcript is not None
    refusal = Notice("session-id-mismatch", "it is another's", str(one.transcript.path), agent_id)
    stage = Stage(one)
    work = fake_agent("work")
    stage.world.platform.agents = (stage.agent, work)
    named = replace(row(session_id="other"), refusal=None if is_told else refusal)
    sessions = (row(session_id="live"), one) if agent_id == "main" else ()
    named = replace(named, agent=stage.agent.ref if sessions else work.ref)
    notices = (refusal,) if is_told else ()
    stage.world.sessions.hold(named, *sessions, notices=notices)
    why = "an entry of a store names it, although it is not its own"
    assert stage.clean(takes_uncaptured=True) == [("skipped", why)]
    assert stage.done == []


def test_a_session_that_came_back_while_it_was_captured_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    remember = stage.world.recovery.remember

    def restored(*known: Any) -> None:
        remember(*known)
        stage.world.sessions.hold(row(session_id="s-1"))

    monkeypatch.setattr(stage.world.recovery, "remember", restored)
    assert stage.clean() == [("skipped", "its session goes on")]
    assert stage.done == []


@pytest.mark.parametrize("is_observed", [False, True])
@pytest.mark.parametrize(("count", "apart"), [(151, 0), (2, 4)])
def test_what_one_capture_would_take_in_half_stays(
    count: int, apart: int, *, is_observed: bool
) -> None:
    stage = Stage()
    texts = (f"and this is number {n}" for n in range(count))
    first, *rest = talk(*texts, start=NOW - WEEK - DAY)
    said = [replace(first, at=NOW - WEEK - DAY - timedelta(hours=apart)), *rest]
    stage.world.sessions.transcripts["s-1"] = said
    if is_observed:
        stage.world.observer.advance(
            stage.agent.ref, "", {"s-1": Cursor(None, 0, None, is_whole=True)}, NOW
        )
    why = "it is longer than one capture: `observe --recover s-1` takes its end"
    assert (stage.clean() == [("skipped", why)]) is not is_observed
    assert bool(stage.done) is is_observed


# ---- ours ---------------------------------------------------------------------------------------

WORKSPACE = World().platform.agents[0].workspace / "memory"
BACKUPS = WORKSPACE / "observation-backups"
OURS = AgentRef(HomeRef(str(HOME)), "")


def ours(kind: OldKind, name: str, days: float = 9, size: int = 100) -> OldFile:
    """Return a file that we wrote, named as we name it."""
    folder = {OldKind.ARCHIVE: WORKSPACE / "archive", OldKind.OBSERVATIONS: BACKUPS}
    path = folder.get(kind, HOME / "state" / "logs") / name
    is_packed = name.endswith(".gz")
    return OldFile(path, "", size, NOW - days * DAY, is_packed, kind, file_ns=1)


def copies(*days: float) -> list[OldFile]:
    names = (f"observations-202601{number:02}-000000.md" for number in range(1, 40))
    return [ours(OldKind.OBSERVATIONS, name, day) for name, day in zip(names, days, strict=False)]


def own_of(outcome: Outcome) -> list[tuple[str, str, str]]:
    files = outcome.details.get("files", [])
    assert isinstance(files, list)
    rows = [one for one in files if isinstance(one, dict)]
    return [(str(one["kind"]), str(one["step"]), str(one["status"])) for one in rows]


def test_copies_of_ours_are_packed_and_later_taken_away_and_come_back() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.ours = copies(9, 8, 1)
    before = set(stage.files.ours)
    plan = stage.run(dry_run=True)
    assert plan.message == "would pack 2 files of main (200 B)"
    outcome = stage.run()
    assert own_of(outcome) == [("observations", "pack", "done")] * 2
    totals = outcome.details["totals"]
    assert isinstance(totals, dict)
    assert (totals["bytes_before"], totals["bytes_after"]) == (4300, 4120)
    assert status_of(stage.run(is_undo=True)) == "done"
    assert set(stage.files.ours) == before
    stage.clean()
    stage.world.clock.advance(25 * DAY)
    assert own_of(stage.run())[1:] == [("observations", "delete", "done")] * 2
    assert len(stage.files.ours) == 1


def test_the_newest_copy_stays_and_so_does_what_an_undo_puts_back() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.ours = copies(90, 80)
    path = f"memory/observation-backups/{stage.files.ours[0].path.name}"
    real = str(stage.agent.workspace.resolve())
    stage.world.reflections.add(ReflectionRecord(0, real, NOW, 9, 5, path, 3, "abc"))
    assert stage.clean() == [("skipped", "`reflect --undo` puts it back")]
    assert stage.done == []


def test_archives_of_memory_have_an_age_of_their_own() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.ours = [
        ours(OldKind.ARCHIVE, "forgotten-2025-01.md", 400),
        ours(OldKind.ARCHIVE, "2025-02-01.md.gz", 429),
        ours(OldKind.ARCHIVE, "2025-01-01.md.gz", 430),
    ]
    assert stage.clean(replace(ON, max_bytes=1), older_than=2 * DAY) == []
    found = stage.run(replace(ON, archive_days=400))
    assert own_of(found) == [("archive", "delete", "done"), ("archive", "pack", "done")]
    assert [name for _, name in stage.done] == ["2025-01-01.md.gz", "forgotten-2025-01.md"]


def test_an_archive_that_grew_after_it_was_packed_waits_for_the_packed_one() -> None:
    stage = Stage(old("s-1", DAY))
    name = "forgotten-2025-01.md"
    stage.files.ours = [ours(OldKind.ARCHIVE, name), ours(OldKind.ARCHIVE, f"{name}.gz")]
    [(status, why)] = stage.clean(replace(ON, archive_days=9))
    assert (status, "has the name" in why) == ("skipped", True)


def test_nobody_packs_in_a_workspace_where_another_run_writes() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.ours = copies(9, 8, 1)
    stage.world.locks.held_by[stage.agent.workspace] = "an observer"
    assert {status for status, _ in stage.clean()} == {"skipped"}
    assert stage.done == []


def test_of_two_agents_in_one_workspace_copies_are_the_first_ones() -> None:
    stage = Stage(old("s-1", DAY))
    work = fake_agent("work", workspace=stage.agent.workspace)
    stage.world.platform.agents = (stage.agent, work)
    stage.files.ours = copies(9, 8, 1)
    stage.world.sessions.hold(row(session_id="live"))
    assert status_of(stage.engine().run(Cleanup(work.ref, dry_run=True))) == "skipped"


def test_parts_of_logs_are_packed_under_the_time_of_their_end() -> None:
    stage = Stage(old("s-1", DAY))
    stage.files.ours = [ours(OldKind.LOG, "serve.log.1", 8), ours(OldKind.LOG, "serve.log.2")]
    outcome = stage.engine().run(Cleanup(OURS))
    assert outcome.message.startswith("packed 2 files of memconsole itself (200 B)")
    assert sorted(one.path.name for one in stage.files.ours) == [
        f"serve.log.{NOW - days * DAY:%Y%m%d-%H%M%S}.gz" for days in (9, 8)
    ]
    back = stage.engine().run(Cleanup(replace(OURS, home=HomeRef("/another")), is_undo=True))
    assert back.message == "brought 2 files of memconsole itself back"
