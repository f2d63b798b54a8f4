"""One reading of everything: order, counts, failures that stay in their place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef, Notice, Storage
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.sessions.stored import SessionState, StoreListing, TranscriptState
from memconsole.domain.sessions.tokens import Sample, TokenState
from memconsole.domain.settings import Settings
from memconsole.engine.snapshot.record import samples_of
from memconsole.errors import HomeUnreadableError, UnknownAgentError
from tests.doubles.bundle import World, reader_of, snapshots_of
from tests.doubles.platform import HOME, NOW, answer, fake_agent
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.engine.home.reader import Reader

SETTINGS = Settings(state_dir=HOME / "state")
MAIN = AgentRef(HomeRef(str(HOME)), "main")


def _reader(world: World) -> Reader:
    return reader_of(world, SETTINGS)


def test_conversations_come_first_then_jobs_then_what_has_ended() -> None:
    world = World()
    world.sessions.hold(
        row(None, None, state=SessionState.ORPHAN),
        row("agent:main:telegram:direct:9", 5, state=SessionState.ARCHIVED),
        row("agent:main:cron:daily:run:r1", 7),
        row("agent:main:cron:daily", 199_000),
        row("agent:main:main", 10),
        row("agent:main:slack:channel:cron-alerts", 900),
    )

    taken = snapshots_of(world, _reader(world)).take()

    assert [view.key_text for view in taken.sessions] == [
        "agent:main:slack:channel:cron-alerts",
        "agent:main:main",
        "agent:main:cron:daily",
        "agent:main:cron:daily:run:r1",
        "agent:main:telegram:direct:9",
        None,
    ]
    assert taken.left_out == {
        "cron_run": 1,
        "archived": 1,
        "orphan": 1,
        "backup": 0,
        "unreadable": 0,
    }
    [agent] = taken.agents
    assert (agent.sessions, agent.due, agent.tokens_max) == (3, 0, 199_000)


def test_an_agent_without_counts_has_no_maximum() -> None:
    world = World()
    world.sessions.hold(row(tokens=None, transcript=None, transcript_state=TranscriptState.NONE))

    [agent] = snapshots_of(world, _reader(world)).take().agents

    assert agent.tokens_max is None


def test_one_unreadable_store_does_not_hide_the_others() -> None:
    world = World(fake_agent("main"), fake_agent("work"))
    broken = Notice("store-unreadable", "the store of work cannot be read", agent="work")
    world.sessions.hold(row())
    world.sessions.listings["work"] = StoreListing(
        (), Storage.UNREADABLE, {"unreadable": 1}, (broken,)
    )

    taken = snapshots_of(world, _reader(world)).take()

    assert broken in taken.notices
    assert taken.left_out["unreadable"] == 1
    assert taken.agents[1].problems == (broken,)
    assert taken.attention[0].code == "store-unreadable"


def test_a_home_of_which_nothing_can_be_read_is_no_empty_home() -> None:
    world = World()
    reason = Notice("store-unreadable", "the store is cut in the middle", agent="main")
    world.sessions.listings["main"] = StoreListing(
        (), Storage.UNREADABLE, {"unreadable": 1}, (reason,)
    )

    with pytest.raises(HomeUnreadableError, match="cut in the middle"):
        snapshots_of(world, _reader(world)).take()


def test_an_agent_without_a_store_is_sound() -> None:
    world = World()

    assert snapshots_of(world, _reader(world)).take().sessions == ()


def test_a_shared_workspace_reports_once() -> None:
    shared = HOME / "workspace"
    world = World(fake_agent("main", workspace=shared), fake_agent("ops", workspace=shared))
    twin = Notice("twin-memory", "two memory files")
    pool = world.memory.pool(shared, (), config=world.platform.config, now=NOW)
    world.memory.pools[shared] = replace(pool, notices=(twin,), agents=("main", "ops"))

    taken = snapshots_of(world, _reader(world)).take()

    assert taken.notices == (twin,)
    assert taken.agents[0].pool is taken.agents[1].pool


def test_a_missing_workspace_is_told_once() -> None:
    place = HOME / "workspace-main"
    told = Notice("workspace-missing", "the workspace of agent main is missing", str(place), "main")
    world = World(fake_agent(workspace=place, workspace_exists=False, problems=(told,)))
    pool = world.memory.pool(place, ("main",), config=world.platform.config, now=NOW)
    again = Notice("workspace-missing", "the workspace is missing", str(place), "main")
    other = Notice("oversized", "one file is large", str(place / "MEMORY.md"), "main")
    world.memory.pools[place] = replace(pool, exists=False, notices=(again, other))
    assert snapshots_of(world, _reader(world)).take().notices == (told, other)


def test_pools_are_left_out_on_demand_and_one_agent_can_be_asked_for() -> None:
    world = World(fake_agent("main"), fake_agent("work"))

    taken = snapshots_of(world, _reader(world)).take(with_pools=False, agent_id="WORK")

    assert [agent.ref.id for agent in taken.agents] == ["work"]
    assert taken.agents[0].pool is None
    with pytest.raises(UnknownAgentError, match="'агент'"):
        snapshots_of(world, _reader(world)).take(agent_id="агент")


def test_an_unchanged_store_is_not_read_again() -> None:
    world = World()
    world.sessions.hold(row(tokens=10))
    reader = _reader(world)
    first = snapshots_of(world, reader).take()
    world.clock.advance(timedelta(seconds=30))
    world.sessions.listings["main"] = StoreListing((row(tokens=20),), Storage.FILES)

    same = snapshots_of(world, reader).take()
    assert (same.sessions[0].tokens, same.sessions[0].read_at) == (10, first.taken_at)

    world.sessions.revision += 1
    unasked = snapshots_of(world, reader).take(changed=frozenset())
    assert unasked.sessions[0].tokens == 10
    changed = snapshots_of(world, reader).take(changed=frozenset({MAIN}))
    assert changed.sessions[0].tokens == 20
    assert changed.sessions[0].read_at == first.taken_at + timedelta(seconds=30)


def test_the_last_checkpoint_comes_from_our_records_else_from_the_file() -> None:
    world = World()
    workspace = world.platform.agents[0].workspace
    pool = world.memory.pool(workspace, ("main",), config=world.platform.config, now=NOW)
    written_at = NOW - timedelta(hours=1)
    world.memory.pools[workspace] = replace(pool, active_context_at=written_at)

    [agent] = snapshots_of(world, _reader(world)).take().agents
    assert agent.checkpoint_at == written_at

    world.captures.add(
        Capture(MAIN, "id", None, NOW, "h", "b", is_logged=False, day_file=None, workspace="w")
    )
    [agent] = snapshots_of(world, _reader(world)).take().agents
    assert agent.checkpoint_at == NOW


def test_an_absent_count_is_estimated_from_the_transcript() -> None:
    world = World()
    world.sessions.hold(row(tokens=None))
    world.sessions.transcripts["id-main"] = [answer(64_210)]

    [view] = snapshots_of(world, _reader(world)).take().sessions

    assert (view.count.state, view.tokens) == (TokenState.ESTIMATED, 64_210)
    assert view.percent_of_threshold == 42.8


def test_a_transcript_that_cannot_be_read_leaves_the_count_unknown() -> None:
    world = World()
    world.sessions.hold(row(tokens=None))
    world.sessions.broken.add("id-main")

    [view] = snapshots_of(world, _reader(world)).take().sessions

    assert (view.count.state, view.tokens) == (TokenState.UNKNOWN, None)


def test_growth_comes_from_samples_and_then_from_the_transcript() -> None:
    world = World()
    world.sessions.hold(row(tokens=100_000))
    world.sessions.transcripts["id-main"] = [
        replace(
            answer(100_000 - hours * 20_000, minutes_ago=hours * 60),
            parent_id=None if hours == 3 else str((hours + 1) * 60),
        )
        for hours in (3, 2, 1, 0)
    ]
    [view] = snapshots_of(world, _reader(world)).take().sessions
    assert view.growth is not None
    assert (view.growth.tokens_per_hour, view.growth.source) == (20_000, "transcript")

    world.samples.stored += [
        Sample("main", "id-main", NOW - timedelta(minutes=minutes), tokens)
        for minutes, tokens in ((60, 90_000), (40, 93_000), (20, 97_000), (0, 100_000))
    ]
    [view] = snapshots_of(world, _reader(world)).take().sessions
    assert view.growth is not None
    assert (view.growth.tokens_per_hour, view.growth.source) == (10_000, "samples")
    assert view.growth.due_at == NOW + timedelta(hours=5)


def test_only_known_counts_of_live_sessions_become_samples() -> None:
    world = World()
    world.sessions.hold(
        row("agent:main:main", 10),
        row("agent:main:a:direct:1", 20, tokens_fresh=False),
        row("agent:main:a:direct:2", None),
        row("agent:main:a:direct:3", 40, state=SessionState.ARCHIVED),
    )

    taken = snapshots_of(world, _reader(world)).take()

    assert samples_of(taken) == (Sample("main", "id-main", NOW, 10),)


def test_labels_are_cleaned() -> None:
    world = World()
    world.sessions.hold(row(label="\x1b[31m[/INST]\nlabel"))

    [view] = snapshots_of(world, _reader(world)).take().sessions

    assert view.label == "[/INST] label"
