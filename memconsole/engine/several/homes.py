"""Several homes behind one engine, long because a few lines stand for each service of one.

There is a reading of all of them, and each command goes to its owner.

An agent is called by its full name here, `alpha/main`, which is its id in what is shown; its owner
is asked by its own id. A home of this host is read by an engine of its own, a home of another host
by its command line, behind the reading: nobody waits for a host. What is shown of a home that is
away is its last reading.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import chain, zip_longest
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from memconsole.domain.agents import AgentRef, Era, Home, Notice, PlatformConfig, Severity
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.fleet.address import labels
from memconsole.domain.fleet.publishing import TOLD_AFTER
from memconsole.domain.fleet.wire import Freshness, total
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.snapshot.answered import result_of
from memconsole.domain.snapshot.danger import figures_of
from memconsole.domain.snapshot.snapshot import (
    Attention,
    ConsoleSnapshot,
    Quiet,
    SchedulerStatus,
)
from memconsole.engine.several.members import FarMember, LocalMember
from memconsole.engine.several.watching import WatchedMember, Watching
from memconsole.engine.snapshot.snapshot import session_order
from memconsole.errors import MemconsoleError, SourceAwayError
from memconsole.text.figures import span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.snapshot.homes import HomeFigures, HomeReading, ServerReading
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.engine import Engine
    from memconsole.engine.search.copied import CopySearch
    from memconsole.engine.search.watch import IndexWatch
    from memconsole.engine.several.members import Member
    from memconsole.ports.fleet import FleetWatch
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

_LOOK_S = 0.5


class SeveralHomes:
    """Stands for an engine in a console over several homes; the first is the console's own.

    Args:
        own: The engine of this console's home.
        members: Every home, that one first.
        clock: Ours.
        groups: Hosts by a label of the settings.
    """

    def __init__(
        self,
        own: Engine,
        members: Sequence[Member],
        clock: Clock,
        groups: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._own = own
        self._kept = tuple(members)
        self._watchings: tuple[Watching, ...] = ()
        self.copies: tuple[tuple[CopySearch, Watching], ...] = ()
        self._clock = clock
        self._groups = groups
        self._named: tuple[Member, ...] = self._kept
        self._by_label = {one.label: one for one in members}
        self._parts: dict[str, tuple[ConsoleSnapshot, _Part]] = {}
        self._heard = threading.Event()
        for one in self._kept:
            if isinstance(one, FarMember):
                one.heard = self._heard
        self.home = _Homes(self._local)
        self.readings = _Readings(self._kept)
        self.search = _Search(self)
        self.watches = _Watches(self)

    def watch(
        self,
        watch: FleetWatch,
        is_meant: Callable[[str, tuple[str, ...]], bool],
        copy: CopySearch | None = None,
    ) -> Watching:
        """Show the homes of a server too, which may come and go, and search them there as one."""
        made = Watching(watch, self._clock, self._heard, is_meant)
        self._watchings = (*self._watchings, made)
        if copy is not None:
            self.copies = (*self.copies, (copy, made))
        return made

    @property
    def _members(self) -> tuple[Member, ...]:
        """Every home that is there now, each under a name of its own."""
        watched = chain.from_iterable(one.members for one in self._watchings)
        found: tuple[Member, ...] = (*self._kept, *watched)
        if found != self._named:
            for one, label in zip(found, labels([one.place for one in found]), strict=True):
                one.label = label
            self._named = found
            self._by_label = {one.label: one for one in found}
        return found

    @property
    def _server(self) -> ServerReading | None:
        """How the servers are: one that is away first."""
        servers = sorted((one.server for one in self._watchings), key=lambda one: one.is_up)
        return next(iter(servers), None)

    def __getattr__(self, name: str) -> object:
        """Return what is of this console's home: its jobs, its health, its configuration."""
        return getattr(self._own, name)

    @property
    def far(self) -> tuple[FarMember, ...]:
        """The homes of other hosts that answer."""
        return tuple(
            one for one in self._kept if isinstance(one, FarMember) and not one.reading().failure
        )

    @property
    def _local(self) -> tuple[tuple[str, Engine], ...]:
        return tuple((one.label, one.engine) for one in self._kept if one.engine is not None)

    def news(self, stop: StopSignal) -> Iterator[None]:
        """Yield whenever another host has answered, until `stop` is set."""
        while not stop.is_set():
            if self._heard.wait(_LOOK_S):
                self._heard.clear()
                yield

    def of(self, agent_id: str) -> tuple[Engine, str]:
        """Return who looks after an agent, and its id there; another host refuses to be looked at.

        What no home of this console owns is unknown to this console's own engine too.
        """
        try:
            member, own = self.owner(agent_id)
        except SourceAwayError:
            return self._own, agent_id
        return member.engine or cast("Engine", member), own

    def owner(self, agent_id: str) -> tuple[Member, str]:
        """Return the home that owns an agent, and the agent's id there.

        Raises:
            SourceAwayError: No home of this console has that name.
        """
        label, _, own = agent_id.rpartition("/")
        members = self._members
        member = self._by_label.get(label) if agent_id else next(iter(members), None)
        if member is None:
            raise SourceAwayError(f"there is no home {label} in this console")
        return member, own

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        """Have a command carried out by the home that owns its agent."""
        try:
            member, own = self.owner(command.agent.id)
        except SourceAwayError as error:
            return Failed(command, error.code, str(error), error.hint)
        if member.engine is None and command.agent.home != member.ref:
            why = f"{member.label} is another home now than the one that was meant"
            return Failed(command, "home-changed", why, "Look again, and ask again.")
        order = replace(command, agent=AgentRef(member.ref, own))
        outcome = member.run(order, progress=progress, cancel=cancel, follower=follower)
        if isinstance(outcome, Planned) and outcome.then is not None:
            outcome = replace(outcome, then=replace(outcome.then, agent=command.agent))
        return replace(outcome, command=command)

    def snapshot(
        self, changed: frozenset[AgentRef] | None = None, **_options: object
    ) -> ConsoleSnapshot:
        """Take one reading of every home; one that cannot be read fails no other.

        Raises:
            SourceAwayError: Nothing was ever read of any of them, and all have been asked.
        """
        for watching in self._watchings:
            watching.begin()
        members, server = self._members, self._server
        taken = [(one, one.take(changed)) for one in members]
        read = [(one, snapshot) for one, snapshot in taken if snapshot is not None]
        homes = tuple(self._grouped(one, one.reading()) for one in members)
        if not read and server is None:
            why = "; ".join(f"{one.label}: {one.failure or 'not heard of yet'}" for one in homes)
            raise SourceAwayError(f"no home could be read: {why}")
        now = self._clock.now()
        named = {one.label: self._part(one.label, snapshot) for one, snapshot in read}
        homes = tuple(_with_figures(one, named.get(one.label)) for one in homes)
        parts = [one.reading for one in named.values()]
        ordered = chain.from_iterable(one.ordered for one in named.values())
        return replace(
            parts[0] if parts else _nothing(now),
            agents=tuple(chain.from_iterable(one.agents for one in parts)),
            sessions=tuple(view for _, view in sorted(ordered, key=itemgetter(0))),
            left_out=total(one.left_out for one in parts),
            notices=tuple(chain.from_iterable(one.notices for one in parts)),
            attention=_ranked([one.attention for one in parts], homes, server, now),
            activity=_newest((one.activity for one in parts), lambda run: run.started_at),
            events=_newest((one.events for one in parts), lambda event: event.at),
            taken_at=now,
            unread=sum(one.unread for one in parts),
            quiet=_quiet(parts, homes, server),
            homes=homes,
            server=server,
            parts={label: one.reading for label, one in named.items()},
            letters=tuple(
                letter._replace(home=member.label)
                for one in self._watchings
                for member, letter in one.letters
            ),
        )

    def _grouped(self, member: Member, home: HomeReading) -> HomeReading:
        """Return a home with the labels of the settings too."""
        own = [name for name, hosts in self._groups.items() if member.place.host in hosts]
        return replace(home, labels=tuple(dict.fromkeys((*home.labels, *own))))

    def _part(self, label: str, snapshot: ConsoleSnapshot) -> _Part:
        """Return a reading with full names; that of a home which said nothing new is kept."""
        known = self._parts.get(label)
        if known is None or known[0] is not snapshot:
            before = {} if known is None else known[1].named
            known = self._parts[label] = snapshot, _part(label, snapshot, before)
        return known[1]


