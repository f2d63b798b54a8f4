"""Freshness of real rows: the policy of the configuration, and what must be saved first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Era, PlatformConfig, Storage
from memconsole.domain.commands.flush import Flush
from memconsole.domain.commands.outcomes import Skipped
from memconsole.domain.freshness import Mode, describe
from memconsole.domain.jobs.schedule import Every
from memconsole.domain.settings.sections import FreshnessSettings
from memconsole.engine.engine import Engine
from memconsole.engine.freshness import policies
from memconsole.scheduler.jobs import TABLE
from tests.doubles.platform import NOW, fake_agent
from tests.engine.checkpoint.checkpoint_stage import MAIN, Stage, done
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.snapshot.snapshot import SessionDetail
    from memconsole.engine.freshness import Precapture

KEY = "agent:main:main"
DAILY_AT_5 = {"session": {"reset": {"mode": "daily", "atHour": 5}}}
TOMORROW = datetime(2026, 1, 27, 5, tzinfo=UTC)


def stage(*rows: StoredSession, section: dict[str, object] | None = None) -> Stage:
    config = PlatformConfig(checked=DAILY_AT_5 if section is None else section)
    made = Stage(config=config)
    made.hold(*(rows or (row(started_at=NOW - timedelta(hours=2)),)))
    return made


def detail(made: Stage, key: str = KEY) -> SessionDetail:
    return Engine(made.world.ports, made.settings).sessions.detail(key)


def ahead(made: Stage, at: datetime) -> tuple[Precapture, ...]:
    return Engine(made.world.ports, made.settings).due.precaptures(at)


def test_a_session_shows_policy_and_next_events() -> None:
    found = detail(stage())
    assert found.freshness is not None
    assert (found.freshness.policy.origin, found.freshness.is_stale) == ("session.reset", False)
    assert found.next_events == {"daily_reset": TOMORROW}


def test_a_session_shows_where_things_happen_and_its_last_flush() -> None:
    made = stage()
    found = detail(made)
    assert found.last_flush_at is None
    assert found.limits == {
        "flush_early": 140_000,
        "flush_final": 176_000,
        "rotation": 150_000,
        "compaction": 180_000,
    }
    Engine(made.world.ports, made.settings).run(Flush(MAIN, KEY))
    assert detail(made).last_flush_at == NOW


def test_rules_are_found_once_for_sessions_of_one_class_and_channel() -> None:
    section: dict[str, object] = {
        "session": {"resetByChannel": {"telegram": {"mode": "idle", "idleMinutes": 90}}}
    }
    first, second = (f"agent:main:telegram:direct:{number}" for number in (7, 8))
    made = stage(row(first), row(second), row(), section=section)
    snapshot = Engine(made.world.ports, made.settings).snapshot()
    views = {view.key_text: view for view in snapshot.sessions}
    policy_of = policies(snapshot.home, made.settings, None)

    told, other = policy_of(views[first]), policy_of(views[KEY])
    assert told is not None
    assert other is not None
    assert policy_of(views[second]) is told
    assert (told.mode, other.mode) == (Mode.IDLE, Mode.DAILY)


def test_the_channel_comes_from_the_store_or_the_key() -> None:
    section: dict[str, object] = {
        "session": {"resetByChannel": {"telegram": {"mode": "idle", "idleMinutes": 90}}}
    }
    key = "agent:main:telegram:direct:7"
    made = stage(row(key, last_interaction_at=NOW - timedelta(minutes=30)), section=section)
    made.say("id-7", "hello there")
    found = detail(made, key)
    assert found.next_events == {"idle_reset": NOW + timedelta(minutes=60)}
    by_store = row(key, channel="discord")
    assert detail(stage(by_store, section=section), key).freshness != found.freshness


def test_a_new_release_resets_nothing_unless_it_is_told() -> None:
    made = stage(section={})
    assert detail(made).freshness is not None
    assert detail(made).freshness.policy.mode is Mode.DAILY  # type: ignore[union-attr]
    made.world.platform.agents = (fake_agent(era=Era(sessions=Storage.SQLITE)),)
    assert detail(made).freshness.policy.mode is Mode.NONE  # type: ignore[union-attr]
    made.settings = replace(made.settings, freshness=FreshnessSettings(assume="daily"))
    assert detail(made).freshness.policy.mode is Mode.DAILY  # type: ignore[union-attr]


@pytest.mark.parametrize("kept", [Storage.FILES, Storage.SQLITE, Storage.NONE])
@pytest.mark.parametrize("assume", ["auto", "none"])
@pytest.mark.parametrize(
    "section",
    [
        {},
        {"reset": {"atHour": 5}, "idleMinutes": 9},
        {"reset": {"idleMinutes": 30}},
        {"idleMinutes": 45},
    ],
)
def test_the_configuration_and_a_session_tell_the_rule_in_the_same_words(
    kept: Storage, assume: str, section: dict[str, object]
) -> None:
    made = stage(section={"session": section})
    made.world.platform.agents = (fake_agent(era=Era(sessions=kept)),)
    made.settings = replace(made.settings, freshness=FreshnessSettings(assume=assume))
    engine = Engine(made.world.ports, made.settings)
    [checked] = [one for one in engine.config.check().findings if one.id == "session-reset"]
    freshness = detail(made).freshness
    assert freshness is not None
    assert describe(freshness).endswith(checked.why)


def test_jobs_and_archives_have_none() -> None:
    made = stage(row("agent:main:cron:job"))
    assert detail(made, "agent:main:cron:job").freshness is None


def test_what_is_unsaved_is_due_ten_minutes_before_the_boundary() -> None:
    made = stage()
    assert ahead(made, TOMORROW - timedelta(minutes=11)) == ()
    [one] = ahead(made, TOMORROW - timedelta(minutes=10))
    assert (one.key, one.session_id, one.reset_at, one.captured_at) == (
        KEY,
        "id-main",
        TOMORROW,
        None,
    )
    [overdue] = ahead(made, TOMORROW + timedelta(hours=3))
    assert overdue.reset_at is None


def test_a_capture_ahead_of_a_reset_says_so() -> None:
    made = stage()
    made.world.clock.at = TOMORROW - timedelta(minutes=5)
    engine = Engine(made.world.ports, made.settings)
    [job] = [one for one in TABLE if one.id == "freshness_capture"]
    assert job.commands is not None
    [command] = job.commands(engine, dry_run=False)
    assert isinstance(command, Flush)
    outcome = engine.run(command)
    assert f"saved {KEY} before its reset: " in outcome.message
    assert "compaction" not in outcome.message


def test_an_agent_may_have_its_own_time_ahead_of_a_reset_or_none() -> None:
    [job] = [one for one in TABLE if one.id == "freshness_capture"]
    made, soon = stage(), TOMORROW - timedelta(minutes=25)
    off, early = (
        replace(made.settings, freshness=FreshnessSettings(precapture=timedelta(minutes=minutes)))
        for minutes in (0, 30)
    )
    made.settings = replace(off, agents={"main": early})
    assert job.is_enabled(made.settings)
    assert job.trigger(made.settings) == Every(timedelta(minutes=2))
    assert [one.key for one in ahead(made, soon)] == [KEY]
    made.settings = replace(early, agents={"main": off})
    assert job.is_enabled(made.settings)
    assert (ahead(made, soon), ahead(made, TOMORROW + timedelta(minutes=1))) == ((), ())
    assert not job.is_enabled(off)


def test_what_was_saved_since_is_not_due() -> None:
    made = stage()
    done(made.run())
    assert ahead(made, TOMORROW) == ()
    made.world.clock.advance(timedelta(hours=1))
    talked = row(started_at=NOW - timedelta(hours=2), last_interaction_at=NOW + timedelta(hours=1))
    made.hold(talked)
    [one] = ahead(made, TOMORROW - timedelta(minutes=1))
    assert one.captured_at == NOW
    assert one.agent == MAIN


def test_a_flush_that_found_too_little_is_not_repeated() -> None:
    made = stage()
    made.say("id-main", "hi")
    made.world.clock.at = TOMORROW - timedelta(minutes=5)
    engine = Engine(made.world.ports, made.settings)
    [one] = engine.due.precaptures()
    assert isinstance(engine.run(Flush(one.agent, one.key)), Skipped)
    assert engine.due.precaptures() == ()


def test_a_session_that_is_never_captured_is_never_due() -> None:
    made = stage(row("agent:main:telegram:group:-1", started_at=NOW))
    assert ahead(made, TOMORROW) == ()


def test_the_nearest_comes_first_and_overdue_ones_before() -> None:
    section: dict[str, object] = {
        "session": {
            "reset": {"mode": "daily", "atHour": 5, "idleMinutes": 30},
        }
    }
    rows = [
        row(KEY, last_interaction_at=NOW - timedelta(minutes=21), started_at=NOW),
        row(
            "agent:main:dashboard:a",
            last_interaction_at=NOW - timedelta(minutes=25),
            started_at=NOW,
        ),
        row("agent:main:dashboard:b", last_interaction_at=NOW - timedelta(hours=2), started_at=NOW),
        row(
            "agent:main:dashboard:c", last_interaction_at=NOW - timedelta(minutes=1), started_at=NOW
        ),
    ]
    found = [one.key for one in ahead(stage(*rows, section=section), NOW)]
    assert found == ["agent:main:dashboard:b", "agent:main:dashboard:a", KEY]
