"""The listening connection: what is news, what a farewell says, and that nothing stays behind."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.gateway import listener as timing
from memconsole.adapters.gateway.connection import farewell, is_news
from memconsole.adapters.gateway.reconnecting import NEAR_S, Backoff
from memconsole.domain.gateway import Verdict
from tests.adapters.gateway.scripted import error, let_in, ok, recorded, scripted, until
from tests.adapters.gateway.test_client import JSON, KEY, ROW
from tests.adapters.gateway.test_verdicts import client, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.gateway.client import GatewayClient
    from tests.program import Json

LISTED = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
SUBSCRIBED = {"on": "sessions.subscribe", "reply": ok({"subscribed": True})}
PUSHING = [*let_in("sessions.list", "sessions.subscribe"), SUBSCRIBED]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten what is only politeness."""
    monkeypatch.setattr(timing, "QUIET_S", 0.02)
    monkeypatch.setattr(timing, "APART_S", 0.0)
    monkeypatch.setattr(timing, "LOOK_S", 0.05)
    monkeypatch.setattr(timing, "_NAP_S", 0.02)


def event(name: str, number: int | None = None, /, **payload: Json) -> Json:
    """Return an event frame as a step."""
    numbered = {} if number is None else {"seq": number}
    return {"send": {"type": "event", "event": name, "payload": payload, **numbered}}


class Ear:
    """Counts the news of a client, in a thread of its own."""

    def __init__(self, made: GatewayClient) -> None:
        self.heard = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._listen, args=(made,))
        self.thread.start()

    def _listen(self, made: GatewayClient) -> None:
        for _ in made.listen(self.stop):
            self.heard += 1


@contextmanager
def listening(made: GatewayClient) -> Iterator[Ear]:
    ear = Ear(made)
    try:
        yield ear
    finally:
        ear.stop.set()
        ear.thread.join(10)
    assert not ear.thread.is_alive()


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        ("sessions.changed", {}, True),
        ("session.operation", {"phase": "start"}, True),
        ("chat", {"state": "final"}, True),
        ("chat", {"state": "aborted"}, True),
        ("chat", {"state": "delta", "message": "…"}, False),
        ("agent", {"stream": "lifecycle"}, True),
        ("agent", {"stream": "compaction"}, True),
        ("agent", {"stream": "assistant"}, False),
        ("cron", {"action": "finished"}, True),
        ("cron", {"action": "started"}, False),
        ("tick", {}, False),
        ("health", {}, False),
        ("presence", {}, False),
        ("chat", {"state": ["final"]}, False),
        (["chat"], {}, False),
        (None, {}, False),
    ],
)
def test_what_is_news(name: Json, payload: Json, expected: bool) -> None:
    assert is_news({"type": "event", "event": name, "payload": payload}) is expected


@given(st.dictionaries(st.sampled_from(["event", "payload", "seq", "state"]), JSON))
def test_any_frame_is_news_or_not(frame: dict[str, Json]) -> None:
    assert is_news(frame) in (True, False)
    payload = frame.get("payload")
    assert farewell(payload if isinstance(payload, dict) else {}).verdict.can_heal


def test_a_farewell_is_down_or_starting() -> None:
    gone = farewell({"reason": "gateway\x1b[31m stopping"})
    assert gone.verdict is Verdict.DOWN
    assert "\x1b" not in gone.message
    again = farewell({"reason": "update", "restartExpectedMs": 1500})
    assert (again.verdict, again.message) == (
        Verdict.STARTING,
        "the gateway says that it starts anew: update",
    )
    assert farewell({"reason": 7}).message == "the gateway says that it stops"


def test_only_what_the_release_knows_is_subscribed(tmp_path: Path) -> None:
    with scripted(let_in("sessions.list")) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
    assert [frame["method"] for frame in script.requests] == ["connect"]


def test_a_refused_subscription_still_listens(tmp_path: Path) -> None:
    refused = {"on": "sessions.subscribe", "reply": error("FORBIDDEN", "not for you")}
    hold = threading.Event()
    steps = [
        *let_in("sessions.list", "sessions.subscribe"),
        refused,
        {"wait": hold},
        event("chat", state="final"),
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            hold.set()
            until(lambda: ear.heard == 2)
    assert script.connections == 1


def test_a_burst_is_one_piece_of_news(tmp_path: Path) -> None:
    hold = threading.Event()
    burst = [event("sessions.changed", number, reason="send") for number in range(1, 30)]
    noise = [event("tick", 30), event("chat", 31, state="delta"), event("health", 32)]
    steps = [*PUSHING, {"wait": hold}, *burst, *noise]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            hold.set()
            until(lambda: ear.heard >= 2)
            made.read()
    assert ear.heard <= 3


def test_lost_events_are_news(tmp_path: Path) -> None:
    hold = threading.Event()
    steps = [*PUSHING, event("tick", 1), {"wait": hold}, event("tick", 5)]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            hold.set()
            until(lambda: ear.heard == 2)


def test_questions_are_answered_beside_the_listening(tmp_path: Path) -> None:
    changed = event("sessions.changed", reason="send")
    steps = [*PUSHING, changed, LISTED, changed, LISTED, changed, LISTED]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard >= 1)
            assert list(made.read().sessions) == [KEY]
            until(lambda: ear.heard >= 2)
            assert list(made.read().sessions) == [KEY]
    assert script.connections == 1