T = TypeVar("T")


def _newest(found: Iterable[Sequence[T]], at: Callable[[T], datetime]) -> tuple[T, ...]:
    return tuple(sorted(chain.from_iterable(found), key=at, reverse=True))


def _with_figures(home: HomeReading, part: _Part | None) -> HomeReading:
    return home if part is None else replace(home, figures=part.figures)


class _Part(NamedTuple):
    """The reading of one home of several.

    Attributes:
        named: Each session as its home read it, with itself under its full name.
        ordered: The latter, each with its place in the list of all.
    """

    reading: ConsoleSnapshot
    figures: HomeFigures
    named: dict[int, tuple[SessionView, SessionView]]
    ordered: list[tuple[tuple[int, float, float, str], SessionView]]


def _part(
    label: str, snapshot: ConsoleSnapshot, before: dict[int, tuple[SessionView, SessionView]]
) -> _Part:
    """Return a reading in which every agent bears its full name."""
    kept: dict[int, tuple[SessionView, SessionView]] = {}

    def full(ref: AgentRef) -> AgentRef:
        return AgentRef(ref.home, f"{label}/{ref.id}")

    def named(view: SessionView) -> SessionView:
        known = before.get(id(view))
        if known is None or known[0] is not view:
            stored = replace(view.stored, agent=full(view.agent))
            known = view, replace(view, stored=stored)
        kept[id(view)] = known
        return known[1]

    def of(agent_id: str | None) -> str | None:
        return agent_id and f"{label}/{agent_id}"

    def told(text: str) -> str:
        return f"{label}: {text}"

    reading = replace(
        snapshot,
        agents=tuple(
            replace(one, agent=replace(one.agent, ref=full(one.agent.ref)))
            for one in snapshot.agents
        ),
        sessions=tuple(map(named, snapshot.sessions)),
        notices=tuple(
            replace(one, message=told(one.message), agent=of(one.agent)) for one in snapshot.notices
        ),
        attention=tuple(
            replace(one, message=told(one.message), agent=of(one.agent))
            for one in snapshot.attention
        ),
        activity=tuple(replace(one, agent=of(one.agent)) for one in snapshot.activity),
        events=tuple(replace(one, agent=of(one.agent)) for one in snapshot.events),
    )
    ordered = [(session_order(one), one) for one in reading.sessions]
    return _Part(reading, figures_of(reading), kept, ordered)


