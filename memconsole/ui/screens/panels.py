"""What screens of panes can do with them: focus, move between, maximise, filter, mark, copy."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from memconsole.ui.drawing.spans import Role
from memconsole.ui.widgets.line import Drawn
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.dom import DOMNode
    from textual.widgets import Input

    from memconsole.ui.desk import Desk
    from memconsole.ui.widgets.line import Bar

LEAST_WIDTH, LEAST_HEIGHT = 20, 6
SINGLE_BELOW_WIDTH, SINGLE_BELOW_HEIGHT = 60, 16
WIDE_FROM_WIDTH, WIDE_FROM_HEIGHT = 100, 30

ARRANGEMENTS = ("-tiny", "-single", "-compact", "-wide")


def arrangement(width: int, height: int) -> str:
    """Return the class of an arrangement."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return "-tiny"
    if width < SINGLE_BELOW_WIDTH or height < SINGLE_BELOW_HEIGHT:
        return "-single"
    if width < WIDE_FROM_WIDTH or height < WIDE_FROM_HEIGHT:
        return "-compact"
    return "-wide"


class PanelScreen(Screen[None], inherit_bindings=False):
    """A screen of panes; the bindings are in `base.py`."""

    LOWER: ClassVar[tuple[str, ...]] = ()
    """Panes that take turns where there is no room for all of them."""

    _filtered: Pane | None = None
    _lower = ""
    _is_unstyled = True
    _is_arranged = False
    _aimed_from: tuple[object, ...] = ()
    _named: Mapping[str, Drawn] = MappingProxyType({})

    def __init__(self, name: str) -> None:
        super().__init__(name=name)

    @property
    def desk(self) -> Desk:
        """The app, with what is ours about it."""
        return cast("Desk", self.app)

    @property
    def is_open(self) -> bool:
        """Whether the screen has its panes; messages may come earlier, and later than they go."""
        return bool(self._named)

    def keep_names(self) -> None:
        """Know every pane and bar by its name from now on.

        Asking the tree each time would fail for what arrives while a screen is taken down, and
        end the console.
        """
        self._named = {str(widget.id): widget for widget in self.query(Drawn)}

    def named(self, name: str) -> Pane:
        """Return a pane of this screen."""
        return cast("Pane", self._named[name])

    def bar(self, name: str) -> Bar:
        """Return a line of this screen."""
        return cast("Bar", self._named[name])

    def say(self, text: str, role: Role = Role.PLAIN) -> None:
        """Show one sentence in the bottom line."""

    def show_bars(self) -> None:
        """Draw the lines at the top and at the bottom."""

    def show_keys(self) -> None:
        """Draw the bottom line."""

    def show_aims(self) -> None:
        """Draw what says on what a key acts."""

    def leave(self) -> None:
        """Leave the screen; the first one stays."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()

    def _on_timer_update(self) -> None:
        """Draw what waits to be drawn: at first that is everything, once."""
        if not self._is_arranged:
            self._is_arranged = True
            # Arranging draws all of it; that the new screen is to be drawn is said beside.
            self._repaint_required = self._repaint_required and not self._layout_required
        super()._on_timer_update()

    def _compositor_refresh(self) -> None:
        """Write what differs; an empty screen, before panels and lines have a place, is spared."""
        if self._is_arranged:
            super()._compositor_refresh()

    # ---- which pane ----------------------------------------------------------------------

    def panes(self) -> tuple[Pane, ...]:
        """Return the panes of this screen, in the order of their numbers."""
        return tuple(widget for widget in self._named.values() if isinstance(widget, Pane))

    def reachable(self) -> tuple[Pane, ...]:
        """Return the panes that can be gone to one after the other."""
        return self.panes()

    @property
    def pane(self) -> Pane | None:
        """The pane that keys go to: the focused one, or the one that an input belongs to."""
        if isinstance(self.focused, Pane):
            return self.focused
        return self._filtered

    def focus_pane(self, pane: Pane) -> None:
        """Give a pane the keys, and show it where only one fits."""
        if pane.id in self.LOWER:
            self.choose_lower(pane.id)
        for other in self.panes():
            self._put(other, "-current", other is pane)
        for group in self._groups():
            self._put(group, "-holds-current", group in pane.ancestors)
        self.set_focus(pane)
        self.show_keys()

    def choose_lower(self, chosen: str) -> None:
        """Say which of the lower panes is shown where there is room for one."""
        self._lower = chosen
        numbers = {pane.id: number for number, pane in enumerate(self.panes(), 1)}
        others = sorted(f"{numbers[name]} {name}" for name in self.LOWER if name != chosen)
        for name in self.LOWER:
            pane = self.named(name)
            self._put(pane, "-chosen", name == chosen)
            pane.hint = "  ".join(others) if self.has_class("-compact") else ""
            pane.repaint()
        for group in self._groups():
            self._put(group, "-holds-chosen", bool(group.query(f"#{chosen}")))

    def _groups(self) -> tuple[Horizontal | Vertical, ...]:
        return (*self.query(Horizontal), *self.query(Vertical))

    def choose_arrangement(self, width: int, height: int) -> None:
        """Choose the arrangement for a size."""
        chosen = arrangement(width, height)
        if self.has_class(chosen):
            return
        for name in ARRANGEMENTS:
            self._put(self, name, name == chosen)
        if self._lower:
            self.choose_lower(self._lower)

    def _put(self, node: DOMNode, name: str, is_so: bool) -> None:
        """Give a node a class, or take it away; a new screen is styled once, when it comes up."""
        node.set_class(is_so, name, update=not self._is_unstyled)

    def action_panel(self, number: int) -> None:
        """Go to a panel by its number."""
        panes = self.panes()
        if number <= len(panes):
            self.focus_pane(panes[number - 1])

    def action_panel_step(self, step: int) -> None:
        """Go to the next or the previous panel."""
        panes = self.reachable()
        if panes:
            place = panes.index(self.pane) if self.pane in panes else -step
            self.focus_pane(panes[(place + step) % len(panes)])

    def action_maximise(self) -> None:
        """Show the focused pane alone, or all of them again."""
        self.set_class(not self.has_class("-maximised"), "-maximised")

    # ---- rows ----------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the row under the cursor."""
        if self.pane is not None:
            self.pane.mark()
            self.show_bars()

    def action_find(self, step: int) -> None:
        """Go to the next or previous match."""
        if self.pane is not None:
            self.pane.find(step)

    def action_copy(self) -> None:
        """Copy the value of the row under the cursor."""
        row = None if self.pane is None else self.pane.row
        if row is None or not row.value:
            self.say("there is nothing to copy on this line", Role.MUTED)
        else:
            self.desk.copy(row.value)

    def action_open(self) -> None:
        """Open what the cursor is on; screens with more to show do something."""

    @on(Pane.Moved)
    def keys_may_differ(self) -> None:
        """What a key works on, and so what a finding asks for, depends on where the cursors are.

        One step moves the cursors of several panels, and each of them tells of it.
        """
        places = tuple((one.place.cursor, one.place.marks, one.row) for one in self.panes())
        if places != self._aimed_from:
            self._aimed_from = places
            self.show_aims()

    @on(Pane.Opened)
    def open_by_mouse(self) -> None:
        """A second click opens, as Enter does."""
        self.action_open()

    @on(Pane.TabPressed)
    def panel_by_mouse(self, event: Pane.TabPressed) -> None:
        """Go to the panel whose tab was clicked on."""
        self.action_panel(event.number)

    # ---- filter --------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open a line for text that this pane shall show or find."""
        pane = self.pane
        if pane is None or self.query("#filter"):
            return
        self._filtered = pane
        field = LineInput("filter", value=pane.place.needle, placeholder="text to look for")
        self.mount(field, after="#keys")
        self.set_focus(field)  # at once: the next letter is no key any more

    @on(LineInput.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        if self._filtered is not None:
            self._filtered.filter(event.value.strip())

    @on(LineInput.Submitted, "#filter")
    def filter_done(self) -> None:
        """Keep the filter and give the pane its keys back."""
        self._close_filter()

    def _close_filter(self) -> None:
        pane, self._filtered = self._filtered, None
        self.query("#filter").remove()
        if pane is not None:
            self.focus_pane(pane)

    # ---- back ----------------------------------------------------------------------------

    def action_back(self) -> None:
        """Go back one step: the input, the filter, the maximised pane, the marks, the screen."""
        pane = self.pane
        if self._filtered is not None:
            self._filtered.filter("")
            self._close_filter()
        elif pane is not None and pane.place.needle:
            pane.filter("")
        elif self.has_class("-maximised"):
            self.remove_class("-maximised")
        elif pane is not None and pane.place.marks:
            pane.unmark()
        else:
            self.leave()
            return
        self.show_bars()
