"""The one link: broken, refused and signed anew; what is asked twice, and what never is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.errors import GatewayCallError, GatewayUnavailableError
from tests.adapters.gateway.scripted import error, let_in, ok, scripted
from tests.adapters.gateway.test_client import KEY, ROW
from tests.adapters.gateway.test_verdicts import client

if TYPE_CHECKING:
    from pathlib import Path

NO_SCOPE = error("INVALID_REQUEST", "missing scope: operator.read")
LISTED = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
UNSIGNED = [*let_in(scopes=None), {"on": "sessions.list", "reply": NO_SCOPE}]


def test_an_error_about_the_question_is_told_in_the_status(tmp_path: Path) -> None:
    odd = {"on": "sessions.list", "reply": error("INVALID_REQUEST", "the store is odd")}
    with scripted([*let_in(), odd]) as script:
        made, _ = client(script.url, tmp_path)
        reading = made.read()
        made.close()
    assert (reading.status.verdict, reading.sessions) == ("up", {})
    assert "the store is odd" in (reading.status.reason or "")


def test_a_lost_compaction_is_not_asked_for_again(tmp_path: Path) -> None:
    with scripted([*let_in(), {"on": "sessions.compact"}, {"close": 1012}]) as script:
        made, _ = client(script.url, tmp_path)
        assert made.compact(KEY).is_lost
        made.close()
    assert len(script.params("sessions.compact")) == 1


def test_where_no_scopes_are_named_acting_asks_first(tmp_path: Path) -> None:
    with scripted(UNSIGNED, [*let_in(scopes=None), LISTED]) as script:
        made, _ = client(script.url, tmp_path)
        assert made.require().verdict == "up"
        assert made.require().verdict == "up"
        made.close()
    assert [one["limit"] for one in script.params("sessions.list")] == [1, 1]
    assert ["device" in one for one in script.params("connect")] == [False, True]


def test_a_reading_proves_access_as_well(tmp_path: Path) -> None:
    with scripted([*let_in(scopes=None), LISTED]) as script:
        made, _ = client(script.url, tmp_path)
        assert made.read().status.verdict == "up"
        assert made.require().verdict == "up"
        made.close()
    assert len(script.params("sessions.list")) == 1


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        (UNSIGNED, "missing-scope"),
        ([*let_in(scopes=None), {"on": "sessions.list"}, {"close": 1006}], "down"),
        ([*UNSIGNED[:1], {"on": "connect", "reply": error("NOT_PAIRED", "no")}], "not-paired"),
    ],
)
def test_a_signed_link_that_does_not_help_either(
    tmp_path: Path, second: list[dict[str, object]], verdict: str
) -> None:
    with scripted(UNSIGNED, second) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayUnavailableError) as caught:
            made.require()
    assert caught.value.code == verdict
    assert script.connections == 2


def test_a_gateway_that_comes_back_is_found_again(tmp_path: Path) -> None:
    found = {"on": "sessions.describe", "reply": ok({"session": ROW})}
    gone = [{"close": 1006}]
    up = [*let_in("sessions.describe"), found]
    with scripted([*up, {"close": 1012}], gone, gone, up) as script:
        made, slept = client(script.url, tmp_path)
        assert made.find(KEY) is not None
        assert made.find(KEY, patience_s=30) is not None
        made.close()
    assert slept == [1.0, 2.0]
    assert script.connections == 4


def test_without_patience_it_is_told_at_once(tmp_path: Path) -> None:
    with scripted([{"close": 1006}]) as script:
        made, slept = client(script.url, tmp_path)
        with pytest.raises(GatewayUnavailableError):
            made.find(KEY)
    assert slept == []


def test_a_refused_question_while_acting_is_an_error(tmp_path: Path) -> None:
    odd = {"on": "sessions.describe", "reply": error("INVALID_REQUEST", "odd")}
    with scripted([*let_in("sessions.describe"), odd]) as script:
        made, _ = client(script.url, tmp_path)
        with pytest.raises(GatewayCallError):
            made.find(KEY)
        made.close()