def _ranked(
    found: Iterable[Sequence[Attention]],
    homes: Iterable[HomeReading],
    server: ServerReading | None,
    now: datetime,
) -> tuple[Attention, ...]:
    """Return the findings of all homes, worst first; what is wrong with a home itself is one."""
    every = [*chain.from_iterable(found), *chain.from_iterable(_of_home(one, now) for one in homes)]
    if server is not None and not server.is_up and now - server.since >= TOLD_AFTER:
        told = f"the fleet's server is away for {span(now - server.since)}: {server.failure}"
        every.append(Attention(Severity.HIGH, "fleet-away", told, server.hint, home=""))
    return tuple(sorted(every, key=lambda one: -one.severity.rank))


def _of_home(home: HomeReading, now: datetime) -> Iterator[Attention]:
    if home.failure or (home.freshness == Freshness.AWAY and home.as_of is not None):
        told = f"{home.label}: {away_words(home, now)}"
        yield Attention(Severity.HIGH, "home-away", told, home.hint, home=home.label)
    if home.skew is not None:
        way = "ahead of" if home.skew > timedelta() else "behind"
        told = f"{home.label}: its clock is {span(abs(home.skew))} {way} the fleet's"
        hint = "Set the clock there (NTP)."
        yield Attention(Severity.WARNING, "clock-skew", told, hint, home=home.label)


