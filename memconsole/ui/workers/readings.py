"""Takes readings in a thread: one runs and one waits, however often they are asked for.

File events say which agents to look at; a look at everything follows at longer intervals, and is
the only source where the host cannot watch files. A reading that is slow makes the next one later,
and so do events that bring nothing: watching must not cost more than what is watched.

The present is the reading's own time, moved on by a stopwatch: `MEMCONSOLE_NOW` moves the engine's
wall clock, and asking the system here would show two times.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memconsole.domain.snapshot.known import with_known_sessions
from memconsole.errors import MemconsoleError
from memconsole.ui.drawing.literal import literal
from memconsole.ui.messages import FilesChanged, SnapshotFailed, SnapshotGrew, SnapshotTaken

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo
    from pathlib import Path

    from textual.app import App
    from textual.timer import Timer

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.engine import Engine
    from memconsole.engine.snapshot.snapshot import SoFar
    from memconsole.ports.platform import ChangeFeed


logger = logging.getLogger(__name__)

INTERVALS = tuple(timedelta(seconds=seconds) for seconds in (1, 2, 5, 10, 30, 60))
"""Steps of `+` and `-`."""

_REST = 40
"""A reading rests for this many times its own duration: at most 2.5 % of a core."""

_LOOK_AT_ALL = timedelta(seconds=30)
"""With file events: how often everything is looked at all the same."""

_QUIET = timedelta(seconds=15)
"""With file events, and while nothing moves: how often the clock looks, which moves times alone."""

_QUIET_AFTER = 2
"""Readings that are alike before it counts as quiet."""

_DRAWN_WITHIN_S = 5.0
"""Seconds after which a first reading is kept that nobody has drawn."""

_FIRST_PART_S = 0.25
_REST_OF_PARTS = 9
"""A home that takes longer is shown while it is read; that takes a tenth of the time at most."""

_KEEP_SAMPLES = timedelta(minutes=5)


class Readings:
    """Asks the engine, and posts what it says to the app.

    Args:
        heard: Told of changed files as well, in the thread that listens.
    """

    def __init__(
        self,
        app: App[int],
        engine: Engine,
        feed: ChangeFeed | None,
        *,
        interval: timedelta,
        monotonic: Callable[[], float],
        heard: Callable[[frozenset[Path]], None] | None = None,
    ) -> None:
        self._app = app
        self._engine = engine
        self._feed = feed
        self._monotonic = monotonic
        self._heard = heard
        self._wanted: list[frozenset[AgentRef] | None] = []
        self._is_reading = False
        self._looked_at = float("-inf")
        self._sampled: tuple[float, object] = (float("-inf"), None)
        self._took_s = 0.0
        self._has_all = False
        self._last: object = None
        self._shown: ConsoleSnapshot | None = None
        self._alike = 0
        self._stop = threading.Event()
        self._is_drawn = threading.Event()
        self._watcher: threading.Thread | None = None
        self._timer: Timer | None = None
        self.interval = interval
        self.is_frozen = False

    @property
    def pause(self) -> timedelta:
        """Time until the next reading by the clock."""
        soonest = timedelta(seconds=self._took_s * _REST)
        is_quiet = self.is_watching and self._alike >= _QUIET_AFTER
        return max(self.interval, soonest, _QUIET if is_quiet else soonest)

    @property
    def is_watching(self) -> bool:
        """Whether file events arrive."""
        return self._watcher is not None and self._watcher.is_alive()

    def request(self, changed: frozenset[AgentRef] | None = None) -> None:
        """Ask for a reading of these agents, or of everything."""
        self._wanted.append(changed)
        self._begin()

    def poll(self) -> None:
        """Ask by the clock: for everything, or only for the time when file events do the rest."""
        if self.is_frozen or self._is_reading:
            self.rest()
            return
        is_fresh = self._monotonic() - self._looked_at < _LOOK_AT_ALL.total_seconds()
        self.request(frozenset() if self.is_watching and is_fresh else None)

    def _begin(self) -> None:
        if self._is_reading or not self._wanted:
            return
        wanted, self._wanted = self._wanted, []
        changed: frozenset[AgentRef] | None = frozenset()
        for one in wanted:
            changed = None if changed is None or one is None else changed | one
        self._is_reading = True
        if changed is None:
            self._looked_at = self._monotonic()
        self._app.run_worker(
            lambda: self._read(changed), thread=True, group="snapshot", exit_on_error=False
        )

    def _read(self, changed: frozenset[AgentRef] | None) -> None:
        """Run in a thread; whatever happens, one message goes back."""
        start = self._monotonic()
        try:
            snapshot = self._engine.snapshot(
                changed, with_outlook=True, so_far=None if self._has_all else self._so_far(start)
            )
        except MemconsoleError as error:
            self._alike = 0
            self._app.post_message(SnapshotFailed(literal(str(error)), literal(error.hint)))
        except Exception:
            logger.exception("a reading failed")
            self._alike = 0
            self._app.post_message(
                SnapshotFailed("a reading failed, which is a bug", "The log has it: press l.")
            )
        else:
            self._shown = snapshot = with_known_sessions(snapshot, self._shown)
            is_first, self._has_all = not self._has_all, True
            counts = tuple((view.session_id, view.tokens) for view in snapshot.sessions)
            told = (counts, *_others(snapshot))
            self._alike = self._alike + 1 if told == self._last else 0
            self._last = told
            self._app.post_message(SnapshotTaken(snapshot, self._monotonic() - start))
            self._is_drawn.wait(_DRAWN_WITHIN_S)  # keeping a reading takes time of its drawing
            self._engine.readings.note_events(snapshot)
            at, known = self._sampled
            if counts != known or start - at >= _KEEP_SAMPLES.total_seconds():
                self._sampled = (start, counts)
                self._engine.readings.sample(snapshot)
            if is_first:
                self._engine.readings.remember()

    def _so_far(self, start: float) -> SoFar:
        """Return what posts a growing snapshot, seldom enough that it does not slow the reading."""
        due_at = start + _FIRST_PART_S

        def show(told: Callable[[], ConsoleSnapshot]) -> None:
            nonlocal due_at
            begun = self._monotonic()
            if begun < due_at:
                return
            # What can be told of a part may be that nothing in it can be read: the rest decides.
            with suppress(MemconsoleError):
                self._app.post_message(SnapshotGrew(told()))
            done = self._monotonic()
            due_at = done + max(_FIRST_PART_S, (done - begun) * _REST_OF_PARTS)

        return show

    def finished(self, took_s: float | None) -> None:
        """Note that a reading came back, and begin the one that waits."""
        self._is_reading = False
        if took_s is not None:
            self._took_s = took_s
        self._begin()

    def rest(self) -> None:
        """Set the clock for the next reading."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(self.pause.total_seconds(), self.poll)

    def watch(self) -> None:
        """The first reading is drawn: keep it, and begin to listen for file events.

        The thread of its own that listens dies with the process.
        """
        self._is_drawn.set()
        if self._feed is not None and self._watcher is None:
            self._looked_at = float("-inf")  # what happened until now was not heard
            self._watcher = threading.Thread(target=self._listen, name="changes", daemon=True)
            self._watcher.start()

    def _listen(self) -> None:
        assert self._feed is not None
        try:
            for paths in self._feed.changes(self._engine.home.watched(), self._stop):
                if self._stop.is_set():
                    return
                self._app.post_message(FilesChanged(self._engine.home.owners(paths)))
                if paths and self._heard is not None:
                    self._heard(paths)
        except Exception:
            # Polling goes on; a host without file events is no reason to end.
            logger.exception("file events ended")

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()
        self._is_drawn.set()


def _others(snapshot: ConsoleSnapshot) -> tuple[object, ...]:
    """Return what of a reading, beside its counts, does not move by itself with the time."""
    gateway, scheduler = snapshot.gateway, snapshot.scheduler
    return snapshot.activity[:1], gateway.words, gateway.hint, scheduler.state, scheduler.silence


class ScreenClock:
    """Runs on from the time of the last reading."""

    def __init__(
        self, monotonic: Callable[[], float] = time.monotonic, start: datetime | None = None
    ) -> None:
        self.monotonic = monotonic
        self._base = start or datetime.now(UTC)
        self._at = monotonic()

    def set(self, now: datetime) -> None:
        """Take the time of a reading that was taken just now."""
        self._base, self._at = now, self.monotonic()

    def now(self) -> datetime:
        """Return the present, aware UTC."""
        return self._base + timedelta(seconds=self.monotonic() - self._at)


def zone_of(*names: str | None) -> tzinfo:
    """Return the first zone that exists, else the host's own."""
    for name in names:
        if name:
            try:
                return ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError):
                continue
    return datetime.now().astimezone().tzinfo or UTC
