"""Gathers what a starting session is given; reads, and writes nothing.

It answers within the budget of a hook: files are measured without being read, and only those that
are given are opened.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.domain.bootstrap import (
    ACTIVE_NAME,
    HANDOVER_NAME,
    INDEX_NAME,
    OBSERVATIONS_NAME,
    Bootstrap,
    Given,
    disclosed,
    fitted,
    instruction,
    stale_line,
    wanted,
    wrapped,
)
from memconsole.domain.calendar import daily_log, local_day, resolve_zone
from memconsole.domain.checkpoint.text import ACTIVE_CONTEXT, is_of_session
from memconsole.domain.index_md import INDEX
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.observe.rules import source_of
from memconsole.domain.sessions.keys import (
    GLOBAL,
    SessionClass,
    classify,
    is_per_peer,
    key_of,
    parse_key,
)
from memconsole.domain.settings import usable
from memconsole.domain.settings.sections import BootstrapSettings, IndexMdSettings
from memconsole.engine.home.lookup import agents_of, find_agent
from memconsole.engine.transcripts.fingerprint import keys_of
from memconsole.errors import StateError, UsageError, WorkspaceError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.calendar import Zone
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.settings import Settings
    from memconsole.domain.summarize.handover import Handover
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.search import SearchPorts
    from memconsole.ports.state import HandoverLog, RecoveryLog

_MADE_INLINE = 500
"""Files up to which a missing INDEX.md is made on the way; more would take too long."""

_MEMORY = "memory/"
_NANOSECONDS = 1_000_000_000


@dataclass(slots=True)
class BootstrapService:
    """What sessions are given of their memory when they start."""

    reader: Reader
    settings: Settings
    workspace: Workspace
    sessions: SessionStore
    recovery: RecoveryLog
    handovers: HandoverLog
    search: Callable[[], SearchPorts]
    clock: Clock

    def given(
        self,
        *,
        workspace: Path | None = None,
        session_key: str | None = None,
        is_start: bool = False,
    ) -> Bootstrap:
        """Return what a session is given; a hand-over that waits for it comes first.

        Args:
            workspace: Whose memory; None takes the agent of the key, else the first one.
            session_key: Its class decides; None means a main session.
            is_start: The session starts now: a hand-over waits no longer.

        Raises:
            UnknownAgentError: The key names an agent that is not there.
            UsageError: The workspace is nobody's.
        """
        run, kind = self._scene(workspace, session_key)
        waiting = self._waiting(run, kind, session_key)
        [found] = _given(run, (kind,), first=_handed(run, waiting))
        is_handed = any(one.name == HANDOVER_NAME for one in found.files)
        if waiting is not None and is_start and is_handed:
            with suppress(StateError):  # then the next start is given it again
                self.handovers.given(waiting, self.clock.now())
        return replace(found, left_out=(*found.left_out, *run.kept_back))

    def _waiting(
        self, run: _BootstrapRun, kind: SessionClass, session_key: str | None
    ) -> Handover | None:
        """Return the hand-over that waits for a session; without a key, for the main one."""
        if not kind.may_be_captured(groups=True):
            return None
        agent = run.agent
        if session_key is None:
            is_global = agent.session_scope == GLOBAL
            session_key = GLOBAL if is_global else f"agent:{agent.id}:{agent.main_key}"
        return self.handovers.waiting(agent.ref, session_key)

    def with_handovers(self, agent_id: str) -> tuple[tuple[Handover, Bootstrap], ...]:
        """Return the hand-overs that wait, each with what the next start of its session is given.

        One whose file was taken away waits no longer.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        agent = find_agent(self.reader.home(), agent_id)
        found = []
        for one in self.handovers.of_agent(agent.ref):
            place = None if one.session_key.startswith("agent:") else agent.workspace
            found.append((one, self.given(workspace=place, session_key=one.session_key)))
        return tuple(pair for pair in found if any(it.is_given_once for it in pair[1].files))

    def by_class(self, agent_id: str) -> tuple[Bootstrap, ...]:
        """Return what the sessions of one agent are given, for each class of them.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        home = self.reader.home()
        agent = find_agent(home, agent_id)
        return tuple(_given(self._run(home, agent), tuple(SessionClass)))

    def to_read(
        self, *, workspace: Path | None = None, session_key: str | None = None
    ) -> Bootstrap:
        """Return what an agent should read at the start of a session where no hook gives it.

        A hand-over that waits for the session comes first, and waits on: the hook gives it once.

        Args:
            workspace: As for `given`.
            session_key: As for `given`.

        Raises:
            UnknownAgentError: The key names an agent that is not there.
            UsageError: The workspace is nobody's.
        """
        run, kind = self._scene(workspace, session_key)
        handed = _handed(run, self._waiting(run, kind, session_key))
        if not kind.is_captured:
            return Bootstrap(kind, handed, () if handed else (f"{kind.phrase} is given nothing",))
        today = local_day(self.clock.now(), run.zone)
        logs = [daily_log(day) for day in (today, today - timedelta(days=1))]
        found: dict[str, str | None] = {ACTIVE_CONTEXT: run.active()}
        found[OBSERVATIONS] = run.observations()
        for path in (f"{_MEMORY}favorites.md", *logs):
            is_shared = path in logs and run.peer is not None
            found[path] = None if is_shared else run.text(path)
            if is_shared:
                run.keep_back(path)
        if kind is SessionClass.MAIN:
            found["MEMORY.md"] = run.text("MEMORY.md")
        given = _fitted(run, kind, found, handed)
        return replace(given, left_out=(*given.left_out, *run.kept_back))

    def _scene(
        self, workspace: Path | None, session_key: str | None
    ) -> tuple[_BootstrapRun, SessionClass]:
        home = self.reader.home()
        agent = _agent(home, workspace, session_key)
        run = self._run(home, agent, _peer(agent, session_key))
        return run, _class(agent, session_key)

    def _run(self, home: Home, agent: Agent, peer: str | None = None) -> _BootstrapRun:
        settings = _usual_where_wrong(self.settings.for_agent(agent.id))
        return _BootstrapRun(self, settings, home, agent, peer)


def _handed(run: _BootstrapRun, waiting: Handover | None) -> tuple[Given, ...]:
    """Return the text of a hand-over; none where its file is gone."""
    text = None if waiting is None else run.text(waiting.path)
    if waiting is None or text is None:
        return ()
    path = str(run.agent.workspace / waiting.path)
    return (Given(HANDOVER_NAME, path, wrapped(text)),)


def _usual_where_wrong(settings: Settings) -> Settings:
    """Return settings with usual rules in place of wrong ones: a start has its memory."""
    rules = settings.bootstrap
    usual = usable(lambda: (rules.max_chars, rules)[1], BootstrapSettings())
    return replace(settings, bootstrap=usual)


def _given(
    run: _BootstrapRun, kinds: Iterable[SessionClass], first: tuple[Given, ...] = ()
) -> Iterator[Bootstrap]:
    """Yield what each class is given; classes that are given the same have it read once."""
    if not run.agent.workspace_exists:
        yield from (Bootstrap(kind, (), (run.agent.workspace_trouble,)) for kind in kinds)
        return
    documents = run.service.search().documents.documents(run.agent.workspace)
    size = sum(one.size_bytes for one in documents if one.path != INDEX)
    rules = run.settings.index_md
    is_large = size >= usable(lambda: rules.min_pool_bytes, IndexMdSettings().min_pool_bytes)
    made: dict[str, Callable[[], str | None]] = {
        INDEX_NAME: lambda: run.index(size, len(documents)),
        ACTIVE_NAME: run.active,
        OBSERVATIONS_NAME: run.observations,
    }
    known: dict[tuple[str, ...], Bootstrap] = {}
    for kind in kinds:
        names = wanted(kind, is_large=is_large, rules=run.settings.bootstrap)
        if not names and not first:
            yield Bootstrap(kind, (), (f"{kind.phrase} is given nothing",))
            continue
        if names not in known:
            contents = {name: made[name]() for name in names}
            known[names] = _fitted(run, kind, contents, first)
        yield replace(known[names], session_class=kind)


@dataclass(frozen=True, slots=True)
class _BootstrapRun:
    """What one look works with.

    Attributes:
        peer: Key of a session with one person among several, given nothing of others.
        problems: Why files could not be read, by path.
        kept_back: What was taken out of files that are given.
    """

    service: BootstrapService
    settings: Settings
    home: Home
    agent: Agent
    peer: str | None = None
    problems: dict[str, str] = field(default_factory=dict)
    kept_back: list[str] = field(default_factory=list)

    @property
    def zone(self) -> Zone:
        return resolve_zone(self.settings.timezone, self.home.config.user_timezone).zone

    def text(self, relative: str) -> str | None:
        """Return a file; None when there is none, or nothing in it, or it cannot be read."""
        seen = self.seen(relative)
        return None if seen is None else seen.text

    def seen(self, relative: str) -> WorkspaceText | None:
        try:
            seen = self.service.workspace.read(self.agent.workspace, relative)
        except WorkspaceError as error:
            self.problems[relative] = str(error)
            return None
        return seen if seen is not None and seen.text.strip() else None

    def keep_back(self, relative: str) -> None:
        """Keep a file back that tells of other people's talk."""
        self.problems[relative] = "it tells of other sessions"

    def observations(self) -> str | None:
        """Return the observations that this session may be handed."""
        text = self.text(OBSERVATIONS)
        if text is None:
            return None
        found = disclosed(text, None if self.peer is None else self._own_sources(self.peer))
        self.kept_back.extend(f"{OBSERVATIONS_NAME}: {one}" for one in found.left_out)
        return found.text if found.text.strip() else None

    def _own_sources(self, key: str) -> frozenset[str]:
        """Return how the sources of a session begin, the ended sessions of its key among them."""
        agent = self.agent
        keys = {
            **self.service.recovery.keys(agent.ref),
            **keys_of(self.service.sessions.sessions(agent).sessions),
        }
        return frozenset(source_of(agent.id, one) for one, known in keys.items() if known == key)

    def problem(self, relative: str) -> str:
        """Return why a file is not given."""
        return self.problems.get(relative, "there is none")

    def index(self, size_bytes: int, files: int) -> str:
        """Return the instruction and the index; a missing one is made while that is quick."""
        head = instruction(size_bytes, files)
        if self.peer is not None:
            self.kept_back.append(f"{INDEX_NAME}: its table names sessions of other sessions")
            return head
        text = self.text(INDEX)
        if text is None and files <= _MADE_INLINE:
            from memconsole.engine.index_md import made_index  # noqa: PLC0415 - seldom missing

            pool = self.service.reader.pool(self.home, self.agent)
            now = self.service.clock.now()
            # Where its section is wrong, nobody knows which folders it leaves out.
            text = usable(lambda: made_index(self.settings, self.home, pool, now).text, None)
        return head if text is None else f"{head}\n{text}"

    def active(self) -> str | None:
        """Return ACTIVE_CONTEXT.md, with a line on top when it is old."""
        seen = self.seen(ACTIVE_CONTEXT)
        if seen is None:
            return None
        if self.peer is not None and not is_of_session(seen.text, self.peer):
            self.keep_back(ACTIVE_CONTEXT)
            return None
        modified = seen.version[0]
        at = datetime.fromtimestamp(modified / _NANOSECONDS, UTC) if modified else None
        now = self.service.clock.now()
        return stale_line(at, now, self.zone, self.settings.bootstrap.active_max_age) + seen.text


