"""Puts the sources of changes together: file events, and the Gateway's news."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memconsole.adapters.changes.feed import FileChangeFeed, NewsFeed, SeveralFeeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.engine.engine import Engine
    from memconsole.engine.several.homes import SeveralHomes
    from memconsole.ports.platform import ChangeFeed, StopSignal


def build_feed(engine: Engine, *, is_of_several: bool = False) -> ChangeFeed:
    """Return the source of changes for a long-running face: file events, and the Gateway's news.

    Args:
        engine: Who is asked.
        is_of_several: It stands for several homes, and tells when another host has answered.
    """

    def news(stop: StopSignal) -> Iterator[None]:
        """Ask the engine only when somebody listens: it may still have to be built."""
        return engine.gateway.listen(stop)

    def answers(stop: StopSignal) -> Iterator[None]:
        return cast("SeveralHomes", engine).news(stop)

    others = (NewsFeed(answers),) if is_of_several else ()
    return SeveralFeeds(FileChangeFeed(), NewsFeed(news), *others)
