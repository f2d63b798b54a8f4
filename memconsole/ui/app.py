"""The Textual application, long because keys of all screens end here.

One engine, one reading, and the screens in front of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.actions import parse
from textual.app import App
from textual.binding import Binding
from textual.events import Key, MouseDown

from memconsole.domain.commands.command import name_of
from memconsole.domain.commands.outcomes import status_of
from memconsole.domain.commands.reindex import Reindexed
from memconsole.text.cells import cut
from memconsole.ui.actions.action import ActionMoved, Actions, undo_of, why_nothing
from memconsole.ui.actions.targets import waiting
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.glyphs import ASCII, UNICODE
from memconsole.ui.drawing.literal import literal, literal_block
from memconsole.ui.drawing.spans import Role
from memconsole.ui.drawing.themes import DEFAULTS, SPAN_STYLES, THEMES, SpanStyles, theme_name
from memconsole.ui.keys import key_name, refusal
from memconsole.ui.leaving import Underway, what_quitting_ends
from memconsole.ui.messages import (
    CommandFinished,
    FilesChanged,
    SnapshotFailed,
    SnapshotGrew,
    SnapshotTaken,
)
from memconsole.ui.navigation import Navigation
from memconsole.ui.queries import Queries
from memconsole.ui.screens.base import ConsoleScreen, Dialog
from memconsole.ui.screens.overview.screen import OverviewScreen
from memconsole.ui.stylesheets import read_others, stylesheets
from memconsole.ui.terminal.driver import ConsoleDriver
from memconsole.ui.terminal.files import CrashReport, keep
from memconsole.ui.terminal.filters import AsciiOnly, NoColour
from memconsole.ui.terminal.log import LogBuffer
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.title import home_name
from memconsole.ui.workers.finder import PAUSE_S
from memconsole.ui.workers.indexing import Indexing, IndexMoved, IndexStep
from memconsole.ui.workers.readings import INTERVALS, Readings, ScreenClock, zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.driver import Driver
    from textual.events import Event
    from textual.filter import LineFilter
    from textual.screen import Screen

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.engine import Engine
    from memconsole.engine.report import ReportMaker
    from memconsole.ports.jobs import JobControl
    from memconsole.ports.platform import ChangeFeed
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.screens.action.screen import ActionScreen

_QUIT = "Quit"


class KeysOfEveryScreen(App[int], inherit_bindings=False):
    """The part of the console that answers keys which work everywhere."""

    settings: Settings
    readings: Readings
    go: Navigation

    @property
    def front(self) -> Screen[object] | None:
        """The screen in front; None while the console is taken down and news still arrive."""
        return next(reversed(self.screen_stack), None)

    def tick(self) -> None:
        """Let ages grow where they are seen."""
        screen = self.front
        if isinstance(screen, ConsoleScreen) and screen.is_open:
            screen.show_snapshot()

    def say(self, text: str, role: Role = Role.PLAIN) -> None:
        """Show one sentence at the bottom of the screen in front."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, ConsoleScreen):
                screen.say(text, role)
                return

    def copy(self, text: str) -> None:
        """Copy by OSC 52, and into a file for terminals that refuse it."""
        safe = literal_block(text)
        self.copy_to_clipboard(safe)
        path = keep(f"{safe}\n", self.settings.state_dir)
        where = f"; also in {home_name(path)}" if path is not None else ""
        self.say(f"copied {cut(literal(safe), 40)}{where}", Role.MUTED)

    def action_freeze(self) -> None:
        """Stop or start refreshing."""
        self.readings.is_frozen = not self.readings.is_frozen
        if not self.readings.is_frozen:
            self.readings.request()
        self.tick()
        self.say("frozen: f goes on" if self.readings.is_frozen else "refreshing again", Role.MUTED)

    def action_refresh(self) -> None:
        """Look at everything now."""
        self.readings.request()
        self.say("looking at everything", Role.MUTED)

    def action_interval(self, step: int) -> None:
        """Refresh more or less often."""
        places = [abs(interval - self.readings.interval) for interval in INTERVALS]
        place = places.index(min(places)) + step
        self.readings.interval = INTERVALS[min(max(place, 0), len(INTERVALS) - 1)]
        self.readings.rest()
        seconds = self.readings.interval.total_seconds()
        self.say(f"refreshing every {seconds:g} s", Role.MUTED)

    def action_help(self) -> None:
        """Show the keys of the screen in front."""
        self.go.help()

    def action_palette(self) -> None:
        """Offer everything that can be done."""
        self.go.palette()

    def action_finding(self) -> None:
        """Go to what wants attention most; again, to what comes next."""
        self.go.finding()

    def action_findings(self) -> None:
        """Show everything that wants attention."""
        self.go.findings()

    def action_jobs(self) -> None:
        """Show the scheduler's jobs."""
        self.go.jobs()

    def action_health(self) -> None:
        """Show what keeps memory safe."""
        self.go.health()

    def action_log(self) -> None:
        """Show our own log."""
        self.go.log()

    def action_theme(self, name: str) -> None:
        """Change the colours."""
        self.theme = name


