"""Opens screens; each is imported when it is first wanted, so that none delays the first paint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.search.indexing import Source
from memconsole.domain.snapshot.groups import name_of
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.overview.screen import OverviewScreen
from memconsole.ui.screens.search.rows import first_word, location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.jobs.runs import JobView
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit, SearchRequest
    from memconsole.domain.snapshot.snapshot import Attention, SessionView
    from memconsole.engine.report import ReportMaker
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.desk import Desk
    from memconsole.ui.drawing.excerpt import Location
    from memconsole.ui.drawing.listing import Listing
    from memconsole.ui.drawing.spans import Row
    from memconsole.ui.queries import Facets
    from memconsole.ui.screens.action.note import Note
    from memconsole.ui.screens.palette.help import HelpLine
    from memconsole.ui.screens.palette.screen import Choice


class Navigation:
    """Pushes screens."""

    def __init__(self, app: Desk) -> None:
        self._app = app
        self._found: tuple[str, ...] = ()
        self._found_on: object = None

    def session(self, view: SessionView, find: str = "") -> None:
        """Open one session, where a text is said when one is given."""
        from memconsole.ui.screens.session.screen import SessionScreen  # noqa: PLC0415 - see above

        name = view.key_text or view.session_id
        if name is None:
            self._app.say("this entry has neither a key nor an id to open it by")
            return
        if self._is_here(view.agent.id):
            self._app.push_screen(SessionScreen(view, find))

    def memory(
        self, agent_id: str | None, path: str | None = None, *, spot: Location | None = None
    ) -> None:
        """Open the memory of one agent, at one file, or where something was found."""
        from memconsole.ui.screens.memory.screen import MemoryScreen  # noqa: PLC0415 - see above

        snapshot = self._app.snapshot
        agents = () if snapshot is None else snapshot.agents
        if agent_id is None and len(agents) == 1:
            agent_id = agents[0].ref.id
        if agent_id is None:
            self._app.say("select one agent to see its memory")
            return
        if self._is_here(agent_id):
            self._app.push_screen(MemoryScreen(agent_id, path, spot=spot))

    def bootstrap(self, agent_id: str) -> None:
        """Open what sessions of one agent are given at their start."""
        from memconsole.ui.screens.bootstrap.screen import BootstrapScreen  # noqa: PLC0415 - see above

        if self._is_here(agent_id) and not isinstance(self._app.screen, BootstrapScreen):
            self._app.push_screen(BootstrapScreen(agent_id))

    def consolidation(self, agent_id: str) -> None:
        """Open what consolidation would do to the memory of one agent."""
        from memconsole.ui.screens.consolidation.screen import ConsolidationScreen  # noqa: PLC0415

        if self._is_here(agent_id) and not isinstance(self._app.screen, ConsolidationScreen):
            self._app.push_screen(ConsolidationScreen(agent_id))

    def pruning(self, view: SessionView) -> None:
        """Open what the platform would prune of a session's next request."""
        from memconsole.ui.screens.session.pruning import PruningScreen  # noqa: PLC0415 - see above

        name = view.key_text or view.session_id
        if name is None:
            self._app.say("this entry has neither a key nor an id to preview it by")
            return
        if self._is_here(view.agent.id):
            self._app.push_screen(PruningScreen(view))

    def _is_here(self, agent_id: str) -> bool:
        """Whether an agent's files can be read here; says where they can when they are not."""
        snapshot = self._app.snapshot
        home = None if snapshot is None else snapshot.home_of(agent_id)
        if home is None or not home.is_far:
            return True
        where = f"ssh -t {home.ref.host} memconsole"
        self._app.say(literal(f"{home.label} shows that itself: {where}"))
        return False

    def note(self, spec: CommandSpec, targets: tuple[Target, ...]) -> None:
        """Ask for a text, then begin the command that writes it down."""
        from memconsole.ui.screens.action.note import NoteScreen  # noqa: PLC0415 - see above

        def written(note: Note | None) -> None:
            if note is not None:
                self._app.begin(note.spec(spec), targets)

        whose = ", ".join(dict.fromkeys(one.agent.id for one in targets))
        self._app.push_screen(NoteScreen(whose, self._app.glyphs), written)

    def search(self, facets: Facets, text: str) -> None:
        """Open the search with facets and preview."""
        from memconsole.ui.screens.search.screen import SearchScreen  # noqa: PLC0415 - see above

        self._app.push_screen(SearchScreen(facets, text))

    def why(self, request: SearchRequest) -> None:
        """Open why the agents do not see what a search found."""
        from memconsole.ui.screens.search.why import WhyScreen  # noqa: PLC0415 - see above

        self._app.push_screen(WhyScreen(request))

    def hit(self, hit: SearchHit, query: Query) -> None:
        """Open what was found: a memory file at its line, a session at the word."""
        if hit.source is Source.SESSIONS:
            self._session(hit, query)
        else:
            self.memory(hit.agent, spot=location_of(hit, query))

    def _session(self, hit: SearchHit, query: Query) -> None:
        snapshot = self._app.snapshot
        session_id = hit.path.removeprefix("sessions/")
        for view in () if snapshot is None else snapshot.sessions:
            if view.session_id == session_id:
                self.session(view, first_word(hit, query))
                return
        self._app.say("this session is not listed any more: r looks again")

    def runs(self, key: str | None = None) -> None:
        """Open the history of runs, at one of them."""
        from memconsole.ui.screens.jobs.runs import RunsScreen  # noqa: PLC0415 - see above

        self._app.push_screen(RunsScreen(key))

    def observations(self, agent_id: str) -> None:
        """Open what is remembered of an agent's sessions."""
        from memconsole.ui.screens.observations.screen import ObservationsScreen  # noqa: PLC0415

        if self._is_here(agent_id) and not isinstance(self._app.screen, ObservationsScreen):
            self._app.push_screen(ObservationsScreen(agent_id))

    def checkpoints(self, agent_id: str) -> None:
        """Open what the checkpoints of an agent saved."""
        from memconsole.ui.screens.checkpoints.screen import CheckpointsScreen  # noqa: PLC0415

        if self._is_here(agent_id) and not isinstance(self._app.screen, CheckpointsScreen):
            self._app.push_screen(CheckpointsScreen(agent_id))

    def jobs(self) -> None:
        """Open the scheduler's jobs."""
        from memconsole.ui.screens.jobs.screen import JobsScreen  # noqa: PLC0415 - see above

        if not isinstance(self._app.screen, JobsScreen):
            self._app.push_screen(JobsScreen())

    def health(self) -> None:
        """Open what keeps memory safe, and what is wrong with the platform's configuration."""
        from memconsole.ui.screens.health.screen import HealthScreen  # noqa: PLC0415 - see above

        if not isinstance(self._app.screen, HealthScreen):
            self._app.push_screen(HealthScreen())

    def log(self) -> None:
        """Open our own log."""
        from memconsole.ui.screens.health.log import LogScreen  # noqa: PLC0415 - see above

        if not isinstance(self._app.screen, LogScreen):
            self._app.push_screen(LogScreen())

    def finding(self) -> None:
        """Go to the worst finding; from there to the next one, around the end."""
        app = self._app
        listed = () if app.snapshot is None else app.snapshot.attention
        if not listed:
            app.say("nothing wants attention")
            return
        here = self.found
        number = 0 if here is None else (here + 1) % len(listed)
        self._to_first_screen()
        overview = app.screen
        if listed[number].home is not None:
            self.findings(listed[number])
        elif listed[number].agent is None or not isinstance(overview, OverviewScreen):
            self.health()
        elif not overview.show_finding(listed[number]):
            self.findings()
        self._found, self._found_on = name_of(listed[number]), app.screen
        if isinstance(overview, OverviewScreen):
            overview.show_bars()

    @property
    def found(self) -> int | None:
        """Place among the findings of the one that was gone to and is still looked at."""
        snapshot = self._app.snapshot
        if snapshot is None or self._found is None or self._app.screen is not self._found_on:
            return None
        names = map(name_of, snapshot.attention)
        return next((place for place, name in enumerate(names) if name == self._found), None)

    def _to_first_screen(self) -> None:
        app = self._app
        while len(app.screen_stack) > 1 and isinstance(app.screen, ConsoleScreen):
            if isinstance(app.screen, OverviewScreen):
                return
            app.pop_screen()

    def home(self, label: str) -> None:
        """Show on the first screen what is of one home alone, or everything again.

        Nothing that is open in front of it changes: what its keys act on stays what it was.
        """
        overview = self._overview
        is_alone = overview.chosen_home != label
        overview.show_home(label if is_alone else None)
        said = f"{label} alone: the same again shows every home" if is_alone else "every home"
        self._app.say(literal(self._there(said)))

    def group(self, label: str) -> None:
        """Show on the first screen the hosts with a label alone."""
        self._overview.show_group(label)
        said = f"hosts with the label {label}: 0 shows all" if label else "every host"
        self._app.say(literal(self._there(said)))

    @property
    def _overview(self) -> OverviewScreen:
        return next(one for one in self._app.screen_stack if isinstance(one, OverviewScreen))

    def _there(self, said: str) -> str:
        is_here = self._app.screen is self._overview
        return said if is_here else f"the first screen shows {said}"

    def findings(self, chosen: Attention | None = None) -> None:
        """Open everything that wants attention, on a certain finding."""
        from memconsole.ui.screens.overview.findings import FindingsScreen  # noqa: PLC0415 - see above

        if not isinstance(self._app.screen, FindingsScreen):
            self._app.push_screen(FindingsScreen(chosen))

    def report(self, make: Callable[[], ReportMaker]) -> None:
        """Open what a bug report would hold."""
        from memconsole.ui.screens.health.report import ReportScreen  # noqa: PLC0415 - see above

        if not isinstance(self._app.screen, ReportScreen):
            self._app.push_screen(ReportScreen(lambda: make().sections()))

    def what_if(self, agent_id: str | None, threshold: int | None, since: str) -> None:
        """Open what rotation would have done."""
        from memconsole.ui.screens.jobs.what_if import WhatIfScreen, supposed  # noqa: PLC0415

        self._app.push_screen(WhatIfScreen(supposed(agent_id, threshold, since)))

    def help(self) -> None:
        """Open the keys of the screen in front."""
        from memconsole.ui.screens.palette.help import HelpScreen  # noqa: PLC0415 - see above

        screen = self._app.screen
        if not isinstance(screen, HelpScreen):
            self._app.push_screen(HelpScreen(screen, self._app.glyphs), self._helped)

    async def _helped(self, line: HelpLine | None) -> None:
        """Do what a line of the help stands for, as its key does."""
        if line is not None:
            await self._app.run_action(line.action, line.node)

    def export(self, listing: Listing, rows: Sequence[Row]) -> None:
        """Ask where a list or a page is written."""
        from memconsole.ui.screens.export import ExportScreen  # noqa: PLC0415 - see above

        context = self._app.context()
        stamp = context.now.astimezone(context.zone).strftime("%Y%m%d-%H%M%S")
        folder = self._app.settings.state_dir
        self._app.push_screen(ExportScreen(listing, rows, folder, stamp))

    def host(self, jobs: JobControl, plan: Sequence[str], views: Sequence[JobView]) -> None:
        """Ask whether the jobs shall run here, and follow them."""
        from memconsole.ui.screens.jobs.host import HostScreen  # noqa: PLC0415 - see above

        self._app.push_screen(HostScreen(jobs, plan, views, self._app.glyphs))

    def actions(self) -> None:
        """List what only the screen in front can do."""
        from memconsole.ui.screens.palette.actions import ActionsScreen, offers  # noqa: PLC0415

        screen = self._app.screen
        if isinstance(screen, ConsoleScreen):
            offered = offers(screen)
            dialog = ActionsScreen(offered, screen.where or "overview", self._app.glyphs)
            self._app.push_screen(dialog, self._picked)

    async def _picked(self, action: str | None) -> None:
        """Run an action on the screen that the list of actions was opened on."""
        screen = self._app.screen
        if action and isinstance(screen, ConsoleScreen):
            await self._app.run_action(action, screen)

    def palette(self) -> None:
        """Open the list of everything that can be done here."""
        from memconsole.ui.screens.palette.screen import PaletteScreen, entries  # noqa: PLC0415

        screen = self._app.screen
        if isinstance(screen, ConsoleScreen):
            palette = PaletteScreen(entries(screen), screen, self._app.glyphs)
            self._app.push_screen(palette, self._chosen)

    async def _chosen(self, choice: Choice | None) -> None:
        """Do what was chosen, on the screen the palette was opened from."""
        screen = self._app.screen
        if choice is None or not isinstance(screen, ConsoleScreen):
            return
        meant = choice.meant
        if meant is None or meant.spec is None:
            await self._app.run_action(choice.action, screen)
        elif meant.spec.takes_text and not any(one.key for one in meant.targets):
            self.note(meant.spec, meant.targets)
        else:
            why = screen.why_not("command", (meant.spec.name,))
            if meant.is_dry_run:
                why = "its plan alone was asked for"
            elif why and not meant.spec.needs_gateway:
                self._app.say(why, Role.WARNING)
                return
            self._app.begin(meant.spec, meant.targets, why or "")
