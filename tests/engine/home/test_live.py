"""What the Gateway sees over what the disk says, and that nobody waits for it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice, Origin, Storage
from memconsole.domain.gateway import LiveSession
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.engine.home import live
from memconsole.errors import HomeUnreadableError
from tests.doubles.bundle import World
from tests.doubles.platform import NOW
from tests.engine.rows import row as stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView

KEY = "agent:main:main"
SETTINGS = Settings(state_dir=Path("/nowhere"))


def world(*rows: LiveSession) -> World:
    made = World()
    made.sessions.hold(stored(KEY, 20_000, session_id="s-1", tokens_version=1))
    made.gateway.hold(*rows)
    return made


def holding(gate: threading.Event) -> Callable[[], None]:
    def wait() -> None:
        gate.wait(10)

    return wait


def look(made: World, origin: Origin = Origin.CLI) -> ConsoleSnapshot:
    return Engine(replace(made.ports, origin=origin), SETTINGS).snapshot()


def only(snapshot: ConsoleSnapshot) -> SessionView:
    [view] = snapshot.sessions
    return view


def test_the_gateways_count_is_laid_over_the_disks() -> None:
    row = LiveSession(KEY, session_id="s-1", tokens=160_000, tokens_fresh=True, is_active=True)
    snapshot = look(world(row))
    view = only(snapshot)
    assert (view.tokens, view.count.state, view.stored.source) == (
        160_000,
        TokenState.FRESH,
        Storage.GATEWAY,
    )
    assert view.stored.is_active is True
    assert view.read_at == NOW
    assert view.is_due
    assert snapshot.agents[0].due == 1
    assert snapshot.gateway.verdict == "up"
    assert snapshot.notices == ()


def test_a_count_that_it_does_not_give_leaves_the_disks() -> None:
    view = only(look(world(LiveSession(KEY, session_id="s-1", tokens_fresh=False))))
    assert (view.tokens, view.count.state) == (20_000, TokenState.FRESH)
    assert view.stored.source is Storage.GATEWAY


@pytest.mark.parametrize(
    "row",
    [LiveSession(KEY, session_id="s-2", tokens=1), LiveSession("agent:main:other", tokens=1)],
)
def test_another_session_is_never_merged(row: LiveSession) -> None:
    view = only(look(world(row)))
    assert (view.tokens, view.stored.source) == (20_000, Storage.FILES)


@pytest.mark.parametrize(
    ("verdict", "codes"),
    [("down", []), ("bad-token", ["gateway-refused"]), ("starting", ["gateway-refused"])],
)
def test_a_gateway_that_cannot_be_asked_leaves_the_disk(verdict: str, codes: list[str]) -> None:
    made = world()
    made.gateway.verdict = verdict
    snapshot = look(made)
    assert snapshot.gateway.verdict == verdict
    assert only(snapshot).stored.source is Storage.FILES
    assert [one.code for one in snapshot.notices] == codes


def test_one_that_is_switched_off_is_not_asked() -> None:
    made = world()
    made.gateway.verdict = "off"
    made.gateway.during["read"] = pytest.fail
    assert look(made).gateway.verdict == "off"


def test_the_list_of_sessions_for_names_asks_nobody() -> None:
    made = world()
    made.gateway.during["read"] = pytest.fail
    assert len(Engine(made.ports, SETTINGS).sessions.all()) == 1


def test_a_late_answer_is_not_waited_for_and_serves_the_next_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "BUDGET_S", 0.05)
    made = world(LiveSession(KEY, session_id="s-1", tokens=30_000))
    gate = threading.Event()
    made.gateway.during["read"] = holding(gate)
    engine = Engine(made.ports, SETTINGS)
    start = time.monotonic()
    first = engine.snapshot()
    assert time.monotonic() - start < 5
    assert (first.gateway.verdict, only(first).tokens) == ("late", 20_000)
    assert [one.code for one in first.notices] == ["gateway-late"]
    gate.set()
    deadline = time.monotonic() + 10
    while only(engine.snapshot()).tokens != 30_000:
        assert time.monotonic() < deadline


def test_a_slow_gateway_keeps_its_last_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BUDGET_S", 0.05)
    made = world(LiveSession(KEY, session_id="s-1", tokens=30_000))
    engine = Engine(made.ports, SETTINGS)
    assert only(engine.snapshot()).tokens == 30_000
    gate = threading.Event()
    made.gateway.during["read"] = holding(gate)
    again = engine.snapshot()
    gate.set()
    assert only(again).tokens == 30_000
    assert [one.message for one in again.notices] == [
        "the gateway gives no answer yet: it was asked a moment ago: its last answer is shown"
    ]
    assert again.gateway.verdict == "late"


@pytest.mark.parametrize(("patience_s", "codes"), [(60.0, []), (0.0, ["gateway-late"])])
def test_the_console_does_not_call_it_slow_at_once(
    monkeypatch: pytest.MonkeyPatch, patience_s: float, codes: list[str]
) -> None:
    monkeypatch.setattr(live, "PATIENCE_S", patience_s)
    made = world(LiveSession(KEY, session_id="s-1", tokens=30_000))
    engine = Engine(replace(made.ports, origin=Origin.CONSOLE), SETTINGS)
    deadline = time.monotonic() + 10
    while only(engine.snapshot()).tokens != 30_000:
        assert time.monotonic() < deadline
    gate = threading.Event()
    made.gateway.during["read"] = holding(gate)
    engine.snapshot()  # an answer that was on its way may still have come
    again = engine.snapshot()
    gate.set()
    assert only(again).tokens == 30_000
    assert [one.code for one in again.notices] == codes


@pytest.mark.parametrize(("budget_s", "verdict"), [(60.0, "off"), (0.0, "late")])
def test_the_console_waits_less_and_raises_no_false_alarm(
    monkeypatch: pytest.MonkeyPatch, budget_s: float, verdict: str
) -> None:
    monkeypatch.setattr(live, "PATIENCE_S", 60.0)
    monkeypatch.setattr(live, "BUDGET_S", budget_s)
    made = world()
    gate = threading.Event()
    made.gateway.during["read"] = holding(gate)
    start = time.monotonic()
    snapshot = look(made, Origin.CONSOLE)
    gate.set()
    assert time.monotonic() - start < 10
    assert snapshot.gateway.verdict == verdict
    assert bool(snapshot.notices) is (verdict != "off")


def unreadable(*rows: LiveSession) -> World:
    made = World()
    made.sessions.hold(
        stored(None, session_id="s-1"),
        storage=Storage.UNREADABLE,
        notices=(Notice("store-newer", "too new"),),
    )
    listing = made.sessions.listings["main"]
    made.sessions.listings["main"] = replace(listing, sessions=())
    made.gateway.hold(*rows)
    return made


def test_a_store_that_only_the_gateway_can_read_is_shown_from_there() -> None:
    rows = (
        LiveSession(KEY, session_id="s-1", tokens=160_000, chat_type="main"),
        LiveSession("agent:work:main", session_id="s-2", tokens=1),
        LiveSession("agent:main:old", session_id="s-3", is_archived=True),
    )
    snapshot = look(unreadable(*rows))
    view = only(snapshot)
    assert (view.key_text, view.stored.source, view.is_due) == (KEY, Storage.GATEWAY, True)
    assert snapshot.agents[0].store is Storage.GATEWAY


def test_sessions_that_only_the_gateway_lists_are_shown() -> None:
    rows = (
        LiveSession(KEY, session_id="s-1", tokens=30_000),
        LiveSession("agent:main:dashboard:new", session_id="s-9", tokens=7_000, label="New"),
        LiveSession("agent:main:dashboard:fresh", session_id="s-8"),
        LiveSession("agent:work:main", session_id="s-7", tokens=1),
        LiveSession("agent:main:old", session_id="s-3", is_archived=True),
    )
    snapshot = look(world(*rows))
    found = {view.key_text: view for view in snapshot.sessions}
    assert set(found) == {KEY, "agent:main:dashboard:new", "agent:main:dashboard:fresh"}
    new = found["agent:main:dashboard:new"]
    assert (new.stored.source, new.tokens, new.label) == (Storage.GATEWAY, 7_000, "New")
    assert (new.name, found[KEY].name) == ("New", "main")
    assert (new.transcript_state.value, new.read_at) == ("missing", NOW)
    assert found["agent:main:dashboard:fresh"].transcript_state.value == "none"
    assert snapshot.agents[0].store is Storage.FILES
    assert snapshot.notices == ()


@pytest.mark.parametrize(
    "rows",
    [
        (LiveSession("agent:main:dashboard:x", session_id="s-9", tokens=160_000),),
        (LiveSession(KEY, session_id="s-of-another-home", tokens=160_000),),
        (LiveSession("agent:ghost:main", session_id="s-1", tokens=160_000),),
    ],
)
def test_a_gateway_of_another_home_is_told_and_shows_nothing(rows: tuple[LiveSession, ...]) -> None:
    snapshot = look(world(*rows))
    view = only(snapshot)
    assert (view.key_text, view.tokens, view.stored.source) == (KEY, 20_000, Storage.FILES)
    [notice] = snapshot.notices
    assert notice.code == "gateway-other-home"
    assert "its only session is not in this one" in notice.message
    assert "gateway-other-home" in [one.code for one in snapshot.attention]


def test_one_agent_alone_says_nothing_of_other_homes() -> None:
    made = world(LiveSession("agent:work:main", session_id="s-7", tokens=1))
    snapshot = Engine(made.ports, SETTINGS).snapshot(agent_id="main")
    assert snapshot.notices == ()


def test_a_list_that_ends_before_its_total_is_a_warning_with_both_numbers() -> None:
    made = world(LiveSession(KEY, session_id="s-1", tokens=30_000))
    made.gateway.cut_at = (1, 12)
    [notice] = look(made).notices
    assert notice.code == "gateway-list-cut"
    assert "1 of its 12 sessions" in notice.message


def test_without_it_such_a_home_stays_unreadable() -> None:
    with pytest.raises(HomeUnreadableError):
        look(unreadable())


def test_news_of_the_gateway_is_a_reason_to_look_again() -> None:
    made = world(LiveSession(KEY, session_id="s-1", tokens=20_000, tokens_fresh=True))
    engine = Engine(made.ports, SETTINGS)
    assert only(engine.snapshot()).tokens == 20_000

    def grow() -> None:
        made.gateway.hold(LiveSession(KEY, session_id="s-1", tokens=30_000, tokens_fresh=True))

    made.gateway.news = [grow]
    seen = [
        only(engine.snapshot(engine.home.owners(frozenset()))).tokens
        for _ in engine.gateway.listen(threading.Event())
    ]
    assert seen == [30_000]