def test_what_nothing_changed_is_not_asked_for_again(tmp_path: Path) -> None:
    hold = threading.Event()
    steps = [*PUSHING, LISTED, {"wait": hold}, event("sessions.changed", reason="new"), LISTED]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            assert [len(made.read().sessions) for _ in range(5)] == [1] * 5
            assert len(script.params("sessions.list")) == 1
            hold.set()
            until(lambda: ear.heard == 2)
            assert made.read().status.verdict == "up"
            assert len(script.params("sessions.list")) == 2


def test_where_changes_are_not_pushed_every_reading_asks(tmp_path: Path) -> None:
    with scripted([*let_in("sessions.list"), LISTED, LISTED]) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            assert [len(made.read().sessions) for _ in range(2)] == [1, 1]
    assert len(script.params("sessions.list")) == 2


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        ({"reason": "gateway stopping"}, "down"),
        ({"reason": "restart", "restartExpectedMs": 1500}, "starting"),
    ],
)
def test_a_farewell_is_the_verdict_at_once(tmp_path: Path, payload: Json, verdict: str) -> None:
    hold, away = threading.Event(), threading.Event()
    steps = [*PUSHING, LISTED, {"wait": hold}, event("shutdown", **payload), {"wait": away}]
    with scripted(steps, let_in()) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            assert made.read().status.verdict == "up"
            hold.set()
            until(lambda: ear.heard == 2)
            status = made.read().status
            away.set()
            assert status.verdict == verdict
            assert script.connections == 1
            until(lambda: script.connections == 2 and ear.heard == 3)


def test_a_link_that_breaks_is_found_again(tmp_path: Path) -> None:
    hold = threading.Event()
    with scripted([*PUSHING, {"wait": hold}, {"close": 1006}], PUSHING) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
            hold.set()
            until(lambda: ear.heard == 2)
            assert made.read().status.verdict in ("up", "wedged")
    assert len(script.params("sessions.subscribe")) == 2


def test_a_gateway_that_comes_up_is_noticed(tmp_path: Path) -> None:
    port = free_port()
    made, _ = client(f"ws://127.0.0.1:{port}", tmp_path)
    with listening(made) as ear:
        until(lambda: ear.heard == 1)
        assert made.read().status.verdict == "down"
        with scripted(PUSHING, port=port):
            until(lambda: ear.heard == 2)
            ear.stop.set()
            ear.thread.join(10)


def test_silence_ends_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "_SILENT_TICKS", 0.005)
    with scripted(PUSHING) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made):
            until(lambda: script.connections == 2)


def test_switched_off_there_is_nothing_to_hear(tmp_path: Path) -> None:
    made, _ = client("ws://127.0.0.1:1", tmp_path, transport="none")
    assert list(made.listen(threading.Event())) == []


def test_nothing_stays_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with scripted(PUSHING) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 1)
        until(lambda: not any(one.name.startswith("recv") for one in threading.enumerate()))
    until(lambda: set(threading.enumerate()) <= before)


def test_where_nothing_listens_on_this_host_the_pause_stays_short() -> None:
    from memconsole.domain.gateway import GatewayPlace, refusal  # noqa: PLC0415

    place, backoff = GatewayPlace("ws://127.0.0.1:1"), Backoff()
    for _ in range(10):
        backoff.failed(place, refusal(Verdict.DOWN, "nobody"), 0.0, is_near=True)
    assert backoff.left_s(0.0) == NEAR_S
    backoff.failed(place, refusal(Verdict.BAD_TOKEN, "no"), 0.0, is_near=True)
    assert backoff.left_s(0.0) == 300.0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("recording", "conn"),
    [
        ("openclaw-2026.9/frames/events-runs.jsonl", None),
        ("openclaw-2026.9/frames/events-mutations.jsonl", None),
        ("openclaw-2026.3/frames/session.jsonl", "op"),
        ("clawdbot-2026.1/frames/session.jsonl", "op"),
    ],
)
def test_recorded_frames_are_news_now_and_then(shared: Path, recording: str, conn: str) -> None:
    [steps] = recorded(shared / "fixtures" / recording, conn)[:1]
    sent = [step["send"] for step in steps if "send" in step]
    told = [frame for frame in sent if is_news(frame)]
    assert 0 < len(told) < len(sent) * 0.7


@pytest.mark.shared
def test_a_recorded_farewell(shared: Path, tmp_path: Path) -> None:
    path = shared / "fixtures" / "openclaw-2026.9" / "frames" / "events-shutdown.jsonl"
    [steps] = recorded(path)
    for step in steps:  # the recorded list of methods is cut short
        if step.get("on") == "connect":
            step["reply"]["payload"]["features"]["methods"] = ["sessions.subscribe"]
    started = time.monotonic()
    with scripted(steps, [{"close": 1006}]) as script:
        made, _ = client(script.url, tmp_path)
        with listening(made) as ear:
            until(lambda: ear.heard == 2)
            assert made.read().status.verdict == "down"
    assert time.monotonic() - started < 10
