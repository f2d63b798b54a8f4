"""Keeps the homes that meet in a server before an operator's eyes: who comes, who goes, what moves.

One thread a server looks, and looks again after pauses while it is away; what was shown stays then,
with the time of the last look. It dies with the process.
"""

from __future__ import annotations

import logging
import random
import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole import __version__
from memconsole.domain.commands.command import name_of
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.fleet.members import freshness_of
from memconsole.domain.fleet.publishing import pause_after
from memconsole.domain.fleet.wire import SKEW, WIRE, Freshness
from memconsole.domain.snapshot.homes import HomeReading, ServerReading
from memconsole.engine.several.members import FarMember
from memconsole.errors import MemconsoleError
from memconsole.text.figures import span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome
    from memconsole.domain.fleet.letters import Sent
    from memconsole.domain.fleet.members import Look, Seen
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ports.fleet import FleetSource, FleetWatch
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

LOOK_S: Final = 30.0
"""Looks at least so often: a hint may be lost."""

_REST_S = 0.5
"""Between two looks, however many hints come."""

_TOLD_EVERY = timedelta(seconds=0.5)


class WatchedMember(FarMember):
    """A home that publishes in a server; nobody asks its host."""

    def __init__(self, source: FleetSource, seen: Seen, at: datetime, clock: Clock) -> None:
        super().__init__(seen.ref.host, source, clock)
        self._seen, self._at = seen, at
        self.until: datetime | None = None

    def take(self, changed: frozenset[AgentRef] | None) -> ConsoleSnapshot | None:
        """Return the last reading."""
        del changed
        return self._last

    @property
    def server_now(self) -> datetime:
        """The server's clock at the last look."""
        return self._seen.member.now

    def see(self, seen: Seen, at: datetime) -> None:
        """Take what a look found."""
        is_first = self._last is None and not self._reading.failure
        self._seen, self._at, self.until = seen, at, None
        if seen.has_moved or is_first:
            self.look()

    def reading(self) -> HomeReading:
        """Return how it is by the server's clock; while that is away, as it was then."""
        seen, member = self._seen, self._seen.member
        passed = max((self.until or self._clock.now()) - self._at, timedelta())
        word = freshness_of(seen.looked_at, member.now + passed, member.beat_s)
        skew = None if member.skew_ms is None else timedelta(milliseconds=member.skew_ms)
        failure = self._reading.failure
        hint = self._reading.hint
        if member.is_too_old:
            enough = f"; {__version__}, as here, is new enough" * (member.least_wire <= WIRE)
            failure = f"memconsole {member.version or '?'} there is too old for this fleet{enough}"
            hint = "Update memconsole on that host; its own jobs go on."
        return replace(
            self._reading,
            label=self.label,
            freshness=(Freshness.AWAY if failure else word).value,
            as_of=None
            if self._last is None or seen.looked_at is None
            else self._at - (member.now - seen.looked_at),
            failure=failure,
            hint=hint,
            version=member.version or "",
            labels=member.labels,
            skew=skew if skew is not None and abs(skew) > SKEW else None,
            allows=member.allows,
            granted=seen.granted,
            chunks=seen.chunks,
            waits=True,
        )

    def run(
        self,
        command: Command,
        *,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
        **_unheard: object,
    ) -> Outcome:
        """Have its host do it; nothing is sent through a door that is known to be shut."""
        home = self.reading()
        if why := home.door(name_of(command)):
            return Failed(command, "refused", why)
        if command.dry_run and home.freshness == Freshness.AWAY and not home.failure:
            age = "" if home.as_of is None else f" {span(self._clock.now() - home.as_of)}"
            return Planned(command, f"{home.label} is away{age}: it is done when it comes back")
        return super().run(command, cancel=cancel, follower=follower)


class Watching:
    """The homes of one server.

    Args:
        watch: The server.
        clock: Ours.
        heard: Set when something may be shown anew.
        is_meant: Whether a host with its labels is shown.

    Attributes:
        members: The homes that are there.
        server: How the server is.
        letters: What is asked of them, each with its home, by our clock; newest first.
    """

    def __init__(
        self,
        watch: FleetWatch,
        clock: Clock,
        heard: threading.Event,
        is_meant: Callable[[str, tuple[str, ...]], bool],
    ) -> None:
        self._watch, self._clock, self._heard, self._is_meant = watch, clock, heard, is_meant
        self._is_begun = False
        self._failures = 0
        self._by_number: dict[int, WatchedMember] = {}
        self.members: tuple[WatchedMember, ...] = ()
        self.letters: tuple[tuple[WatchedMember, Sent], ...] = ()
        self.server = ServerReading(False, clock.now())

    def begin(self) -> None:
        """Look from now on, in a thread that dies with the process."""
        if not self._is_begun:
            self._is_begun = True
            threading.Thread(target=self._go_on, name="watch fleet", daemon=True).start()

    def _go_on(self) -> None:
        stop = threading.Event()
        try:
            self.run(stop)
        except Exception:  # the edge of a thread: the homes of this host go on
            logger.exception("%s is not watched any more", self._watch.name)
            self._down("it is not watched any more, which is a bug", "The log has it: press l.")

    def run(self, stop: threading.Event) -> None:
        """Look until it is stopped."""
        try:
            while not stop.is_set():
                stop.wait(self.round(LOOK_S).total_seconds())
        finally:
            self._watch.close()

    def round(self, wait_s: float = 0.0) -> timedelta:
        """Look once; returns the pause before the next look."""
        try:
            look = self._watch.look(wait_s)
        except MemconsoleError as error:
            self._failures += 1
            self._down(str(error), error.hint)
            return pause_after(self._failures, random.random())
        self._failures = 0
        self._take(look)
        return timedelta(seconds=_REST_S)

    def _meant(
        self, letters: Iterable[Sent], now: datetime
    ) -> Iterator[tuple[WatchedMember, Sent]]:
        """Yield what is asked of the homes that are shown."""
        known = {(one.ref.host, one.ref.path): one for one in self.members}
        for letter in letters:
            if one := known.get((letter.host, letter.home)):
                yield one, letter.shifted(now - one.server_now)

    def _down(self, failure: str, hint: str) -> None:
        """Keep what is shown as it was at the last look."""
        now, before = self._clock.now(), self.server
        if before.is_up:
            logger.warning("%s: %s", self._watch.name, failure)
            for one in self.members:
                one.until = before.as_of
        since = now if before.is_up else before.since
        self.server = replace(before, is_up=False, since=since, failure=failure, hint=hint)
        self._heard.set()

    def _take(self, look: Look) -> None:
        now = self._clock.now()
        shown_at, found = now, {}
        for seen in look.homes:
            if not self._is_meant(seen.ref.host, seen.member.labels):
                continue
            one = self._by_number.get(seen.number)
            if one is None or one.ref != seen.ref:
                one = WatchedMember(self._watch.source(seen.number), seen, now, self._clock)
            found[seen.number] = one
            one.see(seen, now)
            if self._clock.now() - shown_at >= _TOLD_EVERY:
                shown_at = self._clock.now()
                self.members = tuple({**self._by_number, **found}.values())
                self._heard.set()
        self._by_number = found
        self.members = tuple(found.values())
        self.letters = tuple(self._meant(look.letters, now))
        since = self.server.since if self.server.is_up else now
        self.server = ServerReading(True, since, now, look.latency_ms)
        self._heard.set()
