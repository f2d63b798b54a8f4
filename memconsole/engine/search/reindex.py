"""Brings an agent's search indexes up to date, by command and after an edit of its memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import Failed, Planned, Reported, Written
from memconsole.domain.commands.reindex import Reindexed
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.search.open import QUALITY_OFF, targets, unread_notices
from memconsole.engine.turn import require_workspace
from memconsole.errors import EmbeddingError, IndexUnavailableError, LockedError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.reindex import Reindex
    from memconsole.domain.search.indexing import SyncReport
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal
    from memconsole.ports.search import SearchIndex


_SOURCES = (Source.MEMORY, Source.SESSIONS)


def reindex(
    command: Reindex,
    *,
    ports: SearchNeeds,
    settings: Settings,
    home: Home | None = None,
    cancel: StopSignal | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Take what changed into the indexes of one agent.

    Args:
        command: Which agent, and how.
        ports: The engine's ports.
        settings: Of all agents.
        home: A reading that is at hand; None takes one.
        cancel: Looked at between two documents; the index stays as it was.
        progress: Told how many documents of an index are done, and of how many.

    Raises:
        LockedError: Another process writes an index.
        IndexUnavailableError: An index cannot be written.
        NoWorkspaceError: The memory alone is meant, and nobody knows where it lies.
    """
    home = home or ports.platform.read()
    agent = find_agent(home, command.agent.id)
    notices: list[Notice] = []
    wanted = _known(targets(ports, settings, home, (agent,), _sources(command)), agent, notices)
    if command.dry_run:
        return _planned(command, ports, wanted)
    index = ports.search().index
    reports: list[SyncReport] = []
    for target in wanted:
        documents = target.documents()
        unread = unread_notices(target, documents)
        report = index.sync(
            target.scope,
            documents,
            target.read,
            target.settings,
            is_full=command.is_full,
            cancel=cancel,
            progress=progress,
        )
        report = _enriched(report, index, target, notices, cancel=cancel, progress=progress)
        reports.append(report := _qualified(report, unread))
        notices += (*unread, *target.left_out(), *report.notices)
        with index.open(target.scope, target.settings) as reader:
            notices += reader.notices()
    return done(command, reports, tuple(dict.fromkeys(notices)))


def _known(
    wanted: tuple[IndexTarget, ...], agent: Agent, notices: list[Notice]
) -> tuple[IndexTarget, ...]:
    """Leave out the memory of a workspace that is only guessed, and say so."""
    if not agent.workspace_doubt:
        return wanted
    known = tuple(one for one in wanted if one.scope.source is not Source.MEMORY)
    if not known:
        require_workspace(agent)
    notices.append(Notice("workspace-missing", agent.workspace_trouble, agent=agent.id))
    return known


def _enriched(
    report: SyncReport,
    index: SearchIndex,
    target: IndexTarget,
    notices: list[Notice],
    *,
    cancel: StopSignal | None,
    progress: Callable[[int, int], None] | None,
) -> SyncReport:
    """Make what the better model lacks; where it cannot be used, the index is as good as static."""
    if target.settings.provider != "quality":
        return report
    try:
        status = index.enrich(target.scope, target.settings, cancel=cancel, progress=progress)
    except IndexUnavailableError as error:
        notices.append(Notice(QUALITY_OFF, f"{error}; {error.hint}", agent=target.agent.id))
        return report
    return report._replace(status=status)


def _sources(command: Reindex) -> tuple[Source, ...] | None:
    """Return what is to be indexed; None as configured."""
    if command.with_sessions is None:
        return None
    return _SOURCES if command.with_sessions else (Source.MEMORY,)


def _qualified(report: SyncReport, unread: Sequence[Notice]) -> SyncReport:
    """Return a report that calls no index fresh of which a part could not be read."""
    if not unread:
        return report
    status = replace(report.status, state=IndexState.STALE, because=unread[0].message)
    return report._replace(status=status)


def _planned(command: Reindex, ports: SearchNeeds, wanted: tuple[IndexTarget, ...]) -> Planned:
    sentences = []
    details: dict[str, Detail] = {}
    for target in wanted:
        pending = ports.search().index.pending(target.scope, target.documents(), target.settings)
        name = target.scope.source.value
        sentences.append(f"{name}: {_intention(pending.must_build, pending.because)}")
        details[name] = {
            "changed": len(pending.changed),
            "removed": len(pending.removed),
            "build": pending.must_build,
        }
    return Planned(command, "; ".join(sentences), details=details)


