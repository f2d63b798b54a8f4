"""What every screen and dialog of the console shares, long because it is read as one.

Title, attention, keys, and commands.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual import on
from textual.screen import ModalScreen

from memconsole.domain.commands.catalogue import spec_of
from memconsole.domain.commands.checkpoint import CHECKPOINT
from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.flush import FLUSH
from memconsole.domain.commands.observe import OBSERVE
from memconsole.domain.commands.recover import RECOVER
from memconsole.ui.actions.targets import (
    aim_of,
    aims_at,
    for_agents,
    for_command,
    for_finding,
    pool_of,
    wants_session,
)
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.hosting import ask_to_host, why_not_host
from memconsole.ui.keys import (
    COMMON,
    ONLY_GATEWAY,
    Verb,
    command_bindings,
    is_read_only,
    key_line,
    refusal,
)
from memconsole.ui.screens.panels import PanelScreen
from memconsole.ui.widgets.line import Bar
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.widgets.title import (
    attention_line,
    more_findings,
    shown_findings,
    title_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, BindingType
    from textual.events import Resize
    from textual.geometry import Size

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.snapshot.snapshot import Attention
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.desk import Desk
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line
    from memconsole.ui.workers.loading import Loaded


_MESSAGE_SECONDS = 6.0

_SAVES = (CHECKPOINT.name, FLUSH.name, OBSERVE.name)
_DOES = {**dict.fromkeys(_SAVES, "saves it"), RECOVER.name: "brings it back"}
"""What the key of a finding's command does, in two or three words."""

_OF_A_PANEL = frozenset({"mark", "sort", "actions", "copy", "open", "find"})
"""Keys of all screens that need something in the panel."""

_WAYS = {1: ". then ", 2: ". twice, then "}
"""How to get to a finding by so many steps; more than two in a row nobody counts."""


