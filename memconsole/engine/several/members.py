"""One home of several: of this host, read by an engine of its own, or of another, asked by ssh."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn, Protocol

from memconsole import __version__
from memconsole.domain.agents import HomeRef
from memconsole.domain.commands.command import name_of
from memconsole.domain.commands.memory import MemoryAdd
from memconsole.domain.commands.outcomes import RUNNING, Step
from memconsole.domain.commands.restore import RESTORE
from memconsole.domain.fleet.wire import Freshness, Reply, away, reply
from memconsole.domain.snapshot.answered import outcome_of, snapshot_of
from memconsole.domain.snapshot.homes import HomeReading
from memconsole.errors import MemconsoleError, SourceAwayError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome
    from memconsole.domain.search.values import SearchRequest
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.engine import Engine
    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

ASKED_EVERY = timedelta(seconds=20)
"""Pause between two questions to another host."""


class Member(Protocol):
    """One home of several."""

    ref: HomeRef
    place: HomeRef
    label: str

    @property
    def engine(self) -> Engine | None:
        """What reads and acts, for a home of this host."""

    def take(self, changed: frozenset[AgentRef] | None) -> ConsoleSnapshot | None:
        """Return its newest reading; None where there is none yet."""

    def reading(self) -> HomeReading:
        """Return how it is."""

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        """Run one command of its agents; expected failures come back as values."""


class LocalMember:
    """A home of this host.

    Attributes:
        place: The same, with the name of this host.
        last: Its last reading, of which its engine keeps what it found out.
    """

    def __init__(
        self, label: str, ref: HomeRef, engine: Engine, place: HomeRef | None = None
    ) -> None:
        self.label, self.ref, self.engine = label, ref, engine
        self.place = place or HomeRef(ref.path, label)
        self._failure: tuple[str, str] = ("", "")
        self.last: ConsoleSnapshot | None = None

    def take(self, changed: frozenset[AgentRef] | None) -> ConsoleSnapshot | None:
        """Read it; one that cannot be read keeps its last reading."""
        own = None if changed is None else frozenset(one for one in changed if one.home == self.ref)
        try:
            self.last = self.engine.snapshot(own if self.last else None, with_outlook=True)
        except MemconsoleError as error:
            self._failure = (str(error), error.hint)
        else:
            self._failure = ("", "")
        return self.last

    def reading(self) -> HomeReading:
        """Return how it is."""
        failure, hint = self._failure
        word = Freshness.AWAY if failure else Freshness.LIVE
        at = None if self.last is None else self.last.taken_at
        return HomeReading(self.ref, self.label, word.value, at, failure, hint, __version__)

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        """Run one command of its agents."""
        return self.engine.run(command, progress=progress, cancel=cancel, follower=follower)


class FarMember:
    """A home of another host; asked in a thread of its own, which dies with the process.

    Attributes:
        heard: Set when an answer came.
    """

    engine = None

    def __init__(self, label: str, source: FleetSource, clock: Clock) -> None:
        self.label, self.ref = label, source.home
        self.place = source.home
        self.heard: threading.Event | None = None
        self._source, self._clock = source, clock
        self._asked_at: datetime | None = None
        self._is_asking = False
        self._last: ConsoleSnapshot | None = None
        self._reading = HomeReading(self.ref, label, Freshness.AWAY.value, None)

    def take(self, changed: frozenset[AgentRef] | None) -> ConsoleSnapshot | None:
        """Return the last reading, and ask for a new one when it is time."""
        del changed
        now = self._clock.now()
        is_due = self._asked_at is None or abs(now - self._asked_at) >= ASKED_EVERY
        if is_due and not self._is_asking:
            self._is_asking = True
            threading.Thread(target=self.look, name=f"ask {self.label}", daemon=True).start()
        return self._last

    def look(self) -> None:
        """Ask for a reading; blocks until it is there, or is known not to come."""
        try:
            status = self._ask("status", ["status"])
            sessions = status if status.failure else self._ask("sessions", ["sessions"])
            self._keep(status, sessions)
        except Exception:  # the edge of a thread: the others go on
            logger.exception("the answers of %s cannot be used", self.label)
            self._keep(away(self.ref, "its answers cannot be used, which is a bug"), None)
        finally:
            self._asked_at, self._is_asking = self._clock.now(), False
            if self.heard is not None:
                self.heard.set()

    def _keep(self, status: Reply, sessions: Reply | None) -> None:
        worst = sessions if sessions is not None and sessions.failure else status
        if not worst.failure and sessions is not None:
            try:
                is_new = status.freshness is Freshness.LIVE or status.as_of is None
                at = self._clock.now() if is_new else status.as_of
                self._last = snapshot_of(self.ref, status, sessions, at or self._clock.now())
            except ValueError as error:
                worst = away(self.ref, f"its answer cannot be used: {error}")
        word = Freshness.AWAY if worst.failure else worst.freshness
        self._reading = HomeReading(
            self.ref,
            self.label,
            word.value,
            None if self._last is None else self._last.taken_at,
            worst.failure,
            worst.hint,
            status.version or ("" if worst.failure else __version__),
        )

    def reading(self) -> HomeReading:
        """Return how it is."""
        return self._reading

    def run(
        self,
        command: Command,
        *,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
        **_unheard: object,
    ) -> Outcome:
        """Have its own command line do it, which refuses what it refuses to its own operator."""
        name, words, text = name_of(command), command.words(), ""
        if isinstance(command, MemoryAdd):
            text = command.text
        says_yes = command.spec.is_destructive or command.spec.name == RESTORE.name
        how = ["--dry-run"] if command.dry_run else ["--yes"] if says_yes else []
        line = [*name.split(), *how, *words]

        def begun() -> None:
            if follower is not None:
                follower.moved(Step("begun", RUNNING, message="not answered yet"))

        return outcome_of(command, self._ask(name, line, text, cancel, begun))

    def find(self, request: SearchRequest) -> Reply:
        """Search there, by its own index and its own rules."""
        narrow, talks = request.narrowing, request.with_sessions
        words = [
            *(("--agent", request.agent_id) if request.agent_id else ("--all-agents",)),
            *(("--max-results", str(request.max_results)) if request.max_results else ()),
            *(() if talks is None else ("--sessions" if talks else "--no-sessions",)),
            *(() if narrow.since is None else ("--since", narrow.since.isoformat())),
            *(() if narrow.tag is None else ("--type", narrow.tag)),
            *(("--newest",) if request.by_date else ()),
        ]
        return self._ask("search", ["search", *words, "--", request.text])

    def _ask(
        self,
        command: str,
        words: Sequence[str],
        text: str = "",
        stop: StopSignal | None = None,
        begun: Callable[[], None] | None = None,
    ) -> Reply:
        asked = self._clock.now()
        try:
            heard = self._source.ask(words, text, None if stop is None else stop.is_set, begun)
        except SourceAwayError as error:
            return away(self.ref, str(error), error.hint)
        now = self._clock.now()
        return reply(self.ref, heard, command=command, asked=asked, now=now, own=__version__)

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what only the host itself can show.

        Raises:
            SourceAwayError: Says where to look.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        raise SourceAwayError(
            f"this is on {self.label} and is not shown here",
            hint=f"Open the console there: `ssh -t {self.ref.host} memconsole`.",
        )
