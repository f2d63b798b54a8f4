"""The findings of a reading: what was cut off, and what a look at health leaves behind."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef, Notice, Origin
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.events import Event, EventKind
from memconsole.domain.sessions.stored import SessionState, TranscriptKind, TranscriptRef
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind, Usage
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW
from tests.engine.health.well_world import SETTINGS as USUAL
from tests.engine.health.well_world import well_world
from tests.engine.rows import row

if TYPE_CHECKING:
    from datetime import datetime

SETTINGS = Settings(state_dir=HOME / "state")
MAIN = AgentRef(HomeRef(str(HOME)), "main")


def said(minutes: int, kind: EntryKind = EntryKind.MESSAGE, **more: object) -> Entry:
    return Entry(
        kind,
        id=f"e{minutes}",
        at=NOW - timedelta(minutes=minutes),
        role="user",
        text="the switch sits in rack four",
        **more,  # type: ignore[arg-type]
    )


def saved(session_id: str, minutes: int) -> Capture:
    at = NOW - timedelta(minutes=minutes)
    return Capture(MAIN, session_id, None, at, "0" * 64, "", True, None, "/ws")


def ended(world: World, key: str, reason: str, at: datetime, *, said_ago: int) -> None:
    """Let the home hold a session that was archived, with one message before that."""
    gone = replace(
        row(key, None, state=SessionState.ARCHIVED),
        session_id="gone",
        archive_reason=reason,
        updated_at=at,
        transcript=TranscriptRef(MAIN, "gone", TranscriptKind.FILE, Path("/x/gone.jsonl")),
    )
    world.sessions.hold(gone)
    world.sessions.transcripts["gone"] = [said(said_ago)]


def codes(world: World) -> list[str]:
    taken = Engine(world.ports, SETTINGS).snapshot()
    return [one.code for one in taken.attention]


def test_a_session_that_was_reset_before_it_was_saved_is_told_until_it_is_recovered() -> None:
    world = World()
    ended(world, "agent:main:telegram:direct:9", "reset", NOW - timedelta(minutes=5), said_ago=40)
    assert "cut-before" in codes(world)  # nobody looked before
    world.events.first[str(HOME)] = NOW - timedelta(days=1)
    assert "work-lost" in codes(world)

    world.captures.stored.append(saved("gone", 60))
    [lost] = [
        one for one in Engine(world.ports, SETTINGS).snapshot().attention if one.code == "work-lost"
    ]
    assert (lost.key, lost.command) == ("agent:main:telegram:direct:9", "recover")
    assert "20 min unsaved" in lost.message

    world.captures.stored.append(saved("gone", 1))
    assert "work-lost" not in codes(world)


def test_a_session_that_said_nothing_after_its_save_lost_nothing_in_its_reset() -> None:
    world = World()
    ended(world, "agent:main:main", "reset", NOW, said_ago=400)
    world.captures.stored.append(saved("gone", 399))
    assert not {"work-lost", "cut-before"} & set(codes(world))


def test_a_reset_by_a_rotation_of_ours_and_a_rollover_are_told_as_such() -> None:
    world = World()
    world.events.first[str(HOME)] = NOW - timedelta(days=1)
    ended(world, "agent:main:main", "rollover", NOW - timedelta(minutes=5), said_ago=40)
    engine = Engine(world.ports, SETTINGS)
    assert "begun anew by the platform" in engine.snapshot().attention[0].message

    at = NOW - timedelta(minutes=5)
    run = Run(
        0,
        None,
        "rotate",
        "",
        Origin.SCHEDULER,
        "main",
        "agent:main:main",
        at,
        at,
        "done",
        None,
        "",
        0,
    )
    world.runs.add(replace(run, home=str(HOME)))
    assert "reset by memconsole" in engine.snapshot().attention[0].message


def test_what_was_said_and_saved_before_a_late_compaction_is_not_lost() -> None:
    """A compaction long after the last word cuts nothing that was not saved."""
    world = World()
    world.sessions.hold(replace(row("agent:main:main", 20_000), updated_at=NOW))
    compaction = Compaction("what they planned", tokens_before=177_600)
    world.sessions.transcripts["id-main"] = [
        said(60, usage=Usage(total=20_000)),
        said(5, EntryKind.COMPACTION, compaction=compaction),
    ]
    world.captures.stored.append(saved("id-main", 60))

    assert "work-lost" not in codes(world)


def test_a_compaction_of_what_was_not_saved_is_told() -> None:
    world = World()
    world.sessions.hold(replace(row("agent:main:main", 20_000), updated_at=NOW))
    world.sessions.transcripts["id-main"] = [
        said(15),
        said(
            11,
            EntryKind.COMPACTION,
            compaction=Compaction("what they planned", tokens_before=177_600),
        ),
        said(0, usage=Usage(total=20_000)),
    ]
    world.captures.stored.append(saved("id-main", 37))
    taken = Engine(world.ports, SETTINGS).snapshot()

    assert taken.attention[0].code == "work-lost"
    assert "22 min unsaved, compacted by the platform" in taken.attention[0].message


def test_a_compaction_is_told_until_it_is_saved_however_much_is_said_since() -> None:
    world = World()
    world.sessions.hold(replace(row("agent:main:main", 20_000), updated_at=NOW))
    compaction = Compaction("what they planned", tokens_before=177_600)
    world.sessions.transcripts["id-main"] = [
        said(102),
        said(101, EntryKind.COMPACTION, compaction=compaction),
        *(
            replace(said(minutes, usage=Usage(total=20_000)), role="assistant")
            for minutes in range(100, 0, -1)
        ),
    ]
    world.captures.stored.append(saved("id-main", 130))
    assert "work-lost" not in codes(world)  # too far back to be read

    at = NOW - timedelta(minutes=101)
    kind = EventKind.COMPACTED
    event = Event(0, str(HOME), at, at, kind, "main", "agent:main:main", "compacted")
    world.events.stored.append(event)
    assert "work-lost" in codes(world)
    world.captures.stored.append(saved("id-main", 90))
    assert "work-lost" not in codes(world)


def test_a_damaged_store_beside_which_a_transcript_lies_has_no_count() -> None:
    world = World()
    notice = Notice("store-unreadable", "sessions.json is cut off", agent="main")
    world.sessions.hold(row(None, None, state=SessionState.ORPHAN), notices=(notice,))
    [agent] = Engine(world.ports, SETTINGS).snapshot().agents
    assert agent.sessions is None


def test_what_a_look_at_health_found_is_what_every_face_shows() -> None:
    world = well_world()
    world.host.percents[HOME] = 91.0
    engine = Engine(world.ports, USUAL)
    assert "disk" not in [one.code for one in engine.snapshot().attention]

    look = engine.health.look()
    shown = engine.snapshot().attention
    assert [one.code for one in look.attention] == [one.code for one in shown]
    assert "disk" in [one.code for one in shown]

    world.host.percents[HOME] = 40.0
    engine.health.look()
    assert "disk" not in [one.code for one in engine.snapshot().attention]


def test_a_look_that_may_change_nothing_is_not_remembered() -> None:
    world = well_world()
    world.host.percents[HOME] = 91.0
    engine = Engine(world.ports, replace(USUAL, ui=replace(USUAL.ui, read_only=True)))
    assert "disk" in [one.code for one in engine.health.look().attention]
    assert "disk" not in [one.code for one in engine.snapshot().attention]
