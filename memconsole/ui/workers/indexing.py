"""The search indexes as the console knows them: their states, and what is done for them.

States are read when they are shown. An index that is missing is built when somebody searches, in a
thread, by the same command as `i` and `memconsole reindex`. Memory files that change later are
taken in once they have rested; the engine's watch decides when.
"""

from __future__ import annotations

import logging
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from textual.message import Message

from memconsole.domain.commands.outcomes import Failed, Skipped
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.search.indexing import IndexState, IndexStatus
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.literal import literal
from memconsole.ui.messages import CommandFinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from textual.app import App

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.snapshot.snapshot import AgentView
    from memconsole.engine.engine import Engine
    from memconsole.engine.search.watch import IndexWatch

logger = logging.getLogger(__name__)

_COMPARED_S = 0.25
"""Time for comparing an index with what is there."""

_STEP_S = 0.2
"""Progress is told at most so often."""

_LEAST_S = 0.01

Statuses = tuple[IndexStatus, ...]


@dataclass(frozen=True, slots=True)
class Building:
    """An index on its way.

    Attributes:
        done: Documents; None before the first is counted.
    """

    agent: str
    done: int | None = None
    total: int | None = None


def _needs_work(status: IndexStatus) -> bool:
    return status.state is IndexState.MISSING or status.lacking > 0


class IndexMoved(Message):
    """Something about an index is other than it was.

    Attributes:
        has_changed: Answers may differ now: ask again.
    """

    def __init__(self, *, has_changed: bool = False) -> None:
        super().__init__()
        self.has_changed = has_changed