def _nothing(now: datetime) -> ConsoleSnapshot:
    """Return the reading of nobody: the server of the fleet was not reached yet."""
    home = Home(Path("/"), PlatformConfig(), (), Era(), (), now)
    return ConsoleSnapshot(
        home, home.era, (), (), {}, (), (), (), GatewayStatus(), SchedulerStatus(), now
    )


def away_words(home: HomeReading, now: datetime) -> str:
    """Return that a home is away, how old what is shown of it is, and why."""
    age = "" if home.as_of is None else f" {span(now - home.as_of)}"
    return f"away{age}{home.failure and ': '}{home.failure}"


def _quiet(
    parts: Sequence[ConsoleSnapshot], homes: Sequence[HomeReading], server: ServerReading | None
) -> Quiet:
    """Return what speaks for quiet: nothing of a home that is away does."""
    unheard = [one.label for one in homes if one.freshness == Freshness.AWAY]
    labels = [one.label for one in homes if one.as_of is not None]
    unknown = [
        f"{label}: {word}"
        for label, part in zip(labels, parts, strict=False)
        for word in part.quiet.unknown
    ]
    away = () if server is None or server.is_up else ("what is in the fleet's server",)
    return Quiet(parts[0].quiet.evidence if parts else (), (*away, *unheard, *unknown))


