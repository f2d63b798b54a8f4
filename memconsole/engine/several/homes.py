"""Several homes behind one engine: a reading of all of them, and each command to its owner.

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
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, cast

from memconsole.domain.agents import AgentRef, Notice, Severity
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.fleet.wire import Freshness, total
from memconsole.domain.snapshot.answered import result_of
from memconsole.domain.snapshot.snapshot import Attention, Quiet
from memconsole.engine.several.members import FarMember, LocalMember
from memconsole.engine.snapshot.snapshot import session_order
from memconsole.errors import MemconsoleError, SourceAwayError
from memconsole.text.figures import span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.commands.steps import Follower
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, HomeReading, SessionView
    from memconsole.engine.engine import Engine
    from memconsole.engine.search.watch import IndexWatch
    from memconsole.engine.several.members import Member
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

_LOOK_S = 0.5


class SeveralHomes:
    """Stands for an engine in a console over several homes; the first is the console's own.

    Args:
        own: The engine of this console's home.
        members: Every home, that one first.
        clock: Ours.
    """

    def __init__(self, own: Engine, members: Sequence[Member], clock: Clock) -> None:
        self._own = own
        self._members = tuple(members)
        self._clock = clock
        self._by_label = {one.label: one for one in members}
        self._named: dict[int, tuple[SessionView, SessionView]] = {}
        self._heard = threading.Event()
        for one in self._members:
            if isinstance(one, FarMember):
                one.heard = self._heard
        self.home = _Homes(self._local)
        self.readings = _Readings(self._members)
        self.search = _Search(self)
        self.watches = _Watches(self)

    def __getattr__(self, name: str) -> object:
        """Return what is of this console's home: its jobs, its health, its configuration."""
        return getattr(self._own, name)

    @property
    def far(self) -> tuple[FarMember, ...]:
        """The homes of other hosts that answer."""
        return tuple(
            one for one in self._members if isinstance(one, FarMember) and not one.reading().failure
        )

    @property
    def _local(self) -> tuple[tuple[str, Engine], ...]:
        return tuple((one.label, one.engine) for one in self._members if one.engine is not None)

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
        member = self._by_label.get(label) if agent_id else self._members[0]
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
        taken = [(one, one.take(changed)) for one in self._members]
        read = [(one, snapshot) for one, snapshot in taken if snapshot is not None]
        homes = tuple(one.reading() for one in self._members)
        if not read:
            why = "; ".join(f"{one.label}: {one.failure or 'not heard of yet'}" for one in homes)
            raise SourceAwayError(f"no home could be read: {why}")
        now = self._clock.now()
        kept = self._named
        self._named = {}
        parts = [self._part(one.label, snapshot, kept) for one, snapshot in read]
        first = parts[0]
        return replace(
            first,
            agents=tuple(chain.from_iterable(one.agents for one in parts)),
            sessions=tuple(
                sorted(chain.from_iterable(one.sessions for one in parts), key=session_order)
            ),
            left_out=total(one.left_out for one in parts),
            notices=tuple(chain.from_iterable(one.notices for one in parts)),
            attention=_ranked([one.attention for one in parts], homes, now),
            activity=tuple(
                sorted(
                    chain.from_iterable(one.activity for one in parts),
                    key=lambda run: run.started_at,
                    reverse=True,
                )
            ),
            events=tuple(
                sorted(
                    chain.from_iterable(one.events for one in parts),
                    key=lambda event: event.at,
                    reverse=True,
                )
            ),
            taken_at=now,
            unread=sum(one.unread for one in parts),
            quiet=_quiet(parts, homes),
            homes=homes,
        )

    def _part(
        self,
        label: str,
        snapshot: ConsoleSnapshot,
        kept: dict[int, tuple[SessionView, SessionView]],
    ) -> ConsoleSnapshot:
        """Return a reading in which every agent bears its full name."""

        def full(ref: AgentRef) -> AgentRef:
            return AgentRef(ref.home, f"{label}/{ref.id}")

        def named(view: SessionView) -> SessionView:
            known = kept.get(id(view))
            if known is None or known[0] is not view:
                stored = replace(view.stored, agent=full(view.agent))
                known = view, replace(view, stored=stored)
            self._named[id(view)] = known
            return known[1]

        def of(agent_id: str | None) -> str | None:
            return agent_id and f"{label}/{agent_id}"

        def told(text: str) -> str:
            return f"{label}: {text}"

        return replace(
            snapshot,
            agents=tuple(
                replace(one, agent=replace(one.agent, ref=full(one.agent.ref)))
                for one in snapshot.agents
            ),
            sessions=tuple(map(named, snapshot.sessions)),
            notices=tuple(
                replace(one, message=told(one.message), agent=of(one.agent))
                for one in snapshot.notices
            ),
            attention=tuple(
                replace(one, message=told(one.message), agent=of(one.agent))
                for one in snapshot.attention
            ),
            activity=tuple(replace(one, agent=of(one.agent)) for one in snapshot.activity),
            events=tuple(replace(one, agent=of(one.agent)) for one in snapshot.events),
        )


def _ranked(
    found: Iterable[Sequence[Attention]], homes: Iterable[HomeReading], now: datetime
) -> tuple[Attention, ...]:
    """Return the findings of all homes, worst first; a home that is away is one."""
    own = [
        Attention(
            Severity.HIGH,
            "home-away",
            f"{one.label}: {away_words(one, now)}",
            one.hint,
        )
        for one in homes
        if one.failure or (one.freshness == Freshness.AWAY and one.as_of is not None)
    ]
    every = [*chain.from_iterable(found), *own]
    return tuple(sorted(every, key=lambda one: -one.severity.rank))


def away_words(home: HomeReading, now: datetime) -> str:
    """Return that a home is away, how old what is shown of it is, and why."""
    age = "" if home.as_of is None else f" {span(now - home.as_of)}"
    return f"away{age}{home.failure and ': '}{home.failure}"


def _quiet(parts: Sequence[ConsoleSnapshot], homes: Sequence[HomeReading]) -> Quiet:
    """Return what speaks for quiet: nothing of a home that is away does."""
    unheard = [one.label for one in homes if one.freshness == Freshness.AWAY]
    labels = [one.label for one in homes if one.as_of is not None]
    unknown = [
        f"{label}: {word}"
        for label, part in zip(labels, parts, strict=False)
        for word in part.quiet.unknown
    ]
    return Quiet(parts[0].quiet.evidence, (*unheard, *unknown))


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

    def notice(self, _snapshot: ConsoleSnapshot) -> None:
        """Keep what the platform did by itself."""
        for engine, snapshot in self._each():
            engine.readings.notice(snapshot)

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
        if not results:
            raise SourceAwayError(told[0].message if told else "Enter searches on its own host")
        found = _in_turn(results)
        return replace(found, notices=(*found.notices, *told))

    def _far(self, request: SearchRequest) -> Iterator[tuple[FarMember, SearchRequest]]:
        if request.agent_id is None:
            yield from ((one, request) for one in self._homes.far)
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
