"""What the console asks of the engine; the real one satisfies it by shape, tests bring a fake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, timedelta
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.alerts.rules import Mute, Standing
    from memconsole.domain.bootstrap import Bootstrap
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome, Run
    from memconsole.domain.config_check.finding import ConfigReport
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.domain.health.checks import HealthReport
    from memconsole.domain.hooks import HookStatus
    from memconsole.domain.memory.advice import MemoryAdvice
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker
    from memconsole.domain.memory.records import Capture
    from memconsole.domain.platform_search.index import PlatformIndexHealth
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionDetail, TranscriptView
    from memconsole.engine.pruning import PruningPreview, PruningWish
    from memconsole.ports.platform import StopSignal


class Watch(Protocol):
    """Indexes what changed; safe from any thread."""

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths."""

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due; None when nothing waits."""

    def run_due(self, cancel: StopSignal | None = None) -> tuple[Outcome, ...]:
        """Index what is due; may take seconds."""


class Door(Protocol):
    """The engine; every method blocks and may be called from any thread."""

    settings: Settings

    def snapshot(self, changed: frozenset[AgentRef] | None = None) -> ConsoleSnapshot:
        """Take one reading of everything; only changed agents are looked at anew."""

    def session(self, name: str) -> SessionDetail:
        """Return one session, its transcript read whole."""

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        """Return a session's messages, oldest first."""

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        """Return (agent id, marked line) of every pool."""

    def checkpoints(self, agent_id: str) -> tuple[Capture, ...]:
        """Return the last checkpoints of an agent, as they were written, the newest first."""

    def memory_text(self, agent_id: str, relative: str) -> str | None:
        """Return the text of one file of an agent's workspace; None when it does not exist."""

    def memory_entries(self, agent_id: str, name: str | None = None) -> tuple[MemoryEntry, ...]:
        """Return the entries of one file of an agent's memory, or of all files."""

    def memory_advice(self, agent_id: str) -> MemoryAdvice:
        """Return what wants a look in an agent's curated memory."""

    def consolidation(self, agent_id: str) -> ConsolidationPreview:
        """Return what consolidation would do to an agent's memory."""

    def bootstraps(self, agent_id: str) -> tuple[Bootstrap, ...]:
        """Return what the sessions of one agent are given, for each class of them."""

    def bootstrap(self, *, session_key: str | None = None, is_startup: bool = False) -> Bootstrap:
        """Return what a starting session is given, or should read where no hook gives it."""

    def hooks(self) -> tuple[HookStatus, ...]:
        """Return the hooks of memconsole as they are in the platform home."""

    def prune_preview(self, name: str, wish: PruningWish) -> PruningPreview:
        """Return what the platform would trim or clear of a session's next request."""

    def runs(
        self, *, limit: int = 50, since: datetime | None = None, job: str | None = None
    ) -> tuple[Run, ...]:
        """Return the newest runs first."""

    def watched(self) -> tuple[Path, ...]:
        """Return the folders whose changes mean a new reading."""

    def agents_of(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        """Return the agents that changed files belong to; None when it may be all of them."""

    def record_samples(self, snapshot: ConsoleSnapshot) -> None:
        """Keep the counts of a snapshot for growth."""

    def search(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Search memory and talks; nothing found is an answer."""

    def scan(self, request: SearchRequest, cancel: StopSignal | None = None) -> SearchResult:
        """Search the memory files themselves, by words alone."""

    def ask_agents(self, result: SearchResult) -> SearchResult:
        """Put where the agents' own search has it beside each hit, as the Gateway says."""

    def platform_indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        """Return whether the agents' own search indexes are whole."""

    def indexes(self, agent_id: str | None = None) -> Mapping[tuple[str, Source], IndexStatus]:
        """Return the state of every index that a search would look into."""

    def document_lines(self, agent_id: str, path: str) -> tuple[str, ...]:
        """Return the lines of something that was found, masked; none when it is gone."""

    def health(self) -> HealthReport:
        """Check everything that keeps memory safe."""

    def alert_standings(self) -> tuple[Standing, ...]:
        """Return what was wrong at the last look of the scheduler, and who knows of it."""

    def mute_alert(self, issue: str, span: timedelta | None) -> Mute | None:
        """Tell nobody of an open alert for a while; None tells people again."""

    def config_findings(self) -> ConfigReport:
        """Check the platform's configuration."""

    def index_watch(self) -> Watch:
        """Return what indexes changed files once they have rested."""

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
    ) -> Outcome:
        """Run one command; expected failures come back as values."""
