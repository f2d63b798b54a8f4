"""The first screen, long because its five panels share their cursors and one set of keys.

Is anything about to be lost, whose, does the machinery live.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal

from memconsole.domain.commands.command import Subject
from memconsole.domain.events import EventKind
from memconsole.domain.snapshot.homes import MANY, hosts
from memconsole.ui.actions.targets import ALL, for_agents, for_homes, for_views, wanted_sessions
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.names import row_key
from memconsole.ui.drawing.spans import Role
from memconsole.ui.keys import WHAT_IF, Verb, panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.overview import agents as agent_rows
from memconsole.ui.screens.overview import hosts as host_rows
from memconsole.ui.screens.overview import layout
from memconsole.ui.screens.overview import sessions as session_rows
from memconsole.ui.screens.overview.crowd import Crowd, is_usual
from memconsole.ui.screens.overview.journal import JournalPane
from memconsole.ui.screens.overview.memory import has_waiting, memory_listing
from memconsole.ui.screens.overview.sessions import detail_line
from memconsole.ui.screens.search.pane import SearchPane
from memconsole.ui.widgets.line import Bar
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.timer import Timer

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.snapshot.snapshot import (
        AgentView,
        Attention,
        ConsoleSnapshot,
        SessionView,
    )
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.listing import Sort

_BARS = 3
"""Lines of the title, of one finding and of the keys."""

_PANELS = ("agents", "sessions", "memory", "search", "journal")


class OverviewScreen(ConsoleScreen):
    """Five panels: agents, sessions, memory, search and activity."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(_PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("a", "everything", "all", "Also cron runs, archives, orphans", "everything"),
        Verb("p", "pruning", "pruning", "What the platform would prune", "pruning"),
        Verb(
            "w",
            "journal",
            "other lines",
            "All, me, jobs, platform, errors",
            "journal",
            ("journal",),
        ),
        Verb("o", "search", "whole search", "Search with facets and preview", "whole-search"),
        WHAT_IF,
    )
    MARKED: ClassVar[tuple[str, ...]] = _PANELS[:2]
    SORTED: ClassVar[tuple[str, ...]] = _PANELS[:2]

    # What happened last is told without a key, where there is room for one of them too.
    LOWER: ClassVar[tuple[str, ...]] = ("journal", "memory", "search")

    def __init__(self) -> None:
        super().__init__("overview")
        self._agents_sort = agent_rows.USUAL
        self._hosts_sort = host_rows.USUAL
        self._home: str | None = None
        self._level: object = None
        self._levels: dict[object, tuple[str | None, frozenset[str], str]] = {}
        self._group = ""
        self._sessions_sort = session_rows.USUAL
        self._everything = False
        self._placed = False
        self._shown: tuple[int, str | None, str | None] | None = None
        self._scoped: tuple[ConsoleSnapshot, str, ConsoleSnapshot] | None = None
        self._large: tuple[ConsoleSnapshot, bool] | None = None
        self._first_row: str | None = None
        self._needed: tuple[ConsoleSnapshot, int, int, int] | None = None
        self._crowd = Crowd()
        self._wanted: tuple[ConsoleSnapshot, frozenset[tuple[str | None, str | None]]] | None = None
        self._listed_agent: str | None = ""
        self._index_timer: Timer | None = None
        self._last_rows: dict[str | None, str | None] = {}

    def body(self) -> ComposeResult:
        """Yield the panels in the order of their numbers."""
        glyphs = self.desk.glyphs
        with Horizontal(id="upper"):
            yield Pane("agents", glyphs=glyphs)
            yield Pane("sessions", glyphs=glyphs, classes="-current")
        with Horizontal(id="lower"):
            yield Pane("memory", glyphs=glyphs, classes="-chosen")
            self._search = SearchPane("search", glyphs=glyphs)
            yield self._search
        self._journal = JournalPane("journal", glyphs=glyphs)
        yield self._journal
        yield Bar("detail")

    def first_pane(self) -> Pane:
        """Return the first panel; where only one fits, that is the sessions, or the hosts."""
        return self.named("sessions" if self.is_small and not self.is_on_hosts else "agents")

    @property
    def is_small(self) -> bool:
        """Whether there is room for one list only: the sessions of all agents."""
        return self.has_class("-single") or self.has_class("-compact")

    # ---- which homes ---------------------------------------------------------------------

    @property
    def is_on_hosts(self) -> bool:
        """Whether hosts stand where agents do: there are many, and none of them was gone into."""
        snapshot = self.desk.snapshot
        if self._home is not None or snapshot is None or len(snapshot.homes) < MANY:
            return False
        if self._large is None or self._large[0] is not snapshot:
            self._large = snapshot, len(hosts(snapshot.homes)) >= MANY
        return self._large[1]

    @property
    def _scope(self) -> ConsoleSnapshot | None:
        """The reading of the home that is meant; of all homes where none is."""
        snapshot, label = self.desk.snapshot, self._home
        if snapshot is None or not snapshot.homes:
            return snapshot
        if self.is_on_hosts:
            label = host_rows.label_of(self.named("agents").place.cursor) or ""
        if label is None:
            return snapshot
        if self._scoped is None or self._scoped[0] is not snapshot or self._scoped[1] != label:
            self._scoped = snapshot, label, snapshot.of_home(label)
        return self._scoped[2]

    @property
    def chosen_home(self) -> str | None:
        """The home that is shown alone."""
        return self._home

    def show_home(self, label: str | None) -> None:
        """Show one home alone, or all of them; what is open in front stays as it is."""
        self._home = label
        self._placed = True
        self._shown = None
        if self.is_open:
            self.show_snapshot()

    def show_group(self, group: str) -> None:
        """Show only hosts with a label."""
        self._group = group
        self.show_home(None)

    def action_fleet(self) -> None:
        """Show every host again."""
        label = self._home
        self._group = ""
        self.show_home(None)
        self.named("agents").select(host_rows.row_of(label or ""))
        self.focus_pane(self.first_pane())

    # ---- room ----------------------------------------------------------------------------

    def fit_room(self) -> None:
        """Share the lines between the panels by what they hold."""
        snapshot = self.desk.snapshot
        if snapshot is None or not self.is_open:
            return
        upper, lower = self.query_one("#upper"), self.query_one("#lower")
        journal = self.named("journal")
        if self.is_small:
            for name in ("agents", "memory"):
                self.named(name).styles.width = "1fr"
        if self.has_class("-single") or self.has_class("-maximised"):
            for widget in (upper, lower, journal):
                widget.styles.clear_rule("height")
            for name in ("agents", "memory"):
                self.named(name).styles.clear_rule("width")
            return
        height = max(self.size.height - _BARS - self.bar("attention-2").has_class("-told"), 0)
        needs = self._needs(snapshot)
        if self.has_class("-compact"):
            chosen = {"memory": needs.memory, "search": needs.search, "journal": needs.journal}
            heights = layout.compact(
                height,
                len(self.first_pane().listing.rows),
                chosen.get(self._lower, needs.memory),
            )
        else:
            heights = layout.wide(height, needs)
            left = layout.agents_cells(self.size.width)
            self.named("agents").styles.width = "1fr" if self.is_on_hosts else left
            self.named("memory").styles.width = left
        upper.styles.height, lower.styles.height = heights.upper, heights.lower
        journal.styles.height = heights.journal

    def _needs(self, snapshot: ConsoleSnapshot) -> layout.Needs:
        tags = self._tags_a_line
        if self.is_on_hosts:
            lists, memory = layout.hosts_need(self.named("agents").listing), layout.EMPTY
        else:
            snapshot = self._scope or snapshot
            if self._needed is None or self._needed[0] is not snapshot or self._needed[1] != tags:
                lists = layout.lists_need(snapshot, self._crowd.take(snapshot).usual)
                self._needed = snapshot, tags, lists, layout.memory_needs(snapshot, tags)
            _, _, lists, memory = self._needed
        search = self._search.listing
        found = (
            len(search.rows) + len(search.fixed) + layout.FRAME if self._search.query_text else 0
        )
        journal = len(self.named("journal").listing.rows) + layout.FRAME
        if not self.is_on_hosts:
            memory += has_waiting(self.desk.indexing.of(one.ref.id for one in snapshot.agents))
        return layout.Needs(lists, memory, max(found, layout.EMPTY), max(journal, layout.EMPTY))

    @property
    def _tags_a_line(self) -> int:
        return 2 if self.has_class("-wide") else 4

    def focus_pane(self, pane: Pane) -> None:
        """Give a pane the keys; in a small terminal the agents stand where the sessions do."""
        self._put(self, "-on-agents", pane.id == "agents")
        super().focus_pane(pane)

    def choose_lower(self, chosen: str) -> None:
        """Show one of the lower panes, in the lines that it needs."""
        super().choose_lower(chosen)
        self.fit_room()

    def action_maximise(self) -> None:
        """Show the focused pane alone, or all of them again."""
        super().action_maximise()
        self.fit_room()

    @on(SearchPane.Answered)
    def room_may_differ(self) -> None:
        """Give results the lines that they need."""
        self.fit_room()

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Show the newest reading in every panel that is in view."""
        snapshot = self.desk.snapshot
        if snapshot is not None:
            self._show_first(snapshot)
            if not self._put_cursor(snapshot):
                self._show_dependants(self._scope or snapshot)
            self._show_journal()
            self.fit_room()
            self._show_detail()
        elif self.desk.failure:
            for pane in self.panes():
                pane.show(
                    Listing(pane.id.capitalize() if pane.id else "", empty=("nothing was read",))
                )
        self.show_bars()

    @on(Pane.Resized, "#journal")
    def _show_journal(self) -> None:
        """Show what changed something; where there is room, with results on lines of their own."""
        if (snapshot := self.desk.snapshot) is not None:
            lines = 3 if self.has_class("-wide") else 1
            if self.has_class("-maximised"):
                lines = 12  # longer than any result of a run
            own = self.desk.actions.runs
            self._journal.show_journal(snapshot, self.context(), own, most_lines=lines)

    def action_journal(self) -> None:
        """Show another choice of what changed something."""
        chosen = self._journal.choose_next()
        self.show_snapshot()
        self.say(f"the journal shows {chosen}", Role.MUTED)

    def _show_first(self, snapshot: ConsoleSnapshot) -> None:
        """Show hosts or agents; each of the two keeps its own cursor, marks and filter."""
        pane, is_on_hosts, context = self.named("agents"), self.is_on_hosts, self.context()
        level = host_rows.STATES if is_on_hosts else self._home
        cursor = pane.place.cursor
        if is_other := level != self._level:
            place = pane.place
            self._levels[self._level] = cursor, place.marks, place.needle
            cursor, place.marks, place.needle = self._levels.get(level, ("", frozenset(), ""))
            self._level = level
            self._put(self, "-on-hosts", is_on_hosts)
        if is_on_hosts:
            listing = host_rows.hosts_listing(
                snapshot, context, group=self._group, sort=self._hosts_sort
            )
        else:
            scope = self._scope or snapshot
            listing = agent_rows.agents_listing(
                scope, context, sort=self._agents_sort, crowd=self._crowd.take(scope)
            )
        pane.show(listing)
        if is_other and not pane.select(cursor or ""):
            pane.action_first()

    def _show_dependants(self, snapshot: ConsoleSnapshot) -> None:
        """Show what depends on the agent under the cursor."""
        context = self.context()
        self._shown = id(snapshot), self._agent_id(), self._chosen_agent()
        if not self.is_on_hosts:
            self._show_sessions(snapshot, context)
        self._show_lower(snapshot, context)

    def _show_lower(self, snapshot: ConsoleSnapshot, context: Context) -> None:
        """Show memory and search of the agent that is meant."""
        self._show_memory(snapshot, context)
        self._search.search_in(self._chosen_agent())
        self._search.show_search()

    def _show_memory(self, snapshot: ConsoleSnapshot, context: Context) -> None:
        agent = self._agent_view(snapshot)
        self.named("memory").show(
            memory_listing(
                snapshot,
                context,
                agent=agent,
                tags_a_line=self._tags_a_line,
                indexes=() if agent is None else self.desk.indexing.of((agent.ref.id,)),
            )
        )

    def _show_sessions(self, snapshot: ConsoleSnapshot, context: Context) -> None:
        """Show the sessions of that agent; each agent's list has a cursor of its own."""
        pane, agent_id = self.named("sessions"), self._agent_id()
        is_other = agent_id != self._listed_agent
        if is_other:
            self._last_rows[self._listed_agent] = pane.place.cursor
            self._listed_agent = agent_id
        listing = session_rows.sessions_listing(
            snapshot,
            context,
            agent_id=agent_id,
            sort=self._sessions_sort,
            everything=self._everything,
            width=pane.room[0],
            crowd=self._crowd.take(snapshot),
        )
        pane.show(listing)
        if is_other:
            row = self._last_rows.get(agent_id)
            wanted = session_rows.worst(snapshot) if row is None else (row,)
            if not any(map(pane.select, wanted)) and row is None and listing.rows:
                pane.select(listing.rows[0].key)

    def _put_cursor(self, snapshot: ConsoleSnapshot) -> bool:
        """Once, at the start: on the agent that the worst finding is about; False for no move."""
        pane = self.first_pane()
        if self._placed:
            return False
        if _is_being_read(snapshot):
            self._first_row = self._first_row or pane.place.cursor
            return False
        self._placed = True
        if self._first_row and (self.pane is not pane or self._first_row != pane.place.cursor):
            return False  # the operator went elsewhere while the home was read
        if self.is_on_hosts:
            pane.action_first()  # the worst one
            return False
        found = (one for one in snapshot.attention if one.agent and self.show_finding(one))
        is_moved = next(found, None) is not None
        if not is_moved:
            pane.action_first()  # the worst one; while the home was read that was another
        self._index_soon()
        return is_moved

    def show_finding(self, finding: Attention) -> bool:
        """Put the cursors on what a finding is about; False when that is not listed here."""
        snapshot = self.desk.snapshot
        if snapshot is None or not finding.agent:
            return False
        home = finding.agent.rpartition("/")[0]
        if self.is_on_hosts or self._home not in (None, home):
            self._home = home
            self._show_first(snapshot)
        snapshot = self._scope or snapshot
        is_known = self.named("agents").select(finding.agent)
        own = snapshot.of_agent(finding.agent) if finding.key else ()
        row = next((row_key(one) for one in own if one.key_text == finding.key), None)
        view = None if row is None else self._session_at(row)
        if view is not None and not is_usual(view):
            self._everything = True
        self._show_dependants(snapshot)
        if row is not None and not self.named("sessions").select(row):
            self.named("sessions").filter("")
            self.named("sessions").select(row)
        self._show_detail()
        return is_known

    def _agent_id(self) -> str | None:
        """Return the agent whose sessions are shown; None for all, and where only a list fits."""
        if self.is_small:
            return None
        return self._agent_at_cursor()

    def _agent_at_cursor(self) -> str | None:
        """Return the agent under the cursor; None on the row of all, and on that of a host."""
        key = self.named("agents").place.cursor
        return None if key == ALL or host_rows.label_of(key) is not None else key

    def _chosen_agent(self) -> str | None:
        """Return the agent that is meant: that of the session under the cursor, in one list."""
        if not self.is_small or self.has_class("-on-agents") or self.is_on_hosts:
            return self._agent_at_cursor()
        row = self.named("sessions").row
        view = None if row is None else self._session_at(row.key)
        return None if view is None else view.agent.id

    def _agent_view(self, snapshot: ConsoleSnapshot) -> AgentView | None:
        agent_id = self._chosen_agent()
        if agent_id is None and len(snapshot.agents) == 1:
            return snapshot.agents[0]
        return next((one for one in snapshot.agents if one.ref.id == agent_id), None)

    @on(Pane.Moved, "#agents")
    def agent_chosen(self) -> None:
        """Show the sessions and the memory of the agent under the cursor."""
        snapshot = self._scope
        if snapshot is not None:
            if self._shown != (id(snapshot), self._agent_id(), self._chosen_agent()):
                self._show_dependants(snapshot)
            self._index_soon()

    def catch_up(self) -> None:
        """Show the sessions of the agent under the cursor before the next key means one of them."""
        snapshot = self._scope
        if snapshot is not None and not self.is_on_hosts and self._listed_agent != self._agent_id():
            self._show_dependants(snapshot)

    def _index_soon(self) -> None:
        """Build the index of the agent that is shown, if it lacks one: searching needs no key."""
        pause_s, chosen = self.desk.index_pause_s, self._agent_at_cursor()
        if self._index_timer is not None:
            self._index_timer.stop()
            self._index_timer = None
        if pause_s is not None and chosen is not None:
            self._index_timer = self.set_timer(
                pause_s, lambda: self.desk.indexing.open(self._search.agents())
            )

    @on(Pane.Resized, "#sessions")
    def sessions_resized(self) -> None:
        """Choose the columns for another width."""
        if (snapshot := self._scope) is not None and not self.is_on_hosts:
            self._show_sessions(snapshot, self.context())

    @on(Pane.Moved)
    def detail_differs(self, message: Pane.Moved) -> None:
        """Say what the row under the cursor has that the list has no room for."""
        snapshot = self._scope
        if self.is_small and message.pane.id == "sessions" and snapshot is not None:
            self._show_lower(snapshot, self.context())
        self._show_detail()

    def _show_detail(self) -> None:
        """Say in one line what the list had no room for."""
        row = None if self.pane is None else self.pane.row
        view = None if row is None else self._session_at(row.key)
        self.bar("detail").show(partial(detail_line, view, row, self.context()))

    def arrange_for(self, size: Size) -> None:
        """Show another choice of sessions where only one list fits; the selected one stays."""
        was_small, row = self.is_small, self.named("sessions").place.cursor
        super().arrange_for(size)
        if self.is_small != was_small and row is not None:
            self._keep_selected(row)
        if (snapshot := self._scope) is not None:
            self._show_dependants(snapshot)
            self.fit_room()

    def _keep_selected(self, row: str) -> None:
        """Let the other arrangement have the same session selected, and so the same agent."""
        view, agents = self._session_at(row), self.named("agents")
        if view is None or self.is_on_hosts:
            return
        follows = not self.is_small and not self.has_class("-on-agents")
        if follows and agents.place.cursor != ALL and not agents.select(view.agent.id):
            agents.filter("")
            agents.select(view.agent.id)
        if self._agent_id() in (None, view.agent.id):
            self._last_rows[self._agent_id()] = row

    # ---- keys ----------------------------------------------------------------------------

    def action_sort(self) -> None:
        """Go to the next order of the focused panel."""
        snapshot = self.desk.snapshot
        if snapshot is None or self.pane is None:
            return
        if self.pane.id == "agents" and self.is_on_hosts:
            self._hosts_sort = session_rows.next_sort(self._hosts_sort, host_rows.SORTS)
        elif self.pane.id == "agents":
            self._agents_sort = session_rows.next_sort(self._agents_sort, agent_rows.SORTS)
        elif self.pane.id == "sessions":
            self._sessions_sort = session_rows.next_sort(self._sessions_sort, session_rows.SORTS)
        self.show_snapshot()
        self.say(f"sorted by {self._sort_of_focused().name}", Role.MUTED)

    def _sort_of_focused(self) -> Sort:
        if self.pane is None or self.pane.id != "agents":
            return self._sessions_sort
        return self._hosts_sort if self.is_on_hosts else self._agents_sort

    def action_everything(self) -> None:
        """Show or fold cron runs, archives and orphans."""
        self._everything = not self._everything
        self.show_snapshot()

    def action_filter(self) -> None:
        """Search in this panel; in panel 4 the search itself."""
        if isinstance(self.pane, SearchPane):
            self.pane.open_input()
        else:
            super().action_filter()

    def action_open(self) -> None:
        """Go into what the cursor is on."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        match None if pane is None else pane.id:
            case "agents" if self.is_on_hosts:
                self._open_home()
            case "agents":
                self._open_agent()
            case "sessions" if row is not None:
                self._open_session(row.key)
            case "memory":
                self.desk.go.memory(self._chosen_agent())
            case "search":
                self._open_found()
            case "journal":
                self._open_line()
            case _:
                pass

    def _open_home(self) -> None:
        """Go into the host under the cursor."""
        label = host_rows.label_of(self.named("agents").place.cursor)
        if label is not None:
            self.show_home(label)
            self.focus_pane(self.first_pane())

    def action_panel(self, number: int) -> None:
        """Go to a panel by its number; sessions are those of the host under the cursor."""
        if self.is_on_hosts and self.panes()[number - 1].id == "sessions":
            self._open_home()
        super().action_panel(number)

    def reachable(self) -> tuple[Pane, ...]:
        """Return the panes that are there: where hosts are listed there are no sessions."""
        return tuple(one for one in self.panes() if not self.is_on_hosts or one.id != "sessions")

    def _open_agent(self) -> None:
        """Go to the sessions of the agent; in the list of all, to its worst one."""
        agent_id, sessions = self._chosen_agent(), self.named("sessions")
        if self.is_small and agent_id is not None:
            for row in sessions.place.rows:
                view = self._session_at(row.key)
                if view is not None and view.agent.id == agent_id:
                    sessions.select(row.key)
                    break
        self.action_panel(2)

    def _open_session(self, key: str) -> None:
        view = self._session_at(key)
        if view is not None:
            self.desk.go.session(view)

    def _open_line(self) -> None:
        """Open the run of a line; what the platform did leads to its session."""
        row, snapshot = self._journal.row, self.desk.snapshot
        events = () if snapshot is None else snapshot.events
        event = next((one for one in events if row and row.key == f"event-{one.id}"), None)
        if event is None or snapshot is None:
            self.desk.go.runs(None if row is None else row.key)
            return
        for view in snapshot.of_agent(event.agent) if event.agent and event.key else ():
            if view.key_text == event.key:
                self.desk.go.session(view)
                return
        if event.kind is EventKind.MEMORY:
            self.desk.go.memory(event.agent)
        else:
            self.desk.go.health()

    def _open_found(self) -> None:
        """Open what was found, search again for what was, or go on to the whole search."""
        row = self._search.row
        hit, query = self._search.hit, self._search.query_found
        if hit is not None and query is not None:
            self.desk.go.hit(hit, query)
        elif row is not None and not self._search.query_text:
            self._search.search_for(row.value)
        else:
            self.action_search()

    def action_pruning(self) -> None:
        """Show what the platform would prune of the session under the cursor."""
        row = self.named("sessions").row
        view = None if row is None else self._session_at(row.key)
        if view is not None:
            self.desk.go.pruning(view)

    def action_search(self) -> None:
        """Open the search with facets and preview, with what is searched for here."""
        self.desk.go.search(self._search.facets, self._search.query_text)

    def index_moved(self, *, has_changed: bool) -> None:
        """Show the index in the memory and the search; ask again when it has changed."""
        self._search.index_moved(has_changed=has_changed)
        if (snapshot := self._scope) is not None:
            self._show_memory(snapshot, self.context())
            self.fit_room()

    def _session_at(self, key: str) -> SessionView | None:
        snapshot = self._scope
        return None if snapshot is None else self._crowd.take(snapshot).at(key)

    def action_back(self) -> None:
        """Go back one step; from the search, that is without its query."""
        is_searching = self._search.is_typing or (
            self.pane is self._search and self._search.query_text
        )
        if is_searching and not self.has_class("-maximised"):
            self._search.clear_query()
            self.show_keys()
        else:
            super().action_back()
            self.fit_room()

    def leave(self) -> None:
        """Go out of a host that was gone into, or to the first panel: nothing is behind it."""
        if self._home is not None and self.pane is self.first_pane():
            self.show_home(None)
        self.focus_pane(self.first_pane())

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        if action not in ("mark", "journal", "pruning", "open"):
            return super().why_not(action, parameters)
        pane_id = None if self.pane is None else self.pane.id
        if action == "mark" and pane_id not in self.MARKED:
            return "only agents and sessions can be marked"
        if action == "journal" and pane_id != "journal":
            return "this is a key of the journal: 5 goes there"
        if action == "pruning" and pane_id != "sessions":
            return "select a session to see what would be pruned of it"
        if action == "open" and pane_id in ("memory", "search", "journal"):
            return None
        return super().why_not(action, parameters)

    def aim(self, targets: tuple[Target, ...]) -> str:
        """Return what a key acts on; on the row of a host that is all of it."""
        if not self.is_on_hosts or len(targets) < 2:
            return super().aim(targets)
        labels = {one.agent.id.rpartition("/")[0] for one in targets}
        whose = f"of {next(iter(labels))}" if len(labels) == 1 else f"on {len(labels)} hosts"
        return f"{len(targets)} {whose}"

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the marked agents or sessions, else what the cursor is on."""
        snapshot = self._scope
        if snapshot is None or self.desk.snapshot is None:
            return ()
        agents = self.named("agents").place
        if self.is_on_hosts:
            labels = map(host_rows.label_of, agents.marked or (agents.cursor,))
            return for_homes(self.desk.snapshot, [one for one in labels if one], subject)
        is_seen = not self.is_small and not agents.marks
        if self._is_on_sessions or (subject is Subject.SESSION and is_seen):
            return for_views(snapshot, self._views(), subject)
        return for_agents(snapshot, agents.marks or {agents.cursor or ""}, subject)

    def aimed(self, spec: CommandSpec) -> tuple[Target, ...]:
        """Return what one command acts on; on a row of a session that is this session."""
        if spec.may_name_session and (self._is_on_sessions or self._is_on_finding):
            return self.targets(Subject.SESSION)
        return super().aimed(spec)

    @property
    def _is_on_sessions(self) -> bool:
        """Whether a row of a session is what the keys are about."""
        pane_id = None if self.pane is None else self.pane.id
        is_listed = self.is_small and pane_id != "agents"
        return not self.is_on_hosts and (pane_id == "sessions" or is_listed)

    @property
    def _is_on_finding(self) -> bool:
        """Whether a finding asks for a command on exactly the session that looks selected."""
        snapshot, agents = self._scope, self.named("agents").place
        if snapshot is None or agents.marks or self.is_on_hosts or self.is_small:
            return False
        if self._wanted is None or self._wanted[0] is not snapshot:
            self._wanted = snapshot, wanted_sessions(snapshot.attention)
        own = [one for one in self._views() if one.agent.id == agents.cursor]
        return any((one.agent.id, one.key_text) in self._wanted[1] for one in own)

    def _views(self) -> list[SessionView]:
        """Return the sessions that are marked in their panel, else the selected one."""
        place = self.named("sessions").place
        marks = place.marked if self._is_on_sessions else ()
        keys = marks or (place.cursor or "",)
        return [view for key in keys if (view := self._session_at(key)) is not None]


def _is_being_read(snapshot: ConsoleSnapshot) -> bool:
    """Whether what is the worst of all may still come."""
    is_asked = snapshot.server is not None and snapshot.server.is_asked
    asked = (one for one in snapshot.homes if host_rows.state_of(one) == "asked")
    return bool(snapshot.unread) or is_asked or any(asked)
