"""Puts the sources of changes together: file events, and the Gateway's news."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.changes.feed import FileChangeFeed, NewsFeed, SeveralFeeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import ChangeFeed, StopSignal


def build_feed(engine: Engine) -> ChangeFeed:
    """Return the source of changes for a long-running face: file events, and the Gateway's news."""

    def news(stop: StopSignal) -> Iterator[None]:
        """Ask the engine only when somebody listens: it may still have to be built."""
        return engine.gateway.listen(stop)

    return SeveralFeeds(FileChangeFeed(), NewsFeed(news))