class IndexStep(Message):
    """A thread has done its part; `then` goes on, on the side of the keys."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self.then = then


class Indexing:
    """Knows the indexes for the app; unless they say otherwise, methods belong to the keys' side.

    Attributes:
        building: What is being built now.
        failures: Why the index of an agent could not be built, by its id.
    """

    def __init__(self, app: App[int], engine: Engine, monotonic: Callable[[], float]) -> None:
        self._app = app
        self._engine = engine
        self._monotonic = monotonic
        self._stop = threading.Event()
        self._statuses: dict[str, Statuses] = {}
        self._asked: set[str] = set()
        self._is_looking = False
        self._opened: set[AgentRef] = set()
        self._queue: list[AgentRef] = []
        self._read_at: dict[str, object] = {}
        self.building: Building | None = None
        self.failures: dict[str, str] = {}

    @cached_property
    def _watch(self) -> IndexWatch:
        return self._engine.watches.index()

    # ---- states --------------------------------------------------------------------------

    def of(self, agents: Iterable[str]) -> Statuses:
        """Return the states of these agents' indexes, as far as they are known."""
        return tuple(status for agent in agents for status in self._statuses.get(agent, ()))

    def look(self, agents: Iterable[str]) -> None:
        """Read the states of these agents' indexes, unless they are known."""
        self._asked |= {agent for agent in agents if agent not in self._statuses}
        if self._asked and not self._is_looking:
            self._is_looking = True
            wanted, self._asked = self._asked, set()
            # What is being drawn need not wait for the modules of the search.
            self._app.call_after_refresh(self._work, lambda: self._read(wanted))

    def renew(self, agents: Iterable[str]) -> None:
        """Read states again that are known, because the indexes have changed."""
        self._asked |= set(agents) & set(self._statuses)
        self.look(())

    def _read(self, agents: Iterable[str]) -> None:
        """Run in a thread."""
        found: dict[str, Statuses] = {}
        for agent in agents:
            try:
                states = self._engine.search.indexes(agent, compared_within_s=_COMPARED_S)
                found[agent] = tuple(states.values())
            except MemconsoleError as error:
                logger.info("the index of %s cannot be looked at: %s", agent, error)
                found[agent] = (IndexStatus(IndexState.UNAVAILABLE, because=str(error)),)
        self._then(lambda: self._looked(found))

    def _looked(self, found: dict[str, Statuses]) -> None:
        self._is_looking = False
        self._statuses.update(found)
        self.look(())
        self._build_next()
        self._app.post_message(IndexMoved())

    # ---- building ------------------------------------------------------------------------

    def open(self, agents: Iterable[AgentView]) -> None:
        """Somebody searches these agents: build what is missing, take in what has changed."""
        new = [view for view in agents if view.ref not in self._opened]
        if not new or self._engine.settings.ui.read_only:
            return
        self._opened |= {view.ref for view in new}
        self._queue += [view.ref for view in new]
        self.look(view.ref.id for view in new)
        self._build_next()
        self.note(frozenset(view.agent.workspace for view in new))

    def _build_next(self) -> None:
        while self._queue and self.building is None:
            ref = self._queue[0]
            if ref.id not in self._statuses:
                return
            del self._queue[0]
            if any(_needs_work(one) for one in self.of((ref.id,))):
                self._begin(ref)

    def _begin(self, ref: AgentRef) -> None:
        self.building = Building(ref.id)
        self._work(lambda: self._build(ref))
        self._app.post_message(IndexMoved())

    def _build(self, ref: AgentRef) -> None:
        """Run in a thread; whatever happens, the queue goes on."""
        told_at = float("-inf")

        def progress(done: int, total: int) -> None:
            nonlocal told_at
            now = self._monotonic()
            if now - told_at >= _STEP_S:
                told_at = now
                self._then(lambda: self._moved_on(Building(ref.id, done, total)))

        failure = ""
        try:
            outcome = self._engine.run(Reindex(ref), progress=progress, cancel=self._stop)
        except Exception as error:
            if not self._stop.is_set():
                logger.exception("the index of %s could not be built", ref.id)
            failure = f"building failed, which is a bug ({type(error).__name__}); l shows the log"
        else:
            if isinstance(outcome, Failed | Skipped):
                failure = literal(". ".join(filter(None, (outcome.message, outcome.hint))))
            self._app.post_message(CommandFinished(outcome))
        self._then(lambda: self._built(ref.id, failure))

    def _moved_on(self, building: Building) -> None:
        if self.building is not None and self.building.agent == building.agent:
            self.building = building
            self._app.post_message(IndexMoved())

    def _built(self, agent: str, failure: str) -> None:
        self.building = None
        self.failures.pop(agent, None)
        if failure:
            self.failures[agent] = failure
        self.changed((agent,))
        self._build_next()

    def changed(self, agents: Iterable[str]) -> None:
        """Indexes of these agents are other than they were."""
        self.renew(agents)
        self._app.post_message(IndexMoved(has_changed=True))

    # ---- changes of files ----------------------------------------------------------------

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed files and folders; in a thread, because the home is read for them."""
        self._work(lambda: self.heard(paths))

    def heard(self, paths: frozenset[Path]) -> None:
        """Take changed files and folders, in the thread that heard of them."""
        self._watch.note(paths)
        self._then(self._set_clock)

    def take(self, agents: Iterable[AgentView]) -> None:
        """Take a reading on a host without file events: pools read anew may have changed."""
        changed = set()
        for view in agents:
            if view.pool is not None:
                before = self._read_at.get(view.ref.id, view.pool.read_at)
                self._read_at[view.ref.id] = view.pool.read_at
                if before != view.pool.read_at:
                    changed.add(view.pool.root)
        if changed:
            self.note(frozenset(changed))

    def _set_clock(self) -> None:
        left = self._watch.due_in_s()
        if left is not None and not self._stop.is_set():
            self._app.set_timer(max(left, _LEAST_S), self._when_due)

    def _when_due(self) -> None:
        left = self._watch.due_in_s()
        if left is not None and left > 0:
            self._set_clock()  # files changed again, or the timer came a little early
        elif left is not None:
            self._work(self._take_in)

    def _take_in(self) -> None:
        """Run in a thread."""
        outcomes = self._watch.run_due(self._stop)
        agents = {outcome.command.agent.id for outcome in outcomes}
        self._then(lambda: self._taken_in(agents))

    def _taken_in(self, agents: set[str]) -> None:
        if agents:
            # What was taken in may wait for vectors of the better model.
            self._queue += [ref for ref in self._opened if ref.id in agents]
            self.changed(agents)
        self._set_clock()

    def close(self) -> None:
        """Let what runs end at its next document."""
        self._stop.set()

    def _work(self, job: Callable[[], None]) -> None:
        self._app.run_worker(job, thread=True, group="index", exit_on_error=False)

    def _then(self, then: Callable[[], None]) -> None:
        self._app.post_message(IndexStep(then))
