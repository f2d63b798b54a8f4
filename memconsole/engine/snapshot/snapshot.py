"""Takes the one reading that all faces show."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.config_check.finding import may_be_grave, may_be_lost
from memconsole.domain.gateway import LiveReading
from memconsole.domain.memory.files import PoolDay, trend_since, trends
from memconsole.domain.sessions.activity import counted
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.snapshot.attention import attention, quiet_of
from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot
from memconsole.engine.freshness import stale_sessions
from memconsole.engine.home.judge import times_of
from memconsole.engine.home.live import completed, live_notices, of_this_home, overlaid
from memconsole.engine.home.lookup import agents_of, require_a_readable_store
from memconsole.engine.snapshot.saves import saves_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line
from memconsole.text.timestamps import FUTURE, SKEWED, oddities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.compaction import BadCompaction
    from memconsole.domain.config_check.finding import Finding
    from memconsole.domain.events import Event
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.sessions.stored import StoredSession, StoreListing
    from memconsole.domain.sessions.tokens import Sample
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.live import LiveView
    from memconsole.engine.home.reader import AgentReading, Reader
    from memconsole.ports.bundle import AlertPorts
    from memconsole.ports.platform import Clock, RunLog, SampleStore, SchedulerControl
    from memconsole.ports.state import CaptureLog, EventLog, RecoveryLog


SoFar: TypeAlias = "Callable[[Callable[[], ConsoleSnapshot]], None]"
"""Is handed what returns a snapshot of the agents that were read until now, when it wants one."""

_ACTIVITY_ROWS = 50
_EVENT_ROWS = 100

_COURSE = timedelta(hours=8)
"""How far back the counts of a session are shown; growth takes the last of them."""


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Takes readings of everything, from disk and from our own records."""

    reader: Reader
    samples: SampleStore
    captures: CaptureLog
    recovery: RecoveryLog
    runs: RunLog
    events: EventLog
    scheduler: SchedulerControl
    alerts: Callable[[], AlertPorts]
    clock: Clock

    def take(
        self,
        live: LiveView | None = None,
        changed: frozenset[AgentRef] | None = None,
        *,
        with_pools: bool = True,
        agent_id: str | None = None,
        min_compaction_ms: int = 100,
        settings: Settings | None = None,
        so_far: SoFar | None = None,
    ) -> ConsoleSnapshot:
        """Read home, sessions, pools and our own records; a part that fails says so in its place.

        Args:
            live: What the Gateway sees; None leaves it alone.
            changed: Agents to look at; None for all.
            with_pools: Read the memory pools too.
            agent_id: Only this agent.
            min_compaction_ms: Compactions that took less lost something.
            settings: To tell what lies ahead of each session; None for who does not show it.
            so_far: Told after each agent but the last.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: There are session stores, and none of them can be read.
            UnknownAgentError: `agent_id` names nobody.
        """
        home = _begun(self.reader, live)
        agents = home.agents if agent_id is None else agents_of(home, agent_id)
        readings: list[tuple[AgentReading, Pool | None]] = []

        def told() -> ConsoleSnapshot:
            seen = LiveReading() if live is None else live.so_far()
            part = self._told(home, readings, seen, settings, min_compaction_ms)
            return replace(part, unread=len(agents) - len(readings))

        for agent in agents:
            if so_far is not None and readings:
                so_far(told)
            readings.append(_read(self.reader, home, agent, changed=changed, with_pools=with_pools))
        seen = _seen(live, readings, is_whole=agent_id is None)
        return self._told(home, readings, seen, settings, min_compaction_ms)

    def _told(
        self,
        home: Home,
        readings: list[tuple[AgentReading, Pool | None]],
        seen: LiveReading,
        settings: Settings | None,
        min_compaction_ms: int,
    ) -> ConsoleSnapshot:
        """Return what was read as the faces show it."""
        with self.reader.keep_open():  # a dozen questions to our own database
            views, sessions = self._judged(home, readings, seen, settings)
            now = self.clock.now()
            taken = ConsoleSnapshot(
                home=home,
                era=home.era,
                agents=tuple(views),
                sessions=tuple(sessions),
                left_out=_left_out(sessions, views),
                notices=_notices(home, seen, readings, now),
                attention=(),
                events=self._events(home, settings),
                activity=self.runs.runs(limit=_ACTIVITY_ROWS, home=str(home.path)),
                gateway=seen.status,
                scheduler=self.scheduler.status(),
                taken_at=now,
                alerts=self.alerts().store.open(str(home.path)),
            )
            return self._with_findings(taken, readings, min_compaction_ms)

    def _with_findings(
        self,
        taken: ConsoleSnapshot,
        readings: Sequence[tuple[AgentReading, Pool | None]],
        min_compaction_ms: int,
    ) -> ConsoleSnapshot:
        """Return a reading with what wants a look in it, and what speaks for quiet."""
        home, gateway, now = taken.home, taken.gateway, taken.taken_at
        settings = self.reader.settings
        saves = saves_of(
            [reading for reading, _ in readings],
            taken.sessions,
            home=home,
            settings=settings,
            captures=self.captures,
            recovery=self.recovery,
            events=self.events,
            runs=taken.activity,
            now=now,
        )
        found = attention(
            taken.agents,
            taken.sessions,
            taken.notices,
            config=home.config,
            gateway=gateway,
            now=now,
            saves=saves,
            scheduler=taken.scheduler,
            stale=stale_sessions(
                taken.sessions, home=home, settings=settings, now=now, version=gateway.version
            ),
            losses=_losses(taken.sessions, readings, min_compaction_ms),
            findings=_findings(home, taken.sessions, gateway, self.reader),
            alerts=taken.alerts,
        )
        whole = replace(taken, attention=found, cuts=saves.cuts)
        is_off = settings.transport == "none"
        return replace(whole, quiet=quiet_of(whole, saves, is_gateway_off=is_off))

    def _events(self, home: Home, settings: Settings | None) -> tuple[Event, ...]:
        """Return what the platform did; nothing for who does not show it."""
        if settings is None:
            return ()
        return self.events.events(str(home.path), limit=_EVENT_ROWS)

    def _judged(
        self,
        home: Home,
        readings: Iterable[tuple[AgentReading, Pool | None]],
        seen: LiveReading,
        settings: Settings | None,
    ) -> tuple[list[AgentView], list[SessionView]]:
        """Return agents and sessions, with what the Gateway sees laid over the disk."""
        samples = self._samples()
        captures = self.captures.latest_by_agent(str(home.path))
        views: list[AgentView] = []
        sessions: list[SessionView] = []
        listings: list[StoreListing] = []
        trend = {} if settings is None else self._trends(home)
        for on_disk, pool in readings:
            reading = completed(overlaid(on_disk, seen), seen)
            rows = _dated(self.reader.views(home, reading, samples), seen)
            days = trend.get(reading.agent.id)
            known = replace(pool, trend=days) if pool is not None and days else pool
            views.append(_agent_view(reading, rows, known, captures.get(reading.agent.id)))
            sessions += rows
            listings.append(reading.listing)
        require_a_readable_store(home, listings)
        sessions.sort(key=session_order)
        if settings is not None:
            sessions = self._with_outlook(sessions, home, settings, seen.status.version)
        return views, sessions

    def _with_outlook(
        self,
        sessions: list[SessionView],
        home: Home,
        settings: Settings,
        version: str | None,
    ) -> list[SessionView]:
        from memconsole.engine.snapshot.outlook import with_outlook  # noqa: PLC0415 - the console only

        saved = self.captures.latest_by_session(str(home.path))
        return with_outlook(
            sessions, home, settings=settings, saved=saved, now=self.clock.now(), version=version
        )

    def _trends(self, home: Home) -> Mapping[str, tuple[PoolDay, ...]]:
        since = trend_since(self.clock.now())
        return trends(self.samples.pool_days(str(home.path), since=since))

    def _samples(self) -> Mapping[str, tuple[Sample, ...]]:
        grouped: defaultdict[str, list[Sample]] = defaultdict(list)
        for sample in self.samples.samples(since=self.clock.now() - _COURSE):
            grouped[sample.session_id].append(sample)
        return {session_id: tuple(found) for session_id, found in grouped.items()}