class _Homes:
    """The homes of this host, as one."""

    def __init__(self, engines: Sequence[tuple[str, Engine]]) -> None:
        self._engines = engines

    def watched(self) -> tuple[Path, ...]:
        """Return the folders whose changes mean a new reading."""
        found: dict[Path, None] = {}
        for _, engine in self._engines:
            try:
                found |= dict.fromkeys(engine.home.watched())
            except MemconsoleError as error:
                logger.info("one home is not watched: %s", error)
        return tuple(found)

    def owners(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        """Return the agents that changed files belong to; None when it may be all of them."""
        changed: set[AgentRef] = set()
        for path in paths:
            found = self._owners(path)
            if not found:
                return None
            changed |= found
        return frozenset(changed)

    def _owners(self, path: Path) -> set[AgentRef]:
        found: set[AgentRef] = set()
        for _, engine in self._engines:
            try:
                found |= engine.home.owners(frozenset({path})) or frozenset()
            except MemconsoleError:
                continue
        return found


class _Readings:
    """Keeps what the readings of this host's homes found out, each by its own engine."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members

    def _each(self) -> Iterator[tuple[Engine, ConsoleSnapshot]]:
        for one in self._members:
            if isinstance(one, LocalMember) and one.last is not None and not one.reading().failure:
                yield one.engine, one.last

    def note_events(self, _snapshot: ConsoleSnapshot) -> None:
        """Keep what the platform did by itself."""
        for engine, snapshot in self._each():
            engine.readings.note_events(snapshot)

    def sample(self, _snapshot: ConsoleSnapshot) -> None:
        """Keep the counts."""
        for engine, snapshot in self._each():
            engine.readings.sample(snapshot)


class _Search:
    """One search over several homes: each ranks its own, and their best stand in turn."""

    def __init__(self, homes: SeveralHomes) -> None:
        self._homes = homes

    def find(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Search in one home, or in all of them; other hosts while nobody is typing.

        Scores of two homes do not compare: the best of each come first, then the second ones.

        Raises:
            SourceAwayError: The only host that is meant is not asked while typing, or is away.
        """
        far = () if request.is_typing else tuple(self._far(request))
        far = tuple(pair for pair in far if not isinstance(pair[0], WatchedMember))
        with ThreadPoolExecutor(len(far) or 1) as pool:
            answers = [pool.submit(one.find, own) for one, own in far]
            results = [
                self._of(label, engine.search.find(own, cancel))
                for label, engine, own in self._asked(request)
            ]
            replies = [one.result() for one in answers]
        told = []
        for (one, _), reply in zip(far, replies, strict=True):
            if reply.failure:
                told.append(Notice("home-away", f"{one.label}: {reply.failure}"))
            else:
                results.append(self._of(one.label, result_of(request.text, reply)))
        for line, copy in () if request.is_typing else self._copied(request):
            told.append(Notice("home-away", line))
            results += [] if copy is None else [copy]
        if not results:
            raise SourceAwayError(told[0].message if told else "Enter searches on its own host")
        found = _in_turn(results)
        return replace(found, notices=(*found.notices, *told))

    def _copied(self, request: SearchRequest) -> Iterator[tuple[str, SearchResult | None]]:
        """Yield which hosts were searched in copies of homes, and what was found, each as one."""
        own = None if request.agent_id is None else self._homes.owner(request.agent_id)[1]
        for copy, watching in self._homes.copies:
            wanted = {
                one.ref: one.label for one in watching.members if self._is_meant(one, request)
            }
            if not wanted:
                continue
            try:
                found = copy.find(replace(request, agent_id=own), wanted)
            except SourceAwayError as error:
                yield f"{copy.place}: {error}", None
            else:
                yield found.line, found.result

    def _is_meant(self, member: Member, request: SearchRequest) -> bool:
        if request.agent_id is not None:
            return self._homes.owner(request.agent_id)[0] is member
        return request.home in (None, member.label)

    def _far(self, request: SearchRequest) -> Iterator[tuple[FarMember, SearchRequest]]:
        if request.agent_id is None:
            yield from ((one, request) for one in self._homes.far if self._is_meant(one, request))
            return
        member, own = self._homes.owner(request.agent_id)
        if isinstance(member, FarMember):
            yield member, replace(request, agent_id=own)

    def scan(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Look for words in the files themselves."""
        return _in_turn(
            [
                self._of(label, engine.search.scan(own, cancel))
                for label, engine, own in self._asked(request)
            ]
        )

    def _asked(self, request: SearchRequest) -> Iterator[tuple[str, Engine, SearchRequest]]:
        if request.agent_id is None:
            for label, engine in self._homes._local:
                if request.home in (None, label):
                    yield label, engine, request
            return
        member, own = self._homes.owner(request.agent_id)
        if member.engine is not None:
            yield member.label, member.engine, replace(request, agent_id=own)

    def _of(self, label: str, result: SearchResult) -> SearchResult:
        return replace(
            result,
            hits=tuple(replace(one, agent=f"{label}/{one.agent}") for one in result.hits),
            indexes={
                (f"{label}/{agent}", source): status
                for (agent, source), status in result.indexes.items()
            },
        )

    def indexes(self, agent_id: str) -> dict[tuple[str, Source], IndexStatus]:
        """Return the indexes of one agent; none of another host's."""
        member, own = self._homes.owner(agent_id)
        if member.engine is None:
            return {}
        return dict(member.engine.search.indexes(own))


def _in_turn(results: Sequence[SearchResult]) -> SearchResult:
    turns = zip_longest(*(one.hits for one in results))
    hits = tuple(hit for turn in turns for hit in turn if hit is not None)
    return replace(
        results[0],
        hits=hits,
        indexes={name: one for result in results for name, one in result.indexes.items()},
        notices=tuple(chain.from_iterable(one.notices for one in results)),
    )


class _Watches:
    """Watches of changed files, over the homes of this host."""

    def __init__(self, homes: SeveralHomes) -> None:
        self._homes = homes

    def index(self) -> _IndexWatches:
        """Return what keeps the indexes up to date."""
        local = self._homes._local
        return _IndexWatches([(label, engine.watches.index()) for label, engine in local])


class _IndexWatches:
    def __init__(self, watches: Sequence[tuple[str, IndexWatch]]) -> None:
        self._watches = watches

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed files and folders."""
        for _, one in self._watches:
            one.note(paths)

    def due_in_s(self) -> float | None:
        """Return when something is due; None for nothing."""
        waits = [wait for _, one in self._watches if (wait := one.due_in_s()) is not None]
        return min(waits, default=None)

    def run_due(self, cancel: StopSignal | None = None) -> list[Outcome]:
        """Take in what is due."""
        done: list[Outcome] = []
        for label, one in self._watches:
            for outcome in one.run_due(cancel):
                agent = outcome.command.agent
                full = AgentRef(agent.home, f"{label}/{agent.id}")
                done.append(replace(outcome, command=replace(outcome.command, agent=full)))
        return done
