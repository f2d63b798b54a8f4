"""Several sources of changes as one: the first carries it, the others only add to it."""

from __future__ import annotations

import logging
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.changes.polling import StopSignal

logger = logging.getLogger(__name__)

_Item: TypeAlias = "frozenset[Path] | Exception | None"


class Feed(Protocol):
    """One source, such as `FileChangeFeed`."""

    @property
    def polling_because(self) -> str | None:
        """Why it looks again and again; None while it is told of changes."""

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield sets of changed paths until `stop` is set."""


class NewsFeed:
    """News as changes of no file: look again, the disk is as it was.

    Args:
        listen: Yields whenever there is news, until its signal is set.
    """

    polling_because: str | None = None

    def __init__(self, listen: Callable[[StopSignal], Iterator[None]]) -> None:
        self._listen = listen

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield empty sets until `stop` is set."""
        del roots
        for _ in self._listen(stop):
            yield frozenset()


class SeveralFeeds:
    """Answers `ChangeFeed`; every source runs in a thread that ends with `stop`.

    Args:
        first: When it ends or fails, so does the whole.
        others: When one of them ends or fails, the rest goes on.
    """

    def __init__(self, first: Feed, *others: Feed) -> None:
        self._first = first
        self._others = others

    @property
    def polling_because(self) -> str | None:
        """Why the first source polls; None while it does not."""
        return self._first.polling_because

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield what any of them yields; an empty set says that only the Gateway has news."""
        queue: SimpleQueue[_Item] = SimpleQueue()
        either = _Either(stop)
        for feed in (self._first, *self._others):
            threading.Thread(
                target=_run,
                args=(feed, roots, either, queue, feed is self._first),
                name="changes",
                daemon=True,
            ).start()
        try:
            while (item := queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            either.is_over = True


class _Either:
    """Set when the whole is over, for whichever reason."""

    def __init__(self, stop: StopSignal) -> None:
        self.is_over = False
        self._stop = stop

    def is_set(self) -> bool:
        """Return True once the work should end."""
        return self.is_over or self._stop.is_set()


def _run(
    feed: Feed,
    roots: tuple[Path, ...],
    stop: StopSignal,
    queue: SimpleQueue[_Item],
    is_first: bool,
) -> None:
    """Carry one source into the queue; its end is an item for the first one only."""
    end: Exception | None = None
    try:
        for paths in feed.changes(roots, stop):
            queue.put(paths)
    except Exception as error:
        if not is_first:
            logger.exception("one source of changes ended")
        end = error
    if is_first:
        queue.put(end)