READING_PAUSE_S = 0.3
"""Keys typed within this time of a question were meant for what was on the screen before it."""

INDEX_PAUSE_S = 2.0
"""An agent that is looked at for so long is one that will be searched: its index is built."""

_TICK_SECONDS = 15.0
"""How often ages are looked at; they are rounded so coarsely that most looks write nothing."""


class ConsoleApp(KeysOfEveryScreen, inherit_bindings=False):
    """The console over one engine."""

    TITLE = "memconsole"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    AUTO_FOCUS = None
    COMPONENT_CLASSES: ClassVar[set[str]] = SPAN_STYLES
    _has_sheets = False
    _drawn_at = float("-inf")
    left = Underway()
    report: Callable[[], ReportMaker] | None = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+c",
            "quit",
            "Quit",
            show=False,
            priority=True,
            id="interrupt",
            tooltip="leaves, even from a line of text",
        ),
        Binding(
            "ctrl+z",
            "suspend_process",
            "Suspend",
            show=False,
            priority=True,
            id="suspend",
            tooltip="goes to the shell; fg comes back",
        ),
    ]

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        feed: ChangeFeed | None = None,
        *,
        clock: ScreenClock | None = None,
        logbook: LogBuffer | None = None,
        is_colourless: bool = False,
        jobs: JobControl | None = None,
    ) -> None:
        # Textual asks for filters, variables and looks while it sets itself up.
        self.span_styles = SpanStyles(self)
        self.settings = settings
        self.is_mono = settings.ui.mono or is_colourless
        self._filters_of_ours: list[LineFilter] = [
            *([NoColour()] if self.is_mono else ()),
            *([AsciiOnly()] if settings.ui.ascii else ()),
        ]
        super().__init__(css_path=stylesheets())
        self.engine = engine
        self.jobs = jobs
        self.glyphs = ASCII if settings.ui.ascii else UNICODE
        self.clock = clock or ScreenClock()
        self.logbook = logbook or LogBuffer()
        self.snapshot: ConsoleSnapshot | None = None
        self.failure = ""
        self.quiet_since: datetime | None = None
        self.go = Navigation(self)
        self.ending = CrashReport(settings.state_dir)
        self.actions = Actions(self, engine)
        self.queries = Queries()
        self.typing_pause_s = PAUSE_S
        self.reading_pause_s = READING_PAUSE_S
        self.index_pause_s: float | None = INDEX_PAUSE_S
        self.indexing = Indexing(self, engine, self.clock.monotonic)
        self.readings = Readings(
            self,
            engine,
            feed,
            interval=settings.ui.interval,
            monotonic=self.clock.monotonic,
            heard=self.indexing.heard,
        )
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_name(
            settings.ui.theme, mono=self.is_mono, color_system=self.console.color_system
        )

    def get_driver_class(self) -> type[Driver]:
        """Return the driver that leaves the terminal as it was found."""
        return ConsoleDriver

    def refresh_css(self, animate: bool = True) -> None:
        """Take over another theme; before there is a screen, its own parsing is still to come."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def notify_style_update(self) -> None:
        """Forget the looks of the old theme."""
        super().notify_style_update()
        self.span_styles.forget()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own variables for themes that do not know them."""
        return DEFAULTS

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every drawn cell passes last."""
        others = [] if self.is_mono else super().get_line_filters()
        return [*others, *self._filters_of_ours]

    def get_default_screen(self) -> Screen[None]:
        """Return the first screen."""
        return OverviewScreen()

    def _fatal_error(self) -> None:
        """End after a bug: Textual would print the variables, which hold what people said."""
        self.ending.note_crash()
        self._close_messages_no_wait()

    # ---- readings ------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Draw first: the first reading may have to load the engine."""
        self.call_after_refresh(self.readings.request)
        self.set_interval(_TICK_SECONDS, self._grow_older)
        self.app_resume_signal.subscribe(self, self._draw_again)

    def _grow_older(self) -> None:
        """Let ages grow, unless a reading has drawn them a moment ago."""
        if self.clock.monotonic() - self._drawn_at >= _TICK_SECONDS:
            self.tick()

    def _draw_again(self, _: object) -> None:
        """Draw everything after a stay in the shell, and look at what happened meanwhile."""
        self.screen.refresh()
        self.readings.request()

    def _begin_rest(self) -> None:
        """Begin what the first figures need not wait for."""
        self._read_sheets()
        self.readings.watch()

    def _read_sheets(self) -> None:
        if not self._has_sheets:
            self._has_sheets = True
            read_others(self.stylesheet)

    def push_screen(self, *arguments: object, **options: object) -> object:  # type: ignore[override]
        """Show a screen; its stylesheet may not have been read yet."""
        self._read_sheets()
        return super().push_screen(*arguments, **options)  # type: ignore[call-overload]  # Textual's

    def on_unmount(self) -> None:
        """Stop watching."""
        self.readings.close()
        self.indexing.close()

    @on(SnapshotTaken)
    def show_snapshot(self, message: SnapshotTaken) -> None:
        """Keep the reading, and show it on the screen in front."""
        self.clock.set(message.snapshot.taken_at)
        self.snapshot, self.failure = message.snapshot, ""
        since = self.quiet_since or message.snapshot.taken_at
        self.quiet_since = since if message.snapshot.is_quiet else None
        if not self.readings.is_watching:
            self.indexing.take(message.snapshot.agents)
        self._finished(message.took_s)

    @on(SnapshotGrew)
    def show_growing(self, message: SnapshotGrew) -> None:
        """Show agents as they are read, until the whole home has been."""
        if self.snapshot is None or self.snapshot.unread:
            self.clock.set(message.snapshot.taken_at)
            self.snapshot = message.snapshot
            self.tick()

    @on(SnapshotFailed)
    def show_failure(self, message: SnapshotFailed) -> None:
        """Keep what is shown; it grows old, and the reason stands above it."""
        self.failure = ". ".join(part for part in (message.reason, message.hint) if part)
        self._finished(None)

    def _finished(self, took_s: float | None) -> None:
        self.readings.finished(took_s)
        self.tick()
        self._drawn_at = self.clock.monotonic()
        self.readings.rest()
        self.call_after_refresh(self._begin_rest)

    @on(FilesChanged)
    def look_again(self, message: FilesChanged) -> None:
        """Look at what changed."""
        if not self.readings.is_frozen:
            self.readings.request(message.agents)

    @on(IndexStep)
    def go_on(self, message: IndexStep) -> None:
        """Go on where a thread has done its part."""
        message.then()

    @on(IndexMoved)
    def show_index(self, message: IndexMoved) -> None:
        """Show the index as it is now, also on screens behind the one in front."""
        for screen in self.screen_stack:
            if isinstance(screen, ConsoleScreen) and screen.is_open:
                screen.index_moved(has_changed=message.has_changed)

    def context(self) -> Context:
        """Return the circumstances of a drawing now."""
        config = None if self.snapshot is None else self.snapshot.home.config
        zone = zone_of(self.settings.timezone, None if config is None else config.user_timezone)
        return Context(self.clock.now(), zone, self.glyphs, self.readings.pause)

    def badges(self) -> tuple[str, ...]:
        """Return the words that stand beside the title."""
        words = (("read-only", self.settings.ui.read_only), ("frozen", self.readings.is_frozen))
        return tuple(word for word, is_so in words if is_so)

    # ---- keys of every screen ------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Let what was said go with the next key or click: whoever presses it has read it."""
        if isinstance(event, Key | MouseDown) and not event.is_forwarded:
            key, front = event.key if isinstance(event, Key) else "", len(self.screen_stack) - 1
            for place, screen in enumerate(self.screen_stack):
                if isinstance(screen, ConsoleScreen):
                    # What a key that does nothing is told stands there while it is held down.
                    is_told = key and place == front and key not in screen.drawn_bindings
                    if not is_told:
                        screen.unsay()
        await super().on_event(event)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; a dimmed key says why it does nothing."""
        screen = self.screen
        if isinstance(screen, Dialog) and default_namespace is screen and screen.is_new:
            return True  # the key was typed before the question could be read
        if isinstance(screen, ConsoleScreen) and default_namespace is screen:
            screen.catch_up()
        if await super().run_action(action, default_namespace, namespaces):
            return True
        if not isinstance(screen, ConsoleScreen) or default_namespace is not screen:
            return False
        _, name, parameters = parse(action) if isinstance(action, str) else action
        if screen.why_not(name, parameters) is None:
            return False
        screen.refuse(name, parameters)
        return True

    def on_key(self, event: Key) -> None:
        """Hand a letter on to the dialog or line of text that opened while it was on its way.

        A key that does nothing on a screen is answered.
        """
        screen = self.screen
        if isinstance(screen, Dialog):
            if event.character and event.is_printable and event.key not in screen.active_bindings:
                screen.type_ahead(event.character)
                event.prevent_default()  # it may have closed: the screen behind is not meant
        elif isinstance(screen.focused, LineInput):
            if event.character and event.is_printable:  # what was typed in the line is not told
                screen.focused.insert_text_at_cursor(event.character)
                event.prevent_default()
        elif not isinstance(screen, ConsoleScreen):
            return
        elif event.key not in screen.drawn_bindings and event.key not in screen.active_bindings:
            name = event.character if event.is_printable else key_name(event.key)
            screen.say_once(f"{name}: no such key here, ? lists them")

    # ---- commands ------------------------------------------------------------------------

    def begin(self, spec: CommandSpec, targets: tuple[Target, ...], refusal: str = "") -> None:
        """Begin a command: its plan first."""
        if self.actions.is_busy:
            self.say(f"{spec.name}: something is still running", Role.WARNING)
        elif not targets:
            self.say(f"{spec.name}: there is no {spec.subject.value} to act on here", Role.WARNING)
        else:
            from memconsole.ui.screens.action.screen import ActionScreen  # noqa: PLC0415 - none yet

            waits = waiting(self.snapshot, targets)
            within = self.settings.fleet.within
            action = self.actions.begin(spec, targets, refusal, waits=waits, within=within)
            self.push_screen(ActionScreen(action, self.glyphs))

    async def action_quit(self) -> None:
        """Leave; while something runs that would end with the console, ask first."""
        from memconsole.ui.screens.question import AskScreen  # noqa: PLC0415 - none was asked yet

        sentences, front = tuple(what_quitting_ends(self.actions, self.jobs)), self.screen
        if isinstance(front, AskScreen) and front.heading() == _QUIT:
            if not front.is_new:
                self._leave()
        elif sentences:
            self.ask(_QUIT, sentences, "quit", self._leave)
        else:
            self.exit()

    def _leave(self) -> None:
        """End; what is under way is finished first, which may take a while without a screen."""
        self.left = Underway.now(self.actions, self.jobs)
        names = " and ".join(self.left.names)
        self.exit(message=Text(f"memconsole ends when {names} has ended") if names else None)

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """End, and begin nothing else before that."""
        if self.actions.current is not None:
            self.actions.current.stop()
        if self.jobs is not None and (self.jobs.is_hosting or self.jobs.underway):
            self.jobs.stop()
        super().exit(result, return_code, message)

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
        from memconsole.ui.screens.question import AskScreen  # noqa: PLC0415 - none was asked yet

        def answered(is_yes: bool | None) -> None:
            if is_yes:
                then()

        self.push_screen(AskScreen(heading, sentences, yes, self.glyphs, line=line), answered)

    def action_undo(self) -> None:
        """Take back the last action that can be taken back."""
        found = undo_of(self.actions.done)
        if found is None:
            self.say(why_nothing(self.actions.done), Role.MUTED)
            return
        spec, targets = found
        reason = refusal(spec, self.settings, self.snapshot)
        if reason is None:
            self.begin(spec, targets)
        else:
            self.say(reason, Role.WARNING)

    @on(ActionMoved)
    def show_action(self, message: ActionMoved) -> None:
        """Show how far the action is, where it is still looked at."""
        dialog = self._dialog()
        if dialog is not None and dialog.action is message.action:
            dialog.show_action()

    @on(CommandFinished)
    def command_finished(self, message: CommandFinished) -> None:
        """Show the run in the activity panel, and its end where nobody looks at the dialog."""
        self.readings.request()
        outcome = message.outcome
        if isinstance(outcome, Reindexed):
            self.indexing.changed((outcome.command.agent.id,))
        if self._dialog() is None:
            word = f"{name_of(outcome.command)} {status_of(outcome)}"
            role = Role.WARNING if status_of(outcome) == "failed" else Role.MUTED
            self.say(f"{word}: {literal(outcome.message)}", role)

    def _dialog(self) -> ActionScreen | None:
        """Return the dialog of an action, where it is in front."""
        from memconsole.ui.screens.action.screen import ActionScreen  # noqa: PLC0415 - loaded by now

        return self.front if isinstance(self.front, ActionScreen) else None
