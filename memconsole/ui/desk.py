"""What screens, dialogs and panes may ask of the console around them.

They see these protocols and not the application: it opens them, so they must not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from memconsole.ui.drawing.spans import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from textual.dom import DOMNode
    from textual.screen import Screen, ScreenResultCallbackType

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.jobs.runs import JobView
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit, SearchRequest
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView
    from memconsole.engine.engine import Engine
    from memconsole.engine.report import ReportMaker
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.actions.action import Actions
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.listing import Listing
    from memconsole.ui.drawing.spans import Row
    from memconsole.ui.queries import Facets, Queries
    from memconsole.ui.terminal.log import LogBuffer
    from memconsole.ui.workers.indexing import Indexing
    from memconsole.ui.workers.readings import Readings, ScreenClock


class Go(Protocol):
    """Opens other screens."""

    def session(self, view: SessionView, find: str = "") -> None:
        """Open one session, where a text is said when one is given."""

    def actions(self) -> None:
        """List what only the screen in front can do."""

    def memory(self, agent_id: str | None, path: str | None = None) -> None:
        """Open the memory of one agent, at one file."""

    def bootstrap(self, agent_id: str) -> None:
        """Open what sessions of one agent are given at their start."""

    def consolidation(self, agent_id: str) -> None:
        """Open what may leave an agent's long-term memory, and what may come."""

    def pruning(self, view: SessionView) -> None:
        """Open what the platform may cut out of one session."""

    def note(self, spec: CommandSpec, targets: tuple[Target, ...]) -> None:
        """Ask for a text, then begin the command with it."""

    def export(self, listing: Listing, rows: Sequence[Row]) -> None:
        """Ask where a list or a page is written."""

    def host(self, jobs: JobControl, plan: Sequence[str], views: Sequence[JobView]) -> None:
        """Ask whether the jobs shall run here, and follow them."""

    def search(self, facets: Facets, text: str) -> None:
        """Open the search."""

    def why(self, request: SearchRequest) -> None:
        """Open what the agents' own searches find."""

    def hit(self, hit: SearchHit, query: Query) -> None:
        """Open the place of a hit."""

    def runs(self, key: str | None = None) -> None:
        """Open the runs, at one of them."""

    def home(self, label: str) -> None:
        """Show on the first screen what is of one home alone, or everything again."""

    def group(self, label: str) -> None:
        """Show on the first screen the hosts with a label alone."""

    def observations(self, agent_id: str) -> None:
        """Open the observations of one agent."""

    def checkpoints(self, agent_id: str) -> None:
        """Open the checkpoints of one agent."""

    def health(self) -> None:
        """Open the health checks."""

    def report(self, make: Callable[[], ReportMaker]) -> None:
        """Open what a bug report would hold."""

    def what_if(self, agent_id: str | None, threshold: int | None, since: str) -> None:
        """Open what rotation would have done."""

    @property
    def found(self) -> int | None:
        """Place among the findings of the one that was gone to; None when one is elsewhere."""

    def finding(self) -> None:
        """Go to what wants attention most."""


class Desk(Protocol):
    """The console around a screen.

    Attributes:
        snapshot: The last reading; None before the first.
        failure: Why the last reading failed; empty when it did not.
        quiet_since: Since when all readings found the home quiet; None when the last did not.
        jobs: The scheduler's jobs; None when this console has none.
        report: Makes what a bug report needs; None when this console cannot.
        typing_pause_s: Seconds without a letter after which a search begins.
        index_pause_s: Seconds for which an agent is shown before an index that it lacks is built;
            None leaves that to the first search.
        reading_pause_s: Seconds in which nobody can have read a question that just appeared.
    """

    snapshot: ConsoleSnapshot | None
    failure: str
    quiet_since: datetime | None
    settings: Settings
    glyphs: Glyphs
    clock: ScreenClock
    jobs: JobControl | None
    report: Callable[[], ReportMaker] | None
    typing_pause_s: float
    reading_pause_s: float
    index_pause_s: float | None

    @property
    def engine(self) -> Engine:
        """The engine."""

    @property
    def go(self) -> Go:
        """The way to other screens."""

    @property
    def actions(self) -> Actions:
        """What was begun."""

    @property
    def readings(self) -> Readings:
        """When the disk is read."""

    @property
    def indexing(self) -> Indexing:
        """What keeps the indexes up to date."""

    @property
    def queries(self) -> Queries:
        """What was searched for."""

    @property
    def logbook(self) -> LogBuffer:
        """Warnings of this process."""

    @property
    def screen(self) -> Screen[Any]:
        """The screen in front."""

    def badges(self) -> tuple[str, ...]:
        """Return the words that stand beside the title."""

    def context(self) -> Context:
        """Return the circumstances of a drawing now."""

    def begin(self, spec: CommandSpec, targets: tuple[Target, ...], refusal: str = "") -> None:
        """Begin a command: its plan first."""

    def ask(
        self,
        heading: str,
        sentences: tuple[str, ...],
        yes: str,
        then: Callable[[], object],
        *,
        line: str = "",
    ) -> None:
        """Ask a question, and do something when it is answered with yes."""

    def say(self, text: str, role: Role = Role.PLAIN) -> None:
        """Show one sentence at the bottom of the screen in front."""

    def copy(self, text: str) -> None:
        """Put a text into the clipboard of the terminal."""

    @property
    def screen_stack(self) -> list[Screen[Any]]:
        """All open screens, the one in front last."""

    def pop_screen(self) -> object:
        """Close the screen in front."""

    def push_screen(
        self, screen: Screen[Any], callback: ScreenResultCallbackType[Any] | None = None
    ) -> object:
        """Open a screen in front of this one."""

    async def run_action(self, action: str, default_namespace: DOMNode | None = None) -> bool:
        """Run an action of a key."""

    def run_worker(
        self, work: Callable[[], None], *, thread: bool, group: str, exit_on_error: bool
    ) -> object:
        """Run something in a thread of its own."""

    def call_from_thread(self, callback: Callable[..., None], *args: Any) -> None:
        """Call something in the thread of the screen."""
