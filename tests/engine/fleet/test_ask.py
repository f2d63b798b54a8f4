from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.wire import Freshness, Heard
from memconsole.engine.fleet.ask import ask_all
from memconsole.errors import SourceAwayError
from tests.doubles.platform import NOW, FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Told:
    """A home that answers with its own host's name, or is away."""

    def __init__(self, host: str, *, is_away: bool = False) -> None:
        self.home = HomeRef("/home", host)
        self.is_away = is_away

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: object = None,
    ) -> Heard:
        del text
        if self.is_away:
            raise SourceAwayError("gone")
        row: dict[str, object] = {"schema": 1, "at": NOW.isoformat()}
        outcome = {"command": "flush", "agent": self.home.host, "status": "done", "wrote": []}
        row |= {"command": "flush", "data": [{**outcome, "message": " ".join(words)}]}
        return Heard(json.dumps(row).encode(), 0)


def test_each_home_answers_in_its_place_and_one_that_is_away_fails_no_other() -> None:
    sources = (Told("alpha"), Told("beta", is_away=True), Told("gamma"))
    alpha, beta, gamma = ask_all(sources, "flush", ["flush"], FakeClock())
    assert isinstance(alpha.data, list)
    assert isinstance(gamma.data, list)
    assert [one["agent"] for one in (*alpha.data, *gamma.data)] == ["alpha", "gamma"]
    assert (beta.freshness, beta.failure) == (Freshness.AWAY, "gone")
