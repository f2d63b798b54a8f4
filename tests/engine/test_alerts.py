"""Looking after health and telling people, over fakes."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import HealthSettings, UiSettings
from memconsole.engine.engine import Engine
from memconsole.errors import HomeNotFoundError, ReadOnlyError
from memconsole.scheduler.jobs import look_after_health
from tests.doubles.bundle import World
from tests.doubles.platform import HOME

SETTINGS = Settings(state_dir=HOME / "state", timezone="UTC")
MINUTES = timedelta(minutes=5)


@pytest.fixture
def world() -> World:
    made = World()
    made.gateway.verdict = "up"
    made.gateway.scopes = ("operator.read", "operator.admin")
    made.host.lines = ("node openclaw gateway",)
    return made


def engine(world: World, **health: object) -> Engine:
    rules = replace(HealthSettings(), **health)  # type: ignore[arg-type]  # checked by replace
    return Engine(world.ports, replace(SETTINGS, health=rules))


def look(world: World, made: Engine) -> str:
    """Look once, five minutes after the last time; return how the job ended."""
    world.clock.advance(MINUTES)
    return look_after_health(made, threading.Event()).status


def test_a_dead_gateway_is_one_message_and_its_return_another(world: World) -> None:
    made = engine(world)
    assert look(world, made) == "done"
    assert world.alerts.webhook.messages == []
    world.gateway.verdict, world.host.lines = "down", ()
    for _ in range(5):
        assert look(world, made) == "done"
    assert world.alerts.webhook.told() == [("alert", ["gateway", "gateway-process"])]
    world.gateway.verdict, world.host.lines = "up", ("node openclaw gateway",)
    for _ in range(5):
        look(world, made)
    assert world.alerts.webhook.told()[1:] == [("recovery", ["gateway", "gateway-process"])]
    kinds = [kind for kind, _ in world.alerts.log.told()]
    assert kinds == ["suppressed", "alert", *["suppressed"] * 3, "recovery"]


def test_a_restart_forgets_nothing(world: World) -> None:
    world.gateway.verdict = "down"
    for _ in range(3):
        look(world, engine(world))
    assert len(world.alerts.webhook.messages) == 1


def test_since_is_remembered_everywhere(world: World) -> None:
    made = engine(world)
    world.gateway.verdict = "down"
    look(world, made)
    first = world.clock.now()
    look(world, made)
    [alert] = [one for one in made.snapshot().alerts if one.issue == "gateway"]
    assert (alert.since, alert.seen_at) == (first, world.clock.now())
    [check] = [one for one in made.health.report().checks if one.id == "gateway"]
    assert check.since == first
    assert [one.issue for one in made.snapshot().alerts] == ["gateway"]
    assert world.alerts.status_file.text is not None
    written = json.loads(world.alerts.status_file.text)
    [row] = [one for one in written["checks"] if one["id"] == "gateway"]
    assert (written["overall"], row["since"]) == ("critical", first.isoformat(timespec="seconds"))


def test_a_failed_delivery_is_tried_once_more_and_again_with_the_next_look(world: World) -> None:
    made = engine(world)
    world.gateway.verdict = "down"
    assert look(world, made) == "done"
    world.alerts.webhook.failures = 1
    assert look(world, made) == "done"
    assert (world.alerts.webhook.tries, len(world.alerts.webhook.messages)) == (2, 1)
    world.host.percents[HOME] = 98.0
    world.alerts.webhook.failures = 2
    assert look(world, made) == "failed"
    assert world.alerts.log.told()[-2:][0] == ("alert", ["disk"])
    assert look(world, made) == "done"
    assert world.alerts.webhook.told()[-1] == ("alert", ["disk"])


def test_what_cannot_help_is_not_tried_again(world: World) -> None:
    world.host.percents[HOME] = 98.0
    world.alerts.webhook.failures, world.alerts.webhook.is_final = 9, True
    assert look(world, engine(world)) == "failed"
    assert world.alerts.webhook.tries == 1


def test_a_full_disk_sends_no_flood(world: World) -> None:
    made = engine(world)
    world.alerts.store.is_unwritable = world.alerts.status_file.is_full = True
    world.gateway.verdict = "down"
    for _ in range(5):
        assert look(world, made) == "done"
    assert len(world.alerts.webhook.messages) == 1
    world.alerts.store.is_unwritable = False
    look(world, made)
    assert "gateway" in world.alerts.store.stored[str(HOME)].open


def test_a_home_that_goes_away_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(world)
    look(world, made)

    def gone() -> None:
        raise HomeNotFoundError(str(HOME))

    with monkeypatch.context() as patch:
        patch.setattr(world.platform, "read", gone)
        look(world, made)
        with pytest.raises(HomeNotFoundError):
            engine(world).health.look_after()
    look(world, made)
    assert world.alerts.webhook.told() == [("alert", ["health"]), ("recovery", ["health"])]


@pytest.mark.parametrize(("hours", "told"), [("13:00-14:00", []), ("14:00-15:00", ["disk"])])
def test_quiet_hours_are_local(hours: str, told: list[str], world: World) -> None:
    made = engine(world, quiet_hours=hours)
    world.host.percents[HOME] = 91.0
    look(world, made)
    assert [name for _, names in world.alerts.webhook.told() for name in names] == told
    assert world.alerts.log.told() == [("alert", ["disk"])]


def test_a_round_that_is_told_to_end_tells_the_rest_later(world: World) -> None:
    made = engine(world)
    world.host.percents[HOME] = 98.0
    stop = threading.Event()
    stop.set()
    end = look_after_health(made, stop)
    assert (end.status, end.reason) == ("failed", "cancelled")
    look(world, made)
    assert len(world.alerts.webhook.messages) == 1


def test_a_test_reaches_every_channel(world: World) -> None:
    found = engine(world).alerts.test()
    assert [(one.channel, one.error) for one in found] == [("log", None), ("webhook", None)]
    [message] = world.alerts.webhook.messages
    assert (message["kind"], message["issues"]) == ("test", [])
    world.alerts.webhook.failures = 1
    [_, planned] = engine(world).alerts.test(dry_run=True)
    assert (planned.error, planned.is_planned) == ("webhook has no address", True)
    assert len(world.alerts.webhook.messages) == 1


def test_nothing_is_sent_when_nothing_may_be_done(world: World) -> None:
    made = Engine(world.ports, replace(SETTINGS, ui=UiSettings(read_only=True)))
    with pytest.raises(ReadOnlyError):
        made.alerts.test()
    with pytest.raises(ReadOnlyError):
        made.health.look_after()
    assert world.alerts.log.messages == []


def test_a_muted_issue_is_told_to_nobody_until_it_is_over(world: World) -> None:
    made = engine(world)
    world.host.percents[HOME] = 98.0
    look(world, made)
    made.alerts.mute("disk", timedelta(days=1))
    for _ in range(9):
        assert look(world, made) == "done"
    assert world.alerts.webhook.told() == [("alert", ["disk"])]
    [one] = made.alerts.standings()
    assert one.muted_until == one.told_at + timedelta(days=1)  # type: ignore[operator]
    made.alerts.mute("disk", None)
    look(world, made)
    assert world.alerts.webhook.told() == [("alert", ["disk"])] * 2


def test_nothing_is_muted_read_only(world: World) -> None:
    settings = replace(SETTINGS, ui=UiSettings(read_only=True))
    for span in (timedelta(hours=1), None):
        with pytest.raises(ReadOnlyError):
            Engine(world.ports, settings).alerts.mute("gateway", span)


def test_the_job_names_what_is_bad_the_gravest_first(world: World) -> None:
    world.gateway.verdict, world.host.lines = "down", ()
    saids = []
    for _ in range(2):
        world.clock.advance(MINUTES)
        saids.append(look_after_health(engine(world), threading.Event()).message)
    bad = "2 of 21 checks are bad: gateway, gateway-process"
    assert saids == [bad, f"{bad}; told webhook"]
