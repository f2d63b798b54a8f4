"""The way in for every face: readings, commands, and a service for each subject.

Methods block and may be called from any thread. What only some calls need is imported by them:
`status` has to answer at once.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from memconsole.engine.home.live import LiveView
from memconsole.engine.home.lookup import find_agent, find_session, owns
from memconsole.engine.home.reader import Reader
from memconsole.engine.services.health import HealthDoor
from memconsole.engine.snapshot.snapshot import take_snapshot
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome, Run
    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.config_check.finding import ConfigReport
    from memconsole.domain.health.checks import HealthReport
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import (
        ConsoleSnapshot,
        SessionDetail,
        SessionView,
        TranscriptView,
    )
    from memconsole.engine.config_check.service import ConfigDoor
    from memconsole.engine.pruning import PruningPreview, PruningWish
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal


logger = logging.getLogger(__name__)


class Engine(HealthDoor):
    """One engine behind console, command line and scheduler."""

    def __init__(self, ports: Ports, settings: Settings) -> None:
        self.settings = settings
        self._ports = ports
        self._reader = Reader(ports, settings)
        self._live = LiveView(ports)
        self._noted: dict[AgentRef, dict[str, str]] = {}

    def home(self) -> Home:
        """Read home, configuration and roster.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """
        return self._reader.home()

    def keep_home(self) -> AbstractContextManager[None]:
        """Let all that this thread asks in the block share one reading of the home."""
        return self._reader.keep_home()

    def agent(self, agent_id: str) -> Agent:
        """Return one agent by id, in any letter case.

        Raises:
            UnknownAgentError: It is neither configured nor on disk.
        """
        return find_agent(self.home(), agent_id)

    def snapshot(
        self,
        changed: frozenset[AgentRef] | None = None,
        *,
        with_pools: bool = True,
        agent_id: str | None = None,
        with_gateway: bool = True,
    ) -> ConsoleSnapshot:
        """Take one reading of everything.

        Args:
            changed: Agents whose files changed; the others are taken from the last reading
                without a look. None looks at all of them.
            with_pools: False leaves the memory pools out (`agents`, `sessions`).
            agent_id: Only this agent.
            with_gateway: False leaves the Gateway alone: the disk decides.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
            UnknownAgentError: There is no such agent.
        """
        live = self._live if with_gateway else None
        return take_snapshot(
            self._ports,
            self._reader,
            live,
            changed,
            with_pools=with_pools,
            agent_id=agent_id,
            min_compaction_ms=self.settings.min_compaction_ms,
        )

    def sessions(self) -> tuple[SessionView, ...]:
        """Return every session of every agent, judged, without memory pools."""
        return self.snapshot(with_pools=False, with_gateway=False).sessions

    def session(self, name: str) -> SessionDetail:
        """Return one session, its transcript read whole.

        Args:
            name: Session key, session id, or the unambiguous beginning of an id.

        Raises:
            SessionNotFoundError: Nothing has that name.
            StoreError: Its transcript cannot be read.
        """
        from memconsole.engine.snapshot.detail import session_detail  # noqa: PLC0415

        found = self.snapshot(with_pools=False)
        view = find_session(found.sessions, name)
        return session_detail(self._ports, self.settings, view, found)

    def prune_preview(self, name: str, wish: PruningWish) -> PruningPreview:
        """Return what the platform would trim or clear of a session's next request.

        Raises:
            SessionNotFoundError: Nothing has that name.
            StoreError: Its transcript cannot be read.
        """
        from memconsole.engine.pruning import prune_preview  # noqa: PLC0415

        return prune_preview(self._ports, self.home(), find_session(self.sessions(), name), wish)

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        """Return a session's messages, oldest first.

        Args:
            name: Session key, session id, or the unambiguous beginning of an id.
            tail: Only the last messages; None for all.
            everything: Also what is off the active path or filtered.

        Raises:
            SessionNotFoundError: Nothing has that name.
            StoreError: The transcript cannot be read.
        """
        from memconsole.engine.snapshot.detail import transcript_view  # noqa: PLC0415

        view = find_session(self.sessions(), name)
        return transcript_view(self._ports, view, tail=tail, everything=everything)

    def pools(self, agent_id: str | None = None) -> tuple[Pool, ...]:
        """Return the memory pools, one a workspace.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        home = self.home()
        agents = home.agents if agent_id is None else (find_agent(home, agent_id),)
        pools: dict[Path, Pool] = {}
        for agent in agents:
            pools.setdefault(agent.workspace, self._reader.pool(home, agent))
        return tuple(pools.values())

    def config_findings(
        self, snapshot: ConsoleSnapshot | None = None, *, recommends: bool = False
    ) -> ConfigReport:
        """Check the platform's configuration, and what compactions really did.

        Reads transcripts whole, within limits: not for the first screen.

        Args:
            snapshot: A reading with pools that is at hand; None takes one.
            recommends: Also optional advice.

        Raises:
            HomeNotFoundError: The platform home does not exist.
        """
        self._config.sweep()
        return self._config.report(snapshot, recommends=recommends)

    def compaction_evidence(self, snapshot: ConsoleSnapshot | None = None) -> CompactionEvidence:
        """Return what the transcripts say about their compactions.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        return self._config.evidence(snapshot)

    @cached_property
    def _config(self) -> ConfigDoor:
        from memconsole.engine.config_check.service import ConfigDoor  # noqa: PLC0415

        return ConfigDoor(self._ports, self._reader, self.settings)

    def health(self, snapshot: ConsoleSnapshot | None = None) -> HealthReport:
        """Check everything that keeps memory safe; one failure never stops the rest.

        Args:
            snapshot: A reading with pools and the Gateway that is at hand; None takes one.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        from memconsole.engine.health.read import take_health  # noqa: PLC0415

        self._config.sweep()
        report = take_health(
            self._ports,
            self._reader,
            self.settings,
            evidence=self._config.evidence,
            indexes=self.indexes,
            snapshot=snapshot,
        )
        return self._judged(report)

    def runs(
        self, *, limit: int = 50, since: datetime | None = None, job: str | None = None
    ) -> tuple[Run, ...]:
        """Return this home's newest runs first.

        Raises:
            StateError: The records cannot be read: "none" and "nobody knows" differ.
        """
        self.require_records()
        home = str(self.home().path)
        return self._ports.runs.runs(limit=limit, since=since, job=job, home=home)

    def remember_readings(self) -> None:
        """Keep what a reading found out, so that the next process need not; see `UsageMemory`."""
        self._reader.remember(self.home())

    def require_records(self) -> None:
        """Tell what was never recorded from what cannot be read.

        Raises:
            StateError: The records cannot be read.
        """
        self._ports.runs.require_readable()

    def watched(self) -> tuple[Path, ...]:
        """Return the folders whose changes mean a new reading."""
        home = self.home()
        roots: dict[Path, None] = {home.path: None}
        for agent in home.agents:
            roots[agent.sessions_dir] = None
            roots[agent.database.parent] = None
            roots[agent.workspace] = None
        config = home.config.path
        if config is not None and home.path not in config.parents:
            roots[config] = None
        return tuple(roots)

    def agents_of(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        """Return the agents that changed files belong to; None when it may be all of them."""
        home = self.home()
        changed: set[AgentRef] = set()
        for path in paths:
            owners = [agent.ref for agent in home.agents if owns(agent, path)]
            if not owners:
                return None
            changed.update(owners)
        return frozenset(changed)

    def record_samples(self, snapshot: ConsoleSnapshot) -> None:
        """Keep what a snapshot saw: counts for growth, and the keys of talks for recovery.

        Console and scheduler call it.
        """
        from memconsole.engine.snapshot.snapshot import keys_of, samples_of  # noqa: PLC0415

        try:
            self._ports.samples.add(samples_of(snapshot))
            for agent, keys in keys_of(snapshot).items():
                if self._noted.get(agent) != keys:
                    self._ports.recovery.note(agent, keys, snapshot.taken_at)
                    self._noted[agent] = keys
        except StateError as error:
            logger.warning("samples are not kept: %s", error)

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        job: str | None = None,
    ) -> Outcome:
        """Run one command; expected failures come back as `Failed`, bugs are raised.

        Args:
            command: What to do.
            progress: Told how many steps are done, and of how many, by commands of many steps.
            cancel: Ends such a command early, at a place where nothing is half done.
            job: The scheduler's job that it is a part of.
        """
        from memconsole.engine.dispatch import Attended, run_command  # noqa: PLC0415

        return run_command(
            command,
            ports=self._ports,
            reader=self._reader,
            settings=self.settings,
            attended=Attended(progress, cancel, job),
        )
