"""Makes the watches of long-running faces: each hears of changed files and knows what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.config_check.watch import ConfigWatch
from memconsole.engine.observe.watch import ObserverWatch
from memconsole.engine.recover.watch import EndedWatch
from memconsole.engine.search.watch import IndexWatch

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import WatcherSettings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import Clock, SessionStore


class Watches:
    """Makes watches; each call returns a new one, with a memory of its own."""

    def __init__(
        self,
        reader: Reader,
        settings: Settings,
        *,
        search: SearchNeeds,
        sessions: SessionStore,
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._search = search
        self._sessions = sessions
        self._clock = clock

    def index(self, *, may_build: bool = False) -> IndexWatch:
        """Return a watch that indexes changed files when they have rested (`search.debounce`).

        Args:
            may_build: Build what is missing as well, instead of leaving it to the first search.
        """
        return IndexWatch(self._search, self._settings, self._reader.home, may_build=may_build)

    def sessions(self) -> ObserverWatch:
        """Return a watch that has sessions observed while much is said in them (`[watcher]`)."""

        def rules(agent: str) -> WatcherSettings | None:
            found = self._settings.for_agent(agent).watcher
            return found if found.is_enabled else None

        return ObserverWatch(
            self._reader.home,
            rules,
            self._reader.listing,
            sessions=self._sessions,
            clock=self._clock,
        )

    def ended(self) -> EndedWatch:
        """Return a watch that has sessions recovered when another one takes their place."""
        return EndedWatch(
            self._clock,
            self._reader.home,
            self._reader.listing,
            lambda agent: self._settings.for_agent(agent).recovery.is_enabled,
        )

    def config(self) -> ConfigWatch:
        """Return a watch that has the platform's configuration checked when it changed."""
        return ConfigWatch(self._clock, self._reader.home)