def read_sessions(reader: Reader) -> tuple[Home, list[SessionView]]:
    """Read home and sessions alone, without their growth: for who looks every other minute.

    Raises:
        HomeNotFoundError: The platform home does not exist.
        HomeUnreadableError: There are session stores, and none of them can be read.
    """
    home = reader.home()
    readings = [reader.sessions(home, agent) for agent in home.agents]
    require_a_readable_store(home, [one.listing for one in readings])
    return home, [view for one in readings for view in reader.views(home, one, {})]


def _seen(
    live: LiveView | None, readings: Iterable[tuple[AgentReading, Pool | None]], *, is_whole: bool
) -> LiveReading:
    """Return what the Gateway sees of this home."""
    taken = LiveReading() if live is None else live.take()
    return of_this_home((reading for reading, _ in readings), taken, is_whole=is_whole)


def _begun(reader: Reader, live: LiveView | None) -> Home:
    """Ask the Gateway, and read the home while it answers."""
    if live is not None:
        live.begin()
    return reader.home()


def _losses(
    sessions: Iterable[SessionView],
    readings: Iterable[tuple[AgentReading, Pool | None]],
    min_compaction_ms: int,
) -> tuple[BadCompaction, ...]:
    """Judge the compactions that the tails passed anyway."""
    tails = {
        session_id: tail
        for reading, _ in readings
        for session_id, tail in reading.usages.items()
        if tail.last_compaction is not None and may_be_lost(tail.last_compaction, min_compaction_ms)
    }
    if not tails:
        return ()
    from memconsole.engine.compaction.evidence import fresh_evidence  # noqa: PLC0415 - rarely needed

    return fresh_evidence(sessions, tails, min_duration_ms=min_compaction_ms)


