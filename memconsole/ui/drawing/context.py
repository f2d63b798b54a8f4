"""What rows need to know beside the reading: the present, the zone, and how old is too old."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from memconsole.domain.snapshot.homes import HomeReading
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.glyphs import Glyphs


_SOURCES = {
    Storage.FILES: "files",
    Storage.SQLITE: "disk",
    Storage.MIXED: "disk",
    Storage.NONE: "disk",
    Storage.UNREADABLE: "disk",
    Storage.GATEWAY: "gateway",
}


@dataclass(frozen=True, slots=True)
class Context:
    """The circumstances of one drawing.

    Attributes:
        now: The present, aware UTC.
        zone: Zone of the times shown.
        interval: How often the source is asked.
    """

    now: datetime
    zone: tzinfo
    glyphs: Glyphs
    interval: timedelta = timedelta(seconds=2)

    def since(self, at: datetime | None) -> timedelta | None:
        """Return how long ago something was; None when nobody knows when."""
        return None if at is None else self.now - at

    def is_stale(self, at: datetime) -> bool:
        """Tell whether a source was last asked more than twice its interval ago."""
        return self.now - at > 2 * self.interval

    def age_of(self, snapshot: ConsoleSnapshot, home: HomeReading | None) -> str:
        """Return how old what is shown of a home is; another host is asked less often."""
        if home is None or not home.is_far:
            return self.age(snapshot.taken_at)
        return figures.ago(self.since(home.as_of))

    def age(self, at: datetime) -> str:
        """Return how old a source is, for a frame: `now`, `4 min ago stale`."""
        stale = " stale" if self.is_stale(at) else ""
        return f"{figures.ago(self.since(at))}{stale}"


def source_word(storage: Storage) -> str:
    """Return where data came from: `gateway`, `disk` or `files`."""
    return _SOURCES[storage]
