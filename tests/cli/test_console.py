"""Things that are built when they are first asked something."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.console import later
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable


class Thing:
    """Counts how often it was made and closed."""

    made = 0
    closed = 0

    def __init__(self) -> None:
        type(self).made += 1

    def close(self) -> None:
        type(self).closed += 1

    def word(self) -> str:
        return "here"


@pytest.fixture
def kind() -> type[Thing]:
    return type("Fresh", (Thing,), {"made": 0, "closed": 0})


def test_it_is_built_once_and_when_it_is_asked(kind: type[Thing]) -> None:
    thing = later(kind)
    assert kind.made == 0
    assert (thing.word(), thing.word(), kind.made) == ("here", "here", 1)
    thing.close()
    assert kind.closed == 1


def test_what_nobody_asked_is_neither_built_nor_closed(kind: type[Thing]) -> None:
    later(kind).close()
    assert (kind.made, kind.closed) == (0, 0)


def test_a_failure_reaches_who_asks_and_the_next_one_tries_again(kind: type[Thing]) -> None:
    def failing() -> Thing:
        raise StateError("the state folder cannot be read")

    builds: list[Callable[[], Thing]] = [failing, kind]

    def build() -> Thing:
        return builds.pop(0)()

    thing = later(build)
    with pytest.raises(StateError, match="cannot be read"):
        thing.word()
    assert thing.word() == "here"


def test_threads_that_ask_at_once_get_the_same(kind: type[Thing]) -> None:
    asked = threading.Barrier(4)
    thing = later(kind)

    def ask() -> None:
        asked.wait()
        thing.word()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kind.made == 1