def _findings(
    home: Home, sessions: Sequence[SessionView], status: GatewayStatus, reader: Reader
) -> tuple[Finding, ...]:
    config = home.config
    windows = [view.window for view in sessions if view.window is not None]
    named = config.windows.get(config.default_model or "")
    least = min(windows, default=named)
    if not may_be_grave(config, status.version or config.last_version, least):
        return ()
    from memconsole.engine.snapshot.config import urgent_findings  # noqa: PLC0415 - rarely needed

    return urgent_findings(home, sessions, status, reader=reader)


def _notices(
    home: Home,
    seen: LiveReading,
    readings: Sequence[tuple[AgentReading, Pool | None]],
    now: datetime,
) -> tuple[Notice, ...]:
    """Return what is odd about this reading, each thing once."""
    odd = (*_agent_notices(readings), *_time_notices(readings, now))
    return tuple(dict.fromkeys((*home.notices, *live_notices(seen), *odd)))


def _agent_notices(readings: Iterable[tuple[AgentReading, Pool | None]]) -> Iterator[Notice]:
    """Yield what is odd about every agent, and once about every pool."""
    seen: set[object] = set()
    told: set[tuple[str, str | None]] = set()
    for reading, pool in readings:
        own = (*reading.agent.problems, *reading.listing.notices, *reading.notices)
        told.update((one.code, one.path) for one in own)
        yield from own
        if pool is not None and pool.root not in seen:
            seen.add(pool.root)
            # A missing workspace is told of its agent already.
            yield from (one for one in pool.notices if (one.code, one.path) not in told)


def _time_notices(
    readings: Iterable[tuple[AgentReading, Pool | None]], now: datetime
) -> Iterator[Notice]:
    """Yield what is wrong with the times of an agent's sessions, once for each fault."""
    for reading, _ in readings:
        if not oddities(chain.from_iterable(map(times_of, reading.listing.sessions)), now):
            continue  # as nearly always, and one look at all of them is cheaper than one at each
        odd: defaultdict[str, list[StoredSession]] = defaultdict(list)
        for stored in reading.listing.sessions:
            for code in oddities(times_of(stored), now):
                odd[code].append(stored)
        for code, sessions in sorted(odd.items()):
            first = sessions[0].key.text if sessions[0].key else sessions[0].session_id or "?"
            more = f" and {len(sessions) - 1} more" if len(sessions) > 1 else ""
            message = f"{one_line(first)}{more}: {_ODD_TIMES[code]}"
            yield Notice(code, message, str(reading.agent.store_file), reading.agent.id)