def _peer(agent: Agent, session_key: str | None) -> str | None:
    """Return the key of a session with one person among several; None for any other."""
    if session_key is None or not is_per_peer(key_of(agent, session_key)):
        return None
    return session_key


def _fitted(
    run: _BootstrapRun,
    kind: SessionClass,
    contents: dict[str, str | None],
    first: tuple[Given, ...] = (),
) -> Bootstrap:
    found = list(first)
    missing: list[str] = []
    for name, content in contents.items():
        if content is None:
            missing.append(f"{name}: {run.problem(_PATHS.get(name, name))}")
        else:
            path = str(run.agent.workspace / _PATHS.get(name, name))
            found.append(Given(name, path, wrapped(content)))
    today = local_day(run.service.clock.now(), run.zone)
    fit = fitted(tuple(found), run.settings.bootstrap, today)
    return Bootstrap(kind, fit.files, (*missing, *fit.left_out))


_PATHS = {
    INDEX_NAME: INDEX,
    ACTIVE_NAME: ACTIVE_CONTEXT,
    OBSERVATIONS_NAME: OBSERVATIONS,
}


def _agent(home: Home, workspace: Path | None, session_key: str | None) -> Agent:
    if workspace is not None:
        real = workspace.resolve()
        for agent in home.agents:
            if agent.workspace.resolve() == real:
                return agent
        raise UsageError(f"{workspace} is the workspace of no agent")
    if session_key is not None and session_key.startswith("agent:"):
        return find_agent(home, parse_key(session_key, owner="main").agent_id)
    if not (agents := agents_of(home, None)):
        raise UsageError("this home has no agents")
    return agents[0]


def _class(agent: Agent, session_key: str | None) -> SessionClass:
    if session_key is None:
        return SessionClass.MAIN
    return classify(key_of(agent, session_key), None)
