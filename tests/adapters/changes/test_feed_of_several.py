"""Several sources of changes as one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.changes.feed import NewsFeed, SeveralFeeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.adapters.changes.polling import StopSignal

ONE = frozenset({Path("one")})
NONE: frozenset[Path] = frozenset()


class Feed:
    """Yields what it was given, then does what it was told."""

    polling_because: str | None = None

    def __init__(self, *sets: frozenset[Path], end: Callable[[StopSignal], None]) -> None:
        self.sets = sets
        self.end = end
        self.roots: tuple[Path, ...] = ()

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        self.roots = roots
        yield from self.sets
        self.end(stop)


def until_stopped(stop: StopSignal) -> None:
    while not stop.is_set():
        threading.Event().wait(0.01)


def fail(_: StopSignal) -> None:
    raise OSError("a source broke")


def names() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name == "changes"]


def settled() -> bool:
    for _ in range(500):
        if not names():
            return True
        threading.Event().wait(0.01)
    return False


def test_all_of_them_are_heard_until_the_end() -> None:
    stop = threading.Event()
    first = Feed(ONE, end=until_stopped)
    feed = SeveralFeeds(first, NewsFeed(lambda _: iter([None])))
    seen = []
    for paths in feed.changes((Path("root"),), stop):
        seen.append(paths)
        if len(seen) == 2:
            stop.set()
    assert sorted(seen, key=len) == [NONE, ONE]
    assert first.roots == (Path("root"),)
    assert settled()


def test_the_first_ends_the_whole() -> None:
    other = Feed(end=until_stopped)
    with pytest.raises(OSError, match="a source broke"):
        list(SeveralFeeds(Feed(ONE, end=fail), other).changes((), threading.Event()))
    assert settled()


def test_another_one_that_fails_is_logged_and_missed(caplog: pytest.LogCaptureFixture) -> None:
    stop = threading.Event()
    other = Feed(ONE, end=fail)

    def end(_: StopSignal) -> None:
        while not caplog.records:
            threading.Event().wait(0.01)

    assert list(SeveralFeeds(Feed(end=end), other).changes((), stop)) == [ONE]
    assert settled()


def test_who_stops_listening_leaves_no_thread() -> None:
    feed = SeveralFeeds(Feed(ONE, end=until_stopped), Feed(end=until_stopped))
    changes = feed.changes((), threading.Event())
    assert next(iter(changes)) == ONE
    changes.close()  # type: ignore[attr-defined]  # a generator, as every feed
    assert settled()
