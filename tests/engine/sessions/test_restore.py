"""The windows of a session, and handing one of them over to its next start."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.commands.memory import MemoryUndo, Undone
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.restore import HandedOver, Restore
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.sessions.windows import WindowState
from memconsole.domain.settings import Settings
from memconsole.domain.summarize.handover import MOST_CHARS
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk

AGENT = fake_agent()
KEY = "agent:main:main"
TEXTS = (
    "Please compare REST and GraphQL for the public API",
    "REST is simpler, but clients fetch more.\n- [x] compared both",
    "We decided to go with REST for the public API. The key is sk-ant-api03-" + "a1B2" * 24,
    "Noted.\n- [ ] write the migration notes",
)


def stored(session_id: str, reason: str | None = None, key: str | None = KEY) -> StoredSession:
    is_live = reason is None and key is not None
    ref = TranscriptRef(
        AGENT.ref, session_id, TranscriptKind.FILE, HOME / f"{session_id}.jsonl", 4_000, NOW
    )
    return StoredSession(
        AGENT.ref,
        None if key is None else parse_key(key, owner="main"),
        session_id,
        SessionState.LIVE if is_live else SessionState.ARCHIVED,
        TranscriptState.PRESENT,
        transcript=ref,
        archive_reason=reason,
        updated_at=NOW - timedelta(hours=1),
    )


class Stage:
    """An agent whose main session was reset once; the old transcript is beside the new one."""

    def __init__(self) -> None:
        self.world = World(AGENT)
        self.world.sessions.hold(stored("id-now"), stored("id-old", "reset"))
        self.world.sessions.transcripts["id-now"] = talk("hello again, what was it?", "I forgot.")
        self.world.sessions.transcripts["id-old"] = talk(*TEXTS)

    @property
    def engine(self) -> Engine:
        return Engine(self.world.ports, Settings(state_dir=Path("/state"), timezone="UTC"))

    def restore(self, window: str | None = None, *, dry_run: bool = False) -> object:
        return self.engine.run(Restore(AGENT.ref, KEY, window, dry_run=dry_run))

    def given(self, key: str = KEY, *, is_start: bool = False) -> list[str]:
        found = self.engine.bootstrap.given(session_key=key, is_start=is_start)
        return [one.content for one in found.files if one.name == "HANDOVER.md"]

    def handover(self) -> str:
        [path] = [one for _, one in self.world.workspace.files if "handover-" in one]
        return self.world.workspace.text(AGENT.workspace, path) or ""


def reset_in(entries: list[Entry]) -> list[Entry]:
    """Return entries with a reset in place behind them, and a new conversation."""
    last = entries[-1]
    assert last.at is not None
    mark = Entry(
        EntryKind.RESET,
        id="reset",
        parent_id=last.id,
        has_parent=True,
        at=last.at + timedelta(minutes=1),
        position=90_000,
        size_bytes=10,
    )
    after = [
        replace(one, id=f"b{one.id}", parent_id="reset" if number == 0 else f"b{one.parent_id}")
        for number, one in enumerate(talk("a new day", "good morning", start=NOW))
    ]
    return [*entries, mark, *(replace(one, position=one.position + 100_000) for one in after)]


def test_the_windows_of_a_session_are_listed_with_what_is_in_memory() -> None:
    stage = Stage()
    windows = stage.engine.sessions.detail(KEY, with_windows=True).windows

    assert [(one.id, one.state, one.why) for one in windows] == [
        ("id-now", WindowState.CURRENT, None),
        ("id-old", WindowState.ARCHIVED, "reset"),
    ]
    assert (windows[0].messages, windows[1].messages) == (2, None)
    assert windows[1].ended_at == NOW - timedelta(hours=1)
    assert windows[1].captured == ()


def test_an_old_window_that_lost_its_key_belongs_to_who_had_it() -> None:
    stage = Stage()
    stage.world.sessions.hold(stored("id-now"), stored("id-lost", "deleted", key=None))
    stage.world.recovery.note(AGENT.ref, {"id-lost": KEY}, NOW)

    windows = stage.engine.sessions.detail(KEY, with_windows=True).windows

    assert [(one.id, one.why) for one in windows] == [("id-now", None), ("id-lost", "deleted")]


def test_a_hand_over_that_no_hook_gives_says_so() -> None:
    stage = Stage()
    config = stage.world.config_file

    def told() -> str:
        plan = stage.restore(dry_run=True)
        assert isinstance(plan, Planned)
        return plan.message

    assert told().endswith("not before `memconsole hooks install`: no hook gives it")
    config.folders = {"mc-memory-index-inject": frozenset({"HOOK.md", "handler.js"})}
    off = "before the hook mc-memory-index-inject is switched on: `memconsole config fix` does that"
    for internal in (
        None,
        {"enabled": True},
        {"enabled": True, "entries": {"mc-memory-index-inject": {"enabled": False}}},
        {"enabled": False, "entries": {"mc-memory-index-inject": {"enabled": True}}},
    ):
        checked = {"hooks": {"internal": internal}} if internal else {}
        stage.world.platform.config = PlatformConfig(checked=checked)
        assert told().endswith(off)
    entries = {"mc-memory-index-inject": {"enabled": True}}
    checked = {"hooks": {"internal": {"enabled": True, "entries": entries}}}
    stage.world.platform.config = PlatformConfig(checked=checked)
    assert told().endswith(".md")
    stage.world.platform.config = PlatformConfig(is_readable=False)
    assert told().endswith("its configuration cannot be read")
    config.folders = None
    assert told().endswith(".md")


def test_a_transcript_whose_session_nobody_knows_is_handed_over_when_it_is_named() -> None:
    stage = Stage()
    stage.world.sessions.hold(stored("id-now"), stored("id-lost", key=None))
    stage.world.sessions.transcripts["id-lost"] = talk(*TEXTS)

    detail = stage.engine.sessions.detail(KEY, with_windows=True)
    assert [one.id for one in detail.windows] == ["id-now"]
    assert [(one.id, one.state) for one in detail.unattributed] == [("id-lost", WindowState.ENDED)]
    alone = stage.restore()
    assert isinstance(alone, Skipped), "nobody said that it was of this session"
    assert "nobody knows the session" in (alone.hint or "")
    plan = stage.restore("id-lost", dry_run=True)
    assert isinstance(plan, Planned)
    assert f"whose session nobody knows, over to the next start of {KEY}" in plan.message
    assert isinstance(stage.restore("id-lost"), HandedOver)
    assert len(stage.given(is_start=True)) == 1
    assert isinstance(stage.engine.run(MemoryUndo(AGENT.ref)), Undone)
    assert not [path for _, path in stage.world.workspace.files if "handover-" in path]


def test_what_stands_before_a_reset_in_place_is_a_window() -> None:
    stage = Stage()
    stage.world.sessions.hold(stored("id-now"))
    stage.world.sessions.transcripts["id-now"] = reset_in(talk(*TEXTS))

    windows = stage.engine.sessions.detail(KEY, with_windows=True).windows
    assert [(one.id, one.state.value, one.why) for one in windows] == [
        ("id-now", "current", None),
        ("id-now~1", "ended", "reset"),
    ]
    assert windows[0].started_at == windows[1].ended_at
    assert isinstance(stage.restore("id-now~1"), HandedOver)
    assert "write the migration notes" in stage.handover()
    assert "good morning" not in stage.handover()


def test_a_hand_over_says_what_was_asked_decided_and_left_open() -> None:
    stage = Stage()
    outcome = stage.restore()

    assert isinstance(outcome, HandedOver), outcome
    text = stage.handover()
    assert "## Asked\n- Please compare REST and GraphQL for the public API" in text
    assert "## Decided\n" in text
    assert "- [x] compared both" in text
    assert "## Open\n- [ ] write the migration notes" in text
    assert "## Last messages\n" in text
    assert "sk-ant-api03" not in text
    assert outcome.wrote[0].path.startswith("memory/handover-2026-01-26-")


def test_the_next_start_of_that_session_alone_is_given_it_once() -> None:
    stage = Stage()
    stage.restore()

    assert stage.given("agent:main:telegram:direct:7", is_start=True) == []
    assert len(stage.given()) == 1  # a look is no start
    assert "compared both" in stage.given(is_start=True)[0]
    assert stage.given(is_start=True) == []


@pytest.mark.parametrize("key", [None, KEY])
def test_what_to_read_begins_with_a_hand_over_that_waits_and_does_not_use_it_up(
    key: str | None,
) -> None:
    stage = Stage()
    stage.restore()
    for _ in range(2):
        found = stage.engine.bootstrap.to_read(session_key=key)
        assert [one.name for one in found.files if one.is_given_once] == ["HANDOVER.md"]
        assert found.files[0].is_given_once
    assert len(stage.given(is_start=True)) == 1
    assert not any(one.is_given_once for one in stage.engine.bootstrap.to_read().files)


def test_the_hand_overs_of_an_agent_stand_with_what_the_next_starts_are_given() -> None:
    stage = Stage()
    assert stage.engine.bootstrap.with_handovers("main") == ()
    stage.restore()
    [(waiting, given)] = stage.engine.bootstrap.with_handovers("main")
    assert waiting.session_key == KEY
    assert given.files[0].is_given_once
    assert len(given.files) == len(stage.engine.bootstrap.given(session_key=KEY).files)
    [place] = [one for one in stage.world.workspace.files if "handover-" in one[1]]
    text = stage.world.workspace.files.pop(place)
    assert stage.engine.bootstrap.with_handovers("main") == ()  # undone: nothing is given
    stage.world.workspace.files[place] = text
    stage.given(is_start=True)
    assert stage.engine.bootstrap.with_handovers("main") == ()


def test_a_hand_over_that_could_not_be_read_at_a_start_waits_for_the_next_one() -> None:
    stage = Stage()
    stage.restore()
    [place] = [one for one in stage.world.workspace.files if "handover-" in one[1]]
    text = stage.world.workspace.files.pop(place)
    assert stage.given(is_start=True) == []
    stage.world.workspace.files[place] = text
    assert len(stage.given(is_start=True)) == 1


def test_a_group_whose_words_may_be_captured_is_given_its_hand_over() -> None:
    stage = Stage()
    key = "agent:main:telegram:group:-100"
    held = [stored("id-now", key=key), stored("id-old", "reset", key=key)]
    stage.world.sessions.hold(*(replace(one, captures_groups=True) for one in held))
    outcome = stage.engine.run(Restore(AGENT.ref, key))

    assert isinstance(outcome, HandedOver), outcome
    assert len(stage.given(key, is_start=True)) == 1
    assert stage.given(key, is_start=True) == []


def test_a_plan_shows_the_text_and_writes_nothing() -> None:
    stage = Stage()
    before = dict(stage.world.workspace.files)
    outcome = stage.restore(dry_run=True)

    assert isinstance(outcome, Planned)
    assert "compared both" in str(outcome.details["text"])
    assert stage.world.workspace.files == before
    assert stage.given() == []


def test_undo_takes_the_hand_over_away_and_no_start_is_given_it() -> None:
    stage = Stage()
    stage.restore()
    outcome = stage.engine.run(MemoryUndo(AGENT.ref))

    assert isinstance(outcome, Undone), outcome
    assert not any("handover-" in path for _, path in stage.world.workspace.files)
    assert stage.given(is_start=True) == []


def test_what_stands_there_already_is_given_again_and_one_undo_takes_it_away() -> None:
    stage = Stage()
    stage.restore()
    assert len(stage.given(is_start=True)) == 1
    again = stage.restore()
    assert isinstance(again, HandedOver)
    assert again.wrote == ()
    assert len(stage.given(is_start=True)) == 1
    stage.engine.run(MemoryUndo(AGENT.ref))
    assert not any("handover-" in path for _, path in stage.world.workspace.files)


def test_without_an_ended_window_none_is_spoken_of() -> None:
    stage = Stage()
    stage.world.sessions.hold(stored("id-now"))
    stage.world.sessions.transcripts["id-now"] = talk(*TEXTS)

    outcome = stage.restore()

    assert isinstance(outcome, Skipped)
    assert "is left in any earlier window of" in outcome.message


@pytest.mark.parametrize("window", ["id-now", "id-n"])
def test_the_window_that_goes_on_needs_no_hand_over(window: str) -> None:
    outcome = Stage().restore(window)

    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.NOTHING_NEW


@pytest.mark.parametrize("window", ["id-", "nowhere"])
def test_a_window_is_named_exactly(window: str) -> None:
    outcome = Stage().restore(window)

    assert isinstance(outcome, Failed)
    assert outcome.code == "usage"


def test_groups_are_never_handed_over() -> None:
    stage = Stage()
    key = "agent:main:telegram:group:-100"
    stage.world.sessions.hold(stored("id-now", key=key), stored("id-old", "reset", key=key))
    outcome = stage.engine.run(Restore(AGENT.ref, key))

    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.NOT_CAPTURED


def test_a_hand_over_is_bounded_and_keeps_what_was_said_last() -> None:
    stage = Stage()
    long = [f"part {number}: " + "many words about the boat " * 40 for number in range(40)]
    stage.world.sessions.transcripts["id-old"] = talk(*long)
    stage.restore()

    assert len(stage.handover()) <= MOST_CHARS
    assert "part 39" in stage.handover()