class ConsoleScreen(PanelScreen):
    """A screen of panes between a title and a line of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [*command_bindings(), *COMMON]
    ACTIONS: ClassVar[tuple[Verb, ...]] = ()
    """What only this screen can do: behind `a`."""
    MARKED: ClassVar[tuple[str, ...]] = ()
    """Panes whose rows can be marked."""
    SORTED: ClassVar[tuple[str, ...]] = ()
    """Panes that have more than one order."""
    AUTO_FOCUS = ""

    _message = ""
    _message_number = 0
    _finding_keys: Sequence[str] = ()
    drawn_bindings: Mapping[str, ActiveBinding] = MappingProxyType({})
    """What the bottom line was drawn from."""

    @property
    def where(self) -> str:
        """What the title says behind the program's name; empty on the first screen."""
        return ""

    def compose(self) -> ComposeResult:
        """Yield title and attention, the screen's own body, and the keys."""
        yield Bar("title")
        yield Bar("attention", key="full_stop")
        yield Bar("attention-2")
        yield from self.body()
        yield Bar("too-small")
        yield Bar("keys")

    def body(self) -> ComposeResult:
        """Yield what lies between the lines at the top and at the bottom."""
        yield from ()

    # ---- drawing -------------------------------------------------------------------------

    def context(self) -> Context:
        """Return the circumstances of a drawing now."""
        return self.desk.context()

    def show_snapshot(self) -> None:
        """Show the newest reading; called for every reading, and when the screen comes back."""
        self.show_bars()

    def index_moved(self, *, has_changed: bool) -> None:
        """Show an index as it is now; screens that search do something."""
        del has_changed

    def show_bars(self) -> None:
        """Draw the lines at the top and at the bottom."""
        app, context = self.desk, self.context()
        snapshot, where, badges = app.snapshot, self.where, app.badges()
        aim = self._runs_on()
        self.bar("title").show(
            lambda width: title_line(snapshot, context, width, where=where, badges=badges, aim=aim)
        )
        self._show_findings()
        self.show_keys()

    def _shown_findings(self) -> tuple[int, ...]:
        """Return which findings stand above the panels."""
        app = self.desk
        if app.failure:
            return ()
        return shown_findings(app.snapshot, app.go.found or 0, self.size.height)

    def _show_findings(self) -> None:
        """Draw the findings above the panels, each with the keys that help it from here."""
        app, context = self.desk, self.context()
        snapshot, shown = app.snapshot, self._shown_findings()
        more = more_findings(snapshot, shown)
        self._finding_keys = [self._keys_of_finding(number) for number in shown]
        if self.bar("attention-2").has_class("-told") != (len(shown) > 1):
            self._put(self.bar("attention-2"), "-told", len(shown) > 1)
            self.fit_room()
        for place, bar in enumerate(("attention", "attention-2")):
            number = shown[place] if place < len(shown) else None
            is_counted = place == (0 if not shown or shown[0] else len(shown) - 1)
            self.bar(bar).show(
                partial(
                    attention_line,
                    snapshot,
                    context,
                    failure=app.failure,
                    number=number,
                    keys="" if number is None else self._finding_keys[place],
                    after=more if is_counted else "",
                    quiet_since=app.quiet_since,
                )
            )

    def show_aims(self) -> None:
        """Draw what says on what a key acts; for most steps of the cursor that is the last line."""
        snapshot = self.desk.snapshot
        if snapshot is not None and snapshot.homes:
            self.show_bars()  # the title says on which host
            return
        told = [self._keys_of_finding(number) for number in self._shown_findings()]
        if self.is_open and told != self._finding_keys:
            self._show_findings()
        self.show_keys()

    def _runs_on(self) -> str:
        """Return on which of several hosts an action of this screen would run."""
        snapshot = self.desk.snapshot
        if snapshot is None or not snapshot.homes or not self.is_open:
            return ""
        names = {one.agent.id.rpartition("/")[0] for one in self.targets(Subject.AGENT)}
        return (
            literal(next(iter(names))) if len(names) == 1 else f"{len(names)} hosts" * bool(names)
        )

    def fit_room(self) -> None:
        """Share the lines between the panels again; screens whose sheet does that do nothing."""

    def show_keys(self) -> None:
        """Draw the bottom line, unless a message stands there."""
        if self._message or not self.is_open:
            return
        self.drawn_bindings = self.active_bindings
        bindings = tuple(
            one for one in self.drawn_bindings.values() if self._has(str(one.binding.id))
        )
        if isinstance(self.focused, LineInput):
            bindings = tuple(one for one in bindings if one.node is self.focused)
        aims = self._aims(bindings)
        bindings = tuple(one for one in bindings if aims.get(str(one.binding.id)) != "")
        self.bar("keys").show(lambda width: key_line(bindings, width, aims))

    @on(Bar.Pressed)
    async def press(self, event: Bar.Pressed) -> None:
        """Do what the key does that was clicked on; what cannot work now says why."""
        one = self.active_bindings.get(event.key)
        if one is not None:
            await self.desk.run_action(one.binding.action, one.node)

    def _has(self, name: str) -> bool:
        """Whether a key has anything to do with this panel; the bottom line leaves out others."""
        if name == "actions":
            return bool(self.actions())
        return name != "mark" or (self.pane is not None and self.pane.id in self.MARKED)

    def _aims(self, bindings: Iterable[ActiveBinding]) -> dict[str, str]:
        """Return what each command of the bottom line acts on now."""
        shown = (
            spec_of(str(one.binding.id))
            for one in bindings
            if one.binding.show and one.binding.action.startswith("command(")
        )
        return {spec.name: self.aim(self.aimed(spec)) for spec in shown}

    def aim(self, targets: tuple[Target, ...]) -> str:
        """Return what a key acts on, in a few words."""
        return aim_of(targets, are_marked=any(one.place.marks for one in self.panes()))

    def _keys_of_finding(self, number: int) -> str:
        """Return the keys that help a finding from where the cursor is; empty for none."""
        snapshot = self.desk.snapshot
        if snapshot is None or number >= len(snapshot.attention):
            return ""
        finding = snapshot.attention[number]
        spec, words = self.helps(finding)
        if spec is None:
            return words
        wanted = for_command(spec, for_finding(snapshot, finding), snapshot)
        way = "" if aims_at(self.aimed(spec), wanted) else self._way_to(number)
        return f"{way}{words}"

    def helps(self, finding: Attention) -> tuple[CommandSpec | None, str]:
        """Return the command that helps a finding now, and its key with what that does.

        What only the Gateway can do, while it cannot, gives way to what saves the session; where
        all of it is saved, or nothing may read it, no command helps and the words say why.
        """
        snapshot = self.desk.snapshot
        if finding.code == "scheduler" and why_not_host(self.desk) is None:
            return None, "S runs the jobs here"
        if snapshot is None or not finding.command:
            return None, ""
        spec, wanted = spec_of(finding.command), for_finding(snapshot, finding)
        refused = self._refusal(spec, wanted)
        if refused is not None:
            needs = f"{_pressed(spec)} needs the Gateway" if ONLY_GATEWAY in refused else ""
            command = self._saving(finding)
            if not command:
                return None, needs
            spec = spec_of(command)
            if self._refusal(spec, wanted) is not None:
                return None, needs
        return spec, f"{_pressed(spec)} {_DOES.get(spec.name, 'shows the plan')}"

    def _saving(self, finding: Attention) -> str:
        """Return what saves the session of a finding.

        Nothing does where none may read it, or where everything said is saved.
        """
        from memconsole.domain.snapshot.unsaved import (  # noqa: PLC0415 - no first frame
            Saves,
            is_saved,
            saving,
        )

        views = () if self.desk.snapshot is None else self.desk.snapshot.of_agent(finding.agent)
        view = next((one for one in views if wants_session(finding, one)), None)
        if view is None:
            return CHECKPOINT.name
        if is_saved(view):
            return ""
        quiet = self.desk.settings.for_agent(view.agent.id).checkpoint.stale_after
        return saving(view, Saves(quiet_usually=quiet), self.context().now)[0]

    def _way_to(self, number: int) -> str:
        """Return the keys that go to a finding: how often the point must be pressed."""
        found = self.desk.go.found
        steps = number + 1 if found is None else number - found
        return _WAYS.get(steps, "! lists it, then ")

    def actions(self) -> tuple[Verb, ...]:
        """Return what only this screen can do, in the panel that has the keys."""
        pane = "" if self.pane is None else self.pane.id
        return tuple(one for one in self.ACTIONS if not one.panels or pane in one.panels)

    def say(self, text: str, role: Role = Role.PLAIN) -> None:
        """Show one sentence in the bottom line for a while; nothing pops up, nothing moves."""
        self._message = text
        self._message_number += 1
        number = self._message_number
        line: Line = (Span(f" {text}", role),)
        self.bar("keys").show(lambda _width: line)
        self.set_timer(_MESSAGE_SECONDS, lambda: self._forget(number))

    def say_once(self, text: str) -> None:
        """Show one sentence, unless it stands there already: a held key says it once."""
        if self._message != text:
            self.say(text, Role.MUTED)

    def say_what_came(self, message: Loaded) -> None:
        """Show what came of something that was done in a thread, or why nothing did."""
        if message.failure:
            self.say(message.failure, Role.WARNING)
        else:
            self.say(literal(str(message.value)), Role.MUTED)

    def unsay(self) -> None:
        """Take away the sentence that stands in the bottom line."""
        if self._message:
            self._forget(self._message_number)

    def _forget(self, number: int) -> None:
        if number == self._message_number:
            self._message = ""
            self.show_keys()

    def on_mount(self) -> None:
        """Show what is known already."""
        self.keep_names()
        self.choose_arrangement(self.size.width, self.size.height)
        self.bar("too-small").show(lambda _width: (Span("too small", Role.WARNING),))
        self.show_snapshot()
        if self.LOWER:
            self.choose_lower(self.LOWER[0])
        self.focus_pane(self.first_pane())
        self.opened()

    def opened(self) -> None:
        """Ask for what a screen shows beside the reading, once it stands.

        Textual calls the handlers of an event in all classes, the base last: a handler of a screen
        that calls the one of its base makes it run twice.
        """

    def first_pane(self) -> Pane:
        """Return the pane that has the keys at first."""
        return next(iter(self.panes()))

    def on_screen_resume(self) -> None:
        """Catch up with what happened behind another screen; a new one is up to date."""
        if self.is_open and not self._is_unstyled:
            self.show_snapshot()
        self._is_unstyled = False  # Textual styles all of the screen next

    def on_resize(self, event: Resize) -> None:
        """Choose the arrangement for the new size; the keys stay where they were."""
        if self.is_open:
            self.arrange_for(event.size)
            self.show_bars()

    def arrange_for(self, size: Size) -> None:
        """Choose the arrangement for a size."""
        self.choose_arrangement(size.width, size.height)

    def on_descendant_focus(self) -> None:
        """Show the keys that work now; what they act on decides what the findings name."""
        if self.is_open:
            self.show_bars()

    # ---- commands ------------------------------------------------------------------------

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return what a command on such a subject acts on here."""
        del subject
        return ()

    def aimed(self, spec: CommandSpec) -> tuple[Target, ...]:
        """Return what one command acts on here."""
        return for_command(spec, self.targets(spec.subject), self.desk.snapshot)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Return why an action cannot work now, or None when it can."""
        app = self.desk
        if action == "command":
            spec = spec_of(str(parameters[0]))
            targets = self.aimed(spec) if self.is_open else ()
            reason = self._refusal(spec, targets)
            has_any = bool(targets) or spec.subject is Subject.ENTRY or not self.is_open
            return reason if reason or has_any else self._no_target(spec)
        if action == "host":
            return why_not_host(app)
        if action == "export":
            return self._why_not_export(self.pane)
        if action == "what_if" and app.snapshot is not None and app.snapshot.homes:
            return "what if is for a console of one home"
        if action == "report" and app.report is None:
            return "this console makes no report: `memconsole report` does"
        return self._why_not_here(action) if action in _OF_A_PANEL else None

    def _no_target(self, spec: CommandSpec) -> str:
        """Return that there is nothing to act on; an agent may be known whose session is not."""
        is_known = spec.may_name_session and bool(self.targets(Subject.AGENT))
        noun = Subject.SESSION if is_known else spec.subject
        return f"{spec.name}: there is no {noun.value} to act on here"

    def _refusal(self, spec: CommandSpec, targets: tuple[Target, ...]) -> str | None:
        """Return why a command cannot work now; of several homes, when it can in none of them."""
        snapshot, settings = self.desk.snapshot, self.desk.settings
        if snapshot is None or not snapshot.homes or not targets:
            return refusal(spec, settings, snapshot)
        first = ""
        for label in dict.fromkeys(one.agent.id.rpartition("/")[0] for one in targets):
            home = snapshot.home_named(label)
            said = "" if home is None else home.door(spec.name)
            said = said or refusal(spec, settings, snapshot.parts.get(label, snapshot)) or ""
            if not said:
                return None
            first = first or said
        return first

    def _why_not_here(self, action: str) -> str | None:
        """Return why a key of all screens has nothing to do in this panel."""
        pane = self.pane
        name = "" if pane is None else pane.id
        if action == "mark" and name not in self.MARKED:
            return "nothing can be marked in this panel"
        if action == "sort" and name not in self.SORTED:
            return "this panel has one order only"
        if action == "actions" and not self.actions():
            return "this screen has no actions of its own: ? lists its keys"
        if action in ("mark", "copy", "open") and (pane is None or pane.row is None):
            return "there is no line under the cursor"
        if action == "find" and (pane is None or not pane.place.rows):
            return "there is nothing to search in"
        return None

    def _why_not_export(self, pane: Pane | None) -> str | None:
        if self.desk.settings.ui.read_only:
            return is_read_only("export")
        has_lines = pane is not None and (pane.place.rows or pane.listing.fixed)
        return None if has_lines else "there is nothing in this panel to export"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim keys that cannot work now; pressing one says why. One home has no key of a fleet."""
        if action == "fleet" and (self.desk.snapshot is None or not self.desk.snapshot.homes):
            return False
        return True if self.why_not(action, parameters) is None else None

    def refuse(self, action: str, parameters: tuple[object, ...]) -> None:
        """Say why a dimmed key does nothing; what only the Gateway can do still shows its plan."""
        reason = self.why_not(action, parameters)
        if reason is None:
            return
        app = self.desk
        if action == "command" and app.snapshot is not None and not app.settings.ui.read_only:
            spec = spec_of(str(parameters[0]))
            targets = self.aimed(spec)
            if spec.needs_gateway and targets:
                app.begin(spec, targets, reason)
                return
        self.say(reason, Role.WARNING)

    def action_actions(self) -> None:
        """List what only this screen can do."""
        self.desk.go.actions()

    def action_export(self) -> None:
        """Ask where the panel that has the keys is written."""
        if self.pane is not None:
            self.desk.go.export(self.pane.listing, self.pane.place.rows)

    def action_host(self) -> None:
        """Ask whether the jobs shall run inside this console until it quits."""
        ask_to_host(self.desk)

    def action_home(self, label: str) -> None:
        """Show one home of several alone, or all of them again."""
        self.desk.go.home(label)

    def action_fleet(self) -> None:
        """Show every host on the first screen again."""
        self.desk.go.group("")

    def action_group(self, label: str) -> None:
        """Show the hosts with a label alone."""
        self.desk.go.group(label)

    def action_what_if(
        self, agent_id: str | None = None, threshold: int | None = None, since: str = "7d"
    ) -> None:
        """Show which sessions rotation would have taken, of the agent that is meant here."""
        if agent_id is None:
            agents = {one.agent.id for one in self.targets(Subject.AGENT)}
            agent_id = next(iter(agents)) if len(agents) == 1 else None
        self.desk.go.what_if(agent_id, threshold, since)

    def action_report(self) -> None:
        """Show what a bug report would hold."""
        if self.desk.report is not None:
            self.desk.go.report(self.desk.report)

    def action_observations(self) -> None:
        """Open what is remembered of the sessions of the agent that is meant here."""
        self._of_one_agent("observations", self.desk.go.observations)

    def action_checkpoints(self) -> None:
        """Open what the checkpoints of the agent that is meant here saved."""
        self._of_one_agent("checkpoints", self.desk.go.checkpoints)

    def action_memory(self) -> None:
        """Open the memory of the agent that is meant here."""
        self._of_one_agent("memory", self.desk.go.memory)

    def action_bootstrap(self) -> None:
        """Open what sessions of the agent that is meant here start with."""
        self._of_one_agent("bootstrap", self.desk.go.bootstrap)

    def action_consolidation(self) -> None:
        """Open what consolidation would do to the memory of the agent that is meant here."""
        self._of_one_agent("consolidation", self.desk.go.consolidation)

    def _of_one_agent(self, what: str, show: Callable[[str], None]) -> None:
        targets = self.targets(Subject.AGENT)
        if len(targets) == 1:
            show(targets[0].agent.id)
        else:
            self.say(f"select one agent to see its {what}", Role.WARNING)

    def catch_up(self) -> None:
        """Let panels follow those that lead them; where none does, there is nothing to do."""

    def action_command(self, name: str) -> None:
        """Begin a command of the catalogue with what is marked or selected here."""
        spec = spec_of(name)
        targets = self.aimed(spec)
        if spec.takes_text and targets:
            self.desk.go.note(spec, targets)
        else:
            self.desk.begin(spec, targets)


def _pressed(spec: CommandSpec) -> str:
    return spec.key or f": {spec.name}"


class ListScreen(ConsoleScreen):
    """A screen of one list."""

    def body(self) -> ComposeResult:
        """Yield the list."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")


class AgentScreen(ConsoleScreen):
    """A screen about one agent."""

    def __init__(self, name: str, agent_id: str) -> None:
        super().__init__(name)
        self._agent_id = agent_id

    @property
    def where(self) -> str:
        """Name of the screen, and the agent it is about."""
        return f"{self.name} {self.desk.glyphs.dot} {self._agent_id}"

    @property
    def _pool(self) -> Pool | None:
        """The agent's memory, as it was read."""
        return pool_of(self.desk.snapshot, self._agent_id)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent."""
        snapshot = self.desk.snapshot
        return () if snapshot is None else for_agents(snapshot, (self._agent_id,), subject)


Result = TypeVar("Result")


class Dialog(ModalScreen[Result], inherit_bindings=False):
    """A screen in front of another one."""

    AUTO_FOCUS = ""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)

    @property
    def desk(self) -> Desk:
        """The app, with what is ours about it."""
        return cast("Desk", self.app)

    @property
    def is_new(self) -> bool:
        """Whether a key must have been typed before the dialog could be read."""
        return False

    def type_ahead(self, letter: str) -> None:
        """Take a letter that no key of the dialog stands for, perhaps typed before it came."""
        del letter