_ODD_TIMES = {
    FUTURE: "a time is ahead of the clock, and is shown as now",
    SKEWED: "a time is of before the platform, and counts as unknown",
}


def _read(
    reader: Reader,
    home: Home,
    agent: Agent,
    *,
    changed: frozenset[AgentRef] | None,
    with_pools: bool,
) -> tuple[AgentReading, Pool | None]:
    is_known = changed is not None and agent.ref not in changed
    reading = reader.sessions(home, agent, reuse=is_known)
    return reading, reader.pool(home, agent, reuse=is_known) if with_pools else None


def _dated(views: list[SessionView], live: LiveReading) -> list[SessionView]:
    """Give what came from the Gateway the time of its answer: every number has its own age."""
    if live.read_at is None:
        return views
    return [
        replace(view, read_at=live.read_at) if view.stored.source is Storage.GATEWAY else view
        for view in views
    ]


def _is_unread(reading: AgentReading, live: list[SessionView]) -> bool:
    """Whether nobody knows how many sessions there are: transcripts alone may still be found."""
    is_damaged = any(one.code in _DAMAGED for one in reading.listing.notices)
    return reading.listing.storage is Storage.UNREADABLE or (is_damaged and not live)


_DAMAGED = ("store-unreadable", "store-newer")


def _agent_view(
    reading: AgentReading, rows: list[SessionView], pool: Pool | None, capture: Capture | None
) -> AgentView:
    live = [row for row in rows if row.state is SessionState.LIVE and not row.is_cron_run]
    counts = [row.count.basis for row in live if row.count.basis is not None]
    captured_at = None if capture is None else capture.at
    if captured_at is None and pool is not None:
        captured_at = pool.active_context_at
    is_unread = _is_unread(reading, live)
    return AgentView(
        agent=reading.agent,
        store=reading.listing.storage,
        sessions=None if is_unread else len(live),
        due=sum(row.is_due for row in rows),
        tokens_max=max(counts, default=None),
        pool=pool,
        checkpoint_at=captured_at,
        problems=_problems(reading.agent, reading),
        left_out=reading.listing.left_out,
        read_at=reading.read_at,
        activity=None if is_unread else counted(row.activity for row in live),
    )


def _problems(agent: Agent, reading: AgentReading) -> tuple[Notice, ...]:
    found = (*agent.problems, *reading.listing.notices, *reading.notices)
    return tuple(dict.fromkeys(found))


def _left_out(sessions: Iterable[SessionView], views: Iterable[AgentView]) -> dict[str, int]:
    counts: Counter[str] = Counter({"cron_run": 0, "archived": 0, "orphan": 0})
    for view in sessions:
        if view.state is SessionState.ARCHIVED:
            counts["archived"] += 1
        elif view.state is SessionState.ORPHAN:
            counts["orphan"] += 1
        elif view.is_cron_run:
            counts["cron_run"] += 1
    counts.update({"backup": 0, "unreadable": 0})
    for agent in views:
        counts.update(agent.left_out)
    return dict(counts)


def session_order(view: SessionView) -> tuple[int, float, float, str]:
    """People's conversations first, then jobs and helpers, then what has ended."""
    if view.state is SessionState.ORPHAN:
        rank = 4
    elif view.state is SessionState.ARCHIVED:
        rank = 3
    elif view.is_cron_run:
        rank = 2
    else:
        rank = 0 if view.session_class.is_conversation else 1
    filled = -1.0 if view.percent_of_threshold is None else view.percent_of_threshold
    updated = view.stored.updated_at
    return (
        rank,
        -filled,
        0.0 if updated is None else -updated.timestamp(),
        view.key_text or view.session_id or "",
    )
