"""Gateways that take their time, really waited for: every face uses the same words for them.

Scripted servers on loopback greet after half a second up to nine, refuse late, list late, or never
speak. `status` waits a second and says `late`; `health` waits ten, and only it may say `wedged`.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine
from memconsole.config.load import load
from memconsole.domain.agents import Origin
from memconsole.domain.settings.sections import MetricsSettings
from tests.adapters.gateway.scripted import (
    CHALLENGE,
    TOKEN,
    Script,
    error,
    hello,
    let_in,
    ok,
    scripted,
)
from tests.lanes.home import NOW, make_home
from tests.lanes.terminal import running
from tests.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.program import Answer, Json

pytestmark = pytest.mark.slow_gateway

SESSION = "7f3a2c11-0b1c-4d2e-8f3a-111122223333"
ROW = {"key": "agent:main:main", "sessionId": SESSION, "totalTokens": 90_000}
LISTED = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
NO_TOKEN = error("INVALID_REQUEST", "unauthorized", code="AUTH_TOKEN_MISMATCH")

STATUS_S = 1.0
HEALTH_S = 10.0
START_S = 6.0
"""What a busy machine may need beside the wait itself."""


@pytest.fixture(autouse=True, scope="session")
def loaded() -> None:
    """Load the program once: what it takes to start is no part of what is measured."""
    Program({"HOME": "/nonexistent"})("--version")


def greets_after(seconds: float) -> list[Json]:
    return [{"after_s": seconds}, *let_in(), LISTED]


def lets_in_after(seconds: float) -> list[Json]:
    late = {"after_s": seconds, "send": {**ok(hello()), "id": "memconsole-1"}}
    return [{"send": CHALLENGE}, {"on": "connect"}, late, LISTED]


def lists_after(seconds: float) -> list[Json]:
    late = {"after_s": seconds, "send": {**ok({"sessions": [ROW]}), "id": "memconsole-2"}}
    return [*let_in(), {"on": "sessions.list"}, late]


def refuses_after(seconds: float) -> list[Json]:
    return [{"after_s": seconds}, {"send": CHALLENGE}, {"on": "connect", "reply": NO_TOKEN}]


NEVER_SPEAKS: list[Json] = [{"after_s": 60.0}]
GREETS_ONLY: list[Json] = [{"send": CHALLENGE}, {"on": "connect"}, {"after_s": 60.0}]


@dataclass(frozen=True, slots=True)
class Place:
    """A home, a state of our own, and the program over them.

    Attributes:
        script: What the Gateway saw.
    """

    folder: Path
    script: Script

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "MEMCONSOLE_NOW": NOW,
            "MEMCONSOLE_GATEWAY__URL": self.script.url,
            "MEMCONSOLE_GATEWAY__TOKEN": TOKEN,
            "MEMCONSOLE_GATEWAY__TRANSPORT": "ws",
        }

    def ask(self, *arguments: str) -> Answer:
        return Program(self.environment).json(*arguments)

    def metrics(self) -> dict[str, str]:
        """Publish as the scheduler does, and return the samples about the Gateway."""
        file = self.folder / "memconsole.prom"
        settings = replace(
            load(self.environment),
            home=self.folder / ".openclaw",
            metrics=MetricsSettings(textfile=file),
        )
        engine.build_engine(settings, Origin.SCHEDULER).metrics.publish()
        text = file.read_text("utf-8")
        rows = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: value for name, _, value in rows if name.startswith("memconsole_gateway")}


@contextmanager
def at_gateway(folder: Path, steps: Sequence[Json]) -> Iterator[Place]:
    make_home(folder)
    with scripted(steps) as script:
        yield Place(folder, script)


def took_s(start: float) -> float:
    return time.monotonic() - start


def in_time(ask: Callable[[], Json], verdict: str, *, tries: int = 5) -> Json:
    """Return what was answered once it is this verdict.

    Where the Gateway answers just within a wait, a busy machine may need more than one try.
    """
    found = ask()
    for _ in range(tries - 1):
        if verdict in (found.get("verdict"), found.get("value")):
            break
        found = ask()
    return found


def gateway_check(place: Place) -> Json:
    [found] = [one for one in place.ask("health").data["checks"] if one["id"] == "gateway"]
    return found


@pytest.mark.parametrize("seconds", [0.5, 1.7, 4.0, 9.0])
@pytest.mark.parametrize("way", [greets_after, lets_in_after, lists_after])
def test_health_waits_for_a_slow_one(way: object, seconds: float, tmp_path: Path) -> None:
    with at_gateway(tmp_path, way(seconds)) as place:  # type: ignore[operator]
        check = in_time(lambda: gateway_check(place), "up")
    assert (check["value"], check["status"]) == ("up", "ok"), check


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (greets_after(0.5), "up"),
        (greets_after(1.7), "late"),
        (greets_after(4.0), "late"),
        (greets_after(9.0), "late"),
        (lists_after(9.0), "late"),
        (refuses_after(0.2), "bad-token"),
        (refuses_after(1.7), "late"),
        (GREETS_ONLY, "late"),
        (NEVER_SPEAKS, "late"),
    ],
)
def test_status_waits_a_second(steps: list[Json], verdict: str, tmp_path: Path) -> None:
    with at_gateway(tmp_path, steps) as place:
        status = in_time(lambda: place.ask("status").data["gateway"], verdict, tries=20)
        assert status["verdict"] == verdict
        if verdict == "late":
            assert "`memconsole health` waits longer" in status["hint"]
            said = f"the gateway gives no answer yet: {status['reason']}"
            lines = [one["message"] for one in place.ask("status").data["attention"]]
            assert said in lines
            for command in ("status", "agents", "sessions"):
                start = time.monotonic()
                answer = place.ask(command)
                assert took_s(start) < STATUS_S + START_S
                assert answer.code == 0
                [told] = [one for one in answer.warnings if one["code"] == "gateway-late"]
                assert said in told["message"]


@pytest.mark.parametrize(
    ("steps", "verdict", "least_s"),
    [
        (refuses_after(1.7), "bad-token", 1.7),
        (refuses_after(9.0), "bad-token", 9.0),
        (GREETS_ONLY, "late", HEALTH_S),
        (lists_after(20.0), "late", HEALTH_S),
        (NEVER_SPEAKS, "wedged", HEALTH_S),
    ],
)
def test_health_has_the_last_word(
    steps: list[Json], verdict: str, least_s: float, tmp_path: Path
) -> None:
    spans_s: list[float] = []

    def look() -> Json:
        start = time.monotonic()
        found = gateway_check(place)
        spans_s.append(took_s(start))
        return found

    with at_gateway(tmp_path, steps) as place:
        check = in_time(look, verdict)
    assert (check["value"], check["status"]) == (verdict, "warning"), check
    assert least_s - 0.1 <= spans_s[-1] < HEALTH_S + START_S


def test_only_the_second_look_is_an_alert_and_critical(tmp_path: Path) -> None:
    with at_gateway(tmp_path, NEVER_SPEAKS) as place:
        seen = []
        for _ in range(2):
            place.ask("once", "health")
            found = place.ask("alerts", "list").data
            seen += [one for one in found if one["id"] == "gateway"]
    assert [one["status"] for one in seen] == ["warning", "critical"]
    assert all("the Gateway is wedged" in one["message"] for one in seen)


@pytest.mark.parametrize(
    "steps", [greets_after(1.7), refuses_after(1.7), lists_after(6.0), greets_after(9.0)]
)
def test_a_slow_one_is_never_a_critical_alert(steps: list[Json], tmp_path: Path) -> None:
    with at_gateway(tmp_path, steps) as place:
        for _ in range(2):
            place.ask("once", "health")
        alerts = [one for one in place.ask("alerts", "list").data if one["id"] == "gateway"]
    assert [one["status"] for one in alerts if one["status"] == "critical"] == []


@pytest.mark.parametrize(
    ("steps", "samples"),
    [
        (
            greets_after(0.2),
            {"memconsole_gateway_up": "1.0", 'memconsole_gateway_verdict{verdict="up"}': "1.0"},
        ),
        (greets_after(1.7), {'memconsole_gateway_verdict{verdict="late"}': "1.0"}),
        (greets_after(9.0), {'memconsole_gateway_verdict{verdict="late"}': "1.0"}),
        (refuses_after(4.0), {'memconsole_gateway_verdict{verdict="late"}': "1.0"}),
        (NEVER_SPEAKS, {'memconsole_gateway_verdict{verdict="late"}': "1.0"}),
        (
            refuses_after(0.2),
            {
                "memconsole_gateway_up": "0.0",
                'memconsole_gateway_verdict{verdict="bad-token"}': "1.0",
            },
        ),
    ],
)
def test_monitoring_is_told_the_same_word(
    steps: list[Json], samples: dict[str, str], tmp_path: Path
) -> None:
    with at_gateway(tmp_path, steps) as place:
        found = [place.metrics() for _ in range(10)]
    assert samples in found


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (greets_after(1.7), ("2026.9.6",)),
        (greets_after(9.0), ("no answer yet", "2026.9.6")),
        (refuses_after(4.0), ("no answer yet", "bad-token")),
        (NEVER_SPEAKS, ("no answer yet", "wedged")),
    ],
)
def test_the_console_says_late_and_then_what_it_is(
    steps: list[Json], words: tuple[str, ...], tmp_path: Path
) -> None:

    command = [sys.executable, "-m", "memconsole"]
    with at_gateway(tmp_path, steps) as place:
        environment = {**place.environment, "TERM": "xterm-256color"}
        with running(command, (120, 40), environment) as terminal:
            for word in words:
                terminal.wait_for(word)
            terminal.press("q")
            assert terminal.wait() == 0