def _intention(must_build: bool, because: str) -> str:  # noqa: FBT001, RUF100
    if must_build:
        return f"build the index, {because}"
    return because or "nothing has changed"


def done(
    command: Reindex, reports: list[SyncReport], notices: tuple[Notice, ...]
) -> Reindexed | Failed:
    """Return what writing indexes came to."""
    details = _details(reports)
    failures = [one for one in notices if one.code == EmbeddingError.code]
    if failures:
        sentence = f"words are indexed, vectors are missing: {failures[0].message}"
        return Failed(command, EmbeddingError.code, sentence, details=details)
    wrote = tuple(
        Written(str(report.path), report.status.size_bytes)
        for report in reports
        if report.is_rebuilt or report.files_changed or report.files_removed
    )
    return Reindexed(command, _sentence(reports), wrote, details, notices)


def _sentence(reports: list[SyncReport]) -> str:
    changed = sum(one.files_changed for one in reports)
    removed = sum(one.files_removed for one in reports)
    chunks = sum(one.status.chunks for one in reports)
    size = size_words(sum(one.status.size_bytes for one in reports))
    what = "nothing had changed"
    if changed or removed:
        what = f"{plural(changed, 'document')} taken in, {removed} taken out"
    return f"{what}; {plural(chunks, 'chunk')} in {size}"


def _details(reports: list[SyncReport]) -> Mapping[str, Detail]:
    return {
        "files": sum(one.status.files for one in reports),
        "files_changed": sum(one.files_changed for one in reports),
        "files_removed": sum(one.files_removed for one in reports),
        "chunks": sum(one.status.chunks for one in reports),
        "chunks_added": sum(one.chunks_added for one in reports),
        "chunks_removed": sum(one.chunks_removed for one in reports),
        "embedded": sum(one.embedded for one in reports),
        "cost_tokens": next((one.cost_tokens for one in reports if one.cost_tokens), None),
        "bytes": sum(one.status.size_bytes for one in reports),
        "rebuilt": any(one.is_rebuilt for one in reports),
        "state": reports[0].status.state.value if reports else None,
        "provider": reports[0].status.provider if reports else None,
        "compares": reports[0].status.way.value if reports else None,
    }


Changed = TypeVar("Changed", bound=Reported)


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The search index of a memory, where there is one.

    Attributes:
        ports: What a search needs.
    """

    ports: SearchNeeds

    def indexed(self, outcome: Changed, memory: AgentMemory) -> Changed:
        """Take in what an action changed, and return its outcome with what came of that."""
        state, notice = self.refresh(memory, is_full=False)
        notices = outcome.notices if notice is None else (*outcome.notices, notice)
        return replace(outcome, details={**outcome.details, "index": state}, notices=notices)

    def refresh(
        self, memory: AgentMemory, *, is_full: bool, with_talks: bool = False
    ) -> tuple[str, Notice | None]:
        """Take the files in as they are now.

        Args:
            memory: The memory.
            is_full: Build the index anew, so that nothing of its old file is left, and drop those
                of workspaces that stand nowhere any more, and of former owners of this one.
            with_talks: Also the indexes of sessions of all agents of this memory.

        Returns:
            `none`, `updated`, `rebuilt` or `stale`; why it is stale.
        """
        agent, settings = memory.agent, memory.settings
        index = self.ports.search().index
        state = "none"
        wanted = targets(self.ports, settings, memory.home, (agent,), (Source.MEMORY,))
        if is_full:
            try:
                index.drop_gone(wanted[0].scope)
            except (LockedError, IndexUnavailableError) as error:
                return "stale", Notice("index-stale", str(error), agent=agent.id)
        if with_talks:
            home = memory.home
            agents = [one for one in home.agents if str(one.workspace.resolve()) == memory.real]
            wanted += targets(self.ports, settings, home, agents, (Source.SESSIONS,))
        for target in wanted:
            if index.status(target.scope, target.settings).state is IndexState.MISSING:
                continue
            try:
                documents = target.documents()
                index.sync(target.scope, documents, target.read, target.settings, is_full=is_full)
            except (LockedError, IndexUnavailableError, StoreError) as error:
                return "stale", Notice("index-stale", str(error), agent=agent.id)
            state = "rebuilt" if is_full else "updated"
        return state, None
