"""A host carries a letter out once, whatever the server of the fleet says of it and of the time."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.fleet.letters import Letter, LetterState, Operator, Received
from memconsole.engine.fleet.letters import Door, LetterWorker
from memconsole.errors import FleetError, StateError
from tests.doubles.alerts import FakeStatusFile
from tests.doubles.platform import NOW, FakeClock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.domain.fleet.shapes import Json

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class LyingBox:
    """A server that was taken over: it shows letters again and tells any time.

    Attributes:
        told: State and outcome of each letter, as it was told.
    """

    def __init__(self) -> None:
        self.letters: list[Received] = []
        self.told: list[tuple[str, LetterState, str]] = []
        self.refuses_long = False

    def shows(self, number: str, deadline: datetime, now: datetime, *, host: str = "alpha") -> None:
        """Show one letter that was not begun, as it says."""
        letter = Letter(number, host, "h", ("checkpoint",), deadline)
        self.letters = [Received(number, LetterState.SENT, letter, "k", True, now)]

    def knows_as_begun(self) -> None:
        """Show what it showed as begun."""
        self.letters = [one._replace(state=LetterState.BEGUN) for one in self.letters]

    def open(self, wait_s: float) -> tuple[Received, ...]:
        """Return what it shows."""
        return tuple(self.letters)

    def begin(self, letter_id: str) -> bool:
        """Agree."""
        return True

    def finish(self, letter_id: str, state: LetterState, code: int, outcome: Json) -> None:
        """Note it, where it is not too long."""
        if self.refuses_long and len(str(outcome)) > 1000:
            raise FleetError("too long")
        self.told.append((letter_id, state, str(outcome)))

    def close(self) -> None:
        """Nothing is open."""


class Host:
    """A worker with a command line that counts."""

    def __init__(self) -> None:
        self.box, self.clock, self.done = LyingBox(), FakeClock(), 0
        door = Door("alpha", ["h"], [Operator("ann", "k", frozenset({"*"}))], ["checkpoint"])
        self.answer: Json = {"schema": 1}
        self.begun = FakeStatusFile()
        self.ended: Counter[str] = Counter()
        self.worker = LetterWorker(
            self.box, door, self.do, self.begun, self.clock, ended=self.ended
        )

    def do(self, words: Sequence[str]) -> tuple[int, Json]:
        """Carry out one call."""
        self.done += 1
        return 0, self.answer


def test_what_was_begun_is_not_forgotten_because_the_server_says_so() -> None:
    host = Host()
    host.box.shows("1", NOW + DAY, NOW)
    host.worker.round()
    assert host.done == 1
    for hours in range(0, 24 * 6, 5):
        host.clock.at = NOW + hours * HOUR
        for off in range(-48, 49, 6):
            host.box.shows("1", NOW + DAY, host.clock.at + off * HOUR)
            host.worker.round()
    assert host.done == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"1": 2}', '{"1": "soon"}'])
def test_nothing_is_begun_where_it_cannot_be_told_what_was(text: str) -> None:
    host = Host()
    host.begun.write(text)
    host.box.shows("1", NOW + DAY, NOW)

    with pytest.raises(StateError, match="none is begun"):
        host.worker.round()
    assert host.done == 0


def test_ends_are_counted_by_verb_and_what_somebody_made_up_is_no_verb() -> None:
    host = Host()
    for number, command in enumerate(("checkpoint", "x" * 99)):
        host.answer = {"schema": 1, "command": command}
        host.box.shows(str(number), NOW + DAY, NOW)
        host.worker.round()
    assert host.ended == {"checkpoint answered": 1, "other answered": 1}


def test_a_server_whose_time_is_days_off_has_nothing_begun() -> None:
    host = Host()
    host.box.shows("1", NOW - 3 * DAY + HOUR, NOW - 3 * DAY)
    host.worker.round()
    host.box.shows("2", NOW + 10 * DAY, NOW)
    host.worker.round()
    assert host.done == 0
    assert [state for _, state, _ in host.box.told] == [LetterState.REFUSED] * 2
    assert "a day apart" in host.box.told[0][2]
    assert "longer than a day" in host.box.told[1][2]


def test_an_outcome_that_the_server_does_not_take_keeps_no_letter_waiting() -> None:
    host = Host()
    host.box.refuses_long, host.answer = True, "x" * 2000
    host.box.shows("1", NOW + HOUR, NOW)
    host.worker.round()
    [(number, state, said)] = host.box.told
    assert (number, state) == ("1", LetterState.ANSWERED)
    assert "too long" in said


def test_a_letter_that_was_signed_for_another_host_is_refused() -> None:
    """The server told whoever signed it that our home is one of that host's."""
    host = Host()
    host.box.shows("1", NOW + HOUR, NOW, host="beta")
    host.worker.round()
    assert host.done == 0
    assert "for another host" in host.box.told[0][2]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ((0, {"schema": 1, "command": "rotate"}), "answered"),
        ("run 7 there is done", "interrupted"),
        (None, ""),
    ],
)
def test_what_became_of_a_begun_letter_is_looked_for(
    found: tuple[int, Json] | str | None, told: str
) -> None:
    host = Host()
    host.box.shows("1", NOW + DAY, NOW)
    host.worker.round()
    host.box.told.clear()
    host.box.knows_as_begun()
    since: list[datetime] = []

    def look(_letter: Letter, at: datetime) -> tuple[int, Json] | str | None:
        since.append(at)
        return found

    again = LetterWorker(host.box, host.worker._door, host.do, host.begun, host.clock, look=look)
    assert again.round() is (found is None)
    assert (host.done, since) == (1, [NOW])
    assert [state for _, state, _ in host.box.told] == ([told] if told else [])
    if told == "interrupted":
        assert "its process ended; run 7 there is done" in host.box.told[0][2]
