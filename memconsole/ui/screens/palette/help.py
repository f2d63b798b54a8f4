"""The keys of the screen one came from and the signs of the console, on one page.

Keys come from what is bound there now, and Enter does what the key under the cursor does. What
cannot work now is dimmed and says why. A dialog is answered in the dialog alone: from here its
buttons cannot be pressed.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.actions import parse
from textual.containers import Horizontal

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import bind, key_name
from memconsole.ui.screens.base import ConsoleScreen, Dialog
from memconsole.ui.screens.palette.actions import offers
from memconsole.ui.widgets.pane import GUTTER, Pane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, Binding, BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Row

_MOST_WIDTH, _TWO_COLUMNS_FROM, _LEAST_TEXT = 84, 112, 8
_EDGES = 4
"""Cells of a frame and the blanks beside it."""


class Purpose(StrEnum):
    """What a key is for, in the order of the list."""

    ACT = "Act"
    HERE = "On this screen"
    OPEN = "Open"
    MOVE = "Move and find"
    VIEW = "View"
    CONSOLE = "Console"


_NAMED: Final = {
    Purpose.ACT: "undo host mark actions",
    Purpose.OPEN: "open observations checkpoints memory bootstrap consolidation jobs health "
    "findings finding log",
    Purpose.VIEW: "fleet maximise sort copy export freeze refresh slower faster",
    Purpose.MOVE: "search next previous up down page-up page-down first last next-panel"
    " previous-panel",
    Purpose.CONSOLE: "palette help back quit interrupt suspend",
}
"""Ids of bindings; a command acts, and what is not named belongs to the screen alone."""

_PURPOSES: Final = {name: purpose for purpose, names in _NAMED.items() for name in names.split()}

_TOGETHER: Final = {
    "up down": ("move", "one line up or down"),
    "page-up page-down": ("page", "one page up or down"),
    "first last": ("ends", "to the first line, to the last"),
    "search next previous": ("search", "in this panel; next, and back"),
    "next-panel previous-panel": ("panel", "to the next panel, or back"),
    "panel-1 panel-2 panel-3 panel-4 panel-5": ("panel", "to the panel of that number"),
    "finding findings": ("findings", "goes to the worst; lists all"),
    "slower faster": ("pace", "refreshes less often, or more"),
    "quit interrupt": ("quit", "leaves, even from a line of text"),
}
"""Bindings that share a line, its verb, and what it does; Enter does the first. So all fits."""

_LEADERS: Final = {name: names.split()[0] for names in _TOGETHER for name in names.split()}
_SHARED: Final = {names.split()[0]: told for names, told in _TOGETHER.items()}

_DOES: Final = {spec.name: spec.does for spec in CATALOGUE if spec.does}


def purpose_of(binding: Binding) -> Purpose:
    """Return what a key is for."""
    if binding.action.startswith("command("):
        return Purpose.ACT
    if binding.action.startswith("panel("):
        return Purpose.MOVE
    return _PURPOSES.get(binding.id or "", Purpose.HERE)


@dataclass(frozen=True, slots=True)
class HelpLine:
    """What one thing is called, how it is typed, and what it does.

    Attributes:
        name: Tells it from the others.
        keys: All keys that do it.
        verb: A word or two.
        does: What comes of it.
        action: What Enter runs; empty for a sign.
        node: Where the action belongs.
        refusal: Why it cannot work now; empty when it can.
    """

    name: str
    keys: str
    verb: str
    does: str
    action: str = ""
    node: DOMNode | None = None
    refusal: str = ""


def help_lines(screen: Screen[object]) -> dict[str, list[HelpLine]]:
    """Return what can be typed on a screen, by purpose; keys that do the same share a line."""
    found: dict[str, list[HelpLine]] = {purpose.value: [] for purpose in Purpose}
    keys: dict[str, list[str]] = {}
    first: dict[str, ActiveBinding] = {}
    for active in screen.active_bindings.values():
        name = active.binding.id or active.binding.action
        name = _LEADERS.get(name, name)
        shown = active.binding.key_display or key_name(active.binding.key)
        if shown not in keys.setdefault(name, []):
            keys[name].append(shown)
        first.setdefault(name, active)
    for name, active in first.items():
        one = active.binding
        usual = one.description.lower(), _DOES.get(name) or one.tooltip or one.description
        typed, (verb, does) = " ".join(keys[name]), _SHARED.get(name, usual)
        why = _refusal(screen, one.action)
        line = HelpLine(name, typed, verb, _small(does), one.action, active.node, why)
        found[purpose_of(one).value].append(line)
    for offer in offers(screen) if isinstance(screen, ConsoleScreen) else ():
        own = offer.verb
        does = _DOES.get(own.name) or _small(own.help)
        line = HelpLine(own.name, own.keys, own.title, does, own.action, screen, offer.refusal)
        found[Purpose.HERE.value].append(line)
    return {purpose: lines for purpose, lines in found.items() if lines}


def _small(sentence: str) -> str:
    """Return a sentence as the end of another one."""
    return sentence[:1].lower() + sentence[1:]


def _refusal(screen: Screen[object], action: str) -> str:
    _, name, parameters = parse(action)
    if isinstance(screen, ConsoleScreen):
        return screen.why_not(name, parameters) or ""
    return "a dialog is answered in the dialog itself: Esc leads back to it"


def signs(glyphs: Glyphs, *, of_fleet: bool = True) -> list[HelpLine]:
    """Return every sign and word of state that the console draws, and what it means.

    Args:
        glyphs: What is drawn with.
        of_fleet: Also what stands for hosts alone.
    """
    bar = glyphs.blocks[-1] * 3
    flush, rotation, end = glyphs.ends
    left, _ = glyphs.brackets
    plot = "".join(glyphs.sparks[place] for place in (0, 2, 4, 7))
    meanings = (
        (f"{glyphs.on} {glyphs.off}", "Gateway, scheduler: alive, or not"),
        *(((glyphs.half, "a host that is late"),) if of_fleet else ()),
        ("! LOST?", "wants attention; may be lost"),
        (f"{glyphs.done} {glyphs.failed}", "done or quiet; failed"),
        (f"{glyphs.running} {glyphs.skipped}", "running; skipped, or there is none"),
        (f"{glyphs.cursor} {glyphs.mark}", "the cursor, or where you are; marked"),
        (f"{left}{bar}{end}", "how full; its end is where it is due"),
        (f"{flush} {rotation} {end}", "flush, rotation, compaction on a gauge"),
        (plot, "how it went: 8 hours, or days of a pool"),
        ("DUE", "over the threshold: it should be rotated"),
        ("est", "estimated: the platform has no count"),
        ("stale", "counted before the last message"),
        ("suspect", "cannot be true; Enter says why"),
        ("? never", "nobody knows, and not 0; not yet saved"),
        ("CUT", "longer than the platform reads"),
        ("~ K", "about; thousands: 151.2K is 151,200"),
        (f"{glyphs.rising} {glyphs.falling}", "order of a column; more above, below"),
        (f"{glyphs.arrow} {glyphs.ellipsis}", "from, to; cut here, a name in its middle"),
        (f"{glyphs.branch.strip()} {glyphs.last_branch.strip()} {glyphs.trunk.strip()}", "in it"),
        ("disk, files", "in a frame: read where, how long ago"),
        (glyphs.thumb, "on the right edge: the part in view"),
        ("grey panel", "its reading is old"),
    )
    return [HelpLine(f"sign-{sign}", sign, "", meaning) for sign, meaning in meanings]


def help_rows(title: str, lines: Sequence[HelpLine], width: int) -> tuple[Row, ...]:
    """Return a heading and its lines; what a line of `width` cells has no room for stands below."""
    head = max(cells.width(line.keys) for line in lines) + 2
    verbs = max(cells.width(line.verb) for line in lines)
    indent = head + (verbs + 2 if verbs else 0)
    rows = [text_row(title, Span(title, Role.STRONG), is_heading=True)]
    for line in lines:
        role = Role.MUTED if line.refusal else Role.PLAIN
        first, *more = cells.wrap(line.does, max(width - indent, _LEAST_TEXT)) or ("",)
        typed = Span(cells.pad(line.keys, head), Role.MUTED if line.refusal else Role.ACCENT)
        verb = Span(cells.pad(line.verb, indent - head), role)
        value = f"not now: {line.refusal}" if line.refusal else line.does
        rows.append(text_row(line.name, typed, verb, Span(first, role), value=value))
        rows += [
            text_row(f"{line.name}-{place}", Span(" " * indent), Span(piece, role), is_heading=True)
            for place, piece in enumerate(more)
        ]
    return tuple(rows)


class HelpScreen(Dialog["HelpLine | None"]):
    """Lists keys and signs; returns the line that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape,question_mark,q", "back", "close", "closes the help", name="back"),
        bind("enter", "choose", "do it", "does what the key does", name="choose"),
        bind(
            "tab,left,right,shift+tab", "other", "other", "goes to the other column", name="other"
        ),
    ]

    def __init__(self, screen: Screen[object], glyphs: Glyphs) -> None:
        super().__init__("help")
        self._lines = help_lines(screen)
        self._lines["Signs"] = signs(glyphs, of_fleet="0" in screen.active_bindings)
        self._by_name = {line.name: line for lines in self._lines.values() for line in lines}
        self._where = screen.name or ""
        self._opened_at = 0.0
        self._glyphs = glyphs
        self._panes = Pane("dialog", glyphs=glyphs), Pane("more", glyphs=glyphs)
        self._columns = Horizontal(*self._panes)  # not in compose: none is made at the end

    def compose(self) -> ComposeResult:
        """Yield both columns."""
        yield self._columns

    def on_mount(self) -> None:
        """Show the keys."""
        self._opened_at = self.desk.clock.monotonic()
        self._panes[0].focus()
        self.on_resize()
        for pane in self._panes:  # the heading above the first line shows as well
            self.call_after_refresh(pane.action_first)

    def on_resize(self) -> None:
        """Fit the screen: two columns where there is room for them, else one."""
        first, second = self._panes
        had, has_two = self._pane.place.cursor or "", self.size.width >= _TWO_COLUMNS_FROM
        width = self.size.width // 2 - 1 if has_two else min(_MOST_WIDTH, self.size.width - 2)
        width = max(width, 10)
        room = width - _EDGES - GUTTER
        groups = [help_rows(title, lines, room) for title, lines in self._lines.items()]
        columns = _halves(groups) if has_two else (sum(groups, ()), ())
        for pane, rows in zip(self._panes, columns, strict=True):
            pane.display = bool(rows)
            pane.styles.width = width
        first.show(self._listing("Keys", f"{self._glyphs.dot} {self._where}", columns[0]))
        second.show(self._listing("Keys and signs", "", columns[1]))
        height = max(map(len, columns)) + 2
        self._columns.styles.width = width * (1 + has_two)
        self._columns.styles.height = min(height, self.size.height)
        here = second if second.place.select(had) else first
        self.set_focus(here)
        here.select(had)

    def _listing(self, title: str, about: str, rows: tuple[Row, ...]) -> Listing:
        return Listing(
            title=title,
            about=about,
            age="Enter does it, Esc closes",
            rows=rows,
            shows_value=True,
        )

    # ---- keys ----------------------------------------------------------------------------

    @property
    def _pane(self) -> Pane:
        """The column that has the keys."""
        return self.focused if isinstance(self.focused, Pane) else self._panes[0]

    def action_other(self) -> None:
        """Go to the other column."""
        first, second = self._panes
        (second if second.display and self._pane is first else first).focus()

    def action_choose(self) -> None:
        """Do what the line under the cursor does; else say why not.

        An Enter that was typed before the page could be read is not meant for it.
        """
        is_new = self.desk.clock.monotonic() - self._opened_at < self.desk.reading_pause_s
        line = self._by_name.get(self._pane.place.cursor or "")
        if line is None or is_new:
            return
        if not line.action:
            self._say("a sign has nothing to do")
        elif line.refusal:
            self._say(f"not now: {line.refusal}")
        else:
            self.dismiss(line)

    def _say(self, problem: str) -> None:
        pane = self._pane
        pane.show(replace(pane.listing, problem=problem))

    @on(Pane.Moved)
    def forget_problem(self, event: Pane.Moved) -> None:
        """The sentence was about another line."""
        if event.pane.listing.problem:
            event.pane.show(replace(event.pane.listing, problem=""))

    @on(Pane.Opened)
    def chosen_by_mouse(self) -> None:
        """A second click does it, as Enter does."""
        self.action_choose()

    def action_back(self) -> None:
        """Close the help."""
        self.dismiss(None)


def _halves(groups: Sequence[tuple[Row, ...]]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Share groups between two columns, so that the longer one is as short as it can be."""
    sizes = list(map(len, groups))
    place = min(range(1, len(groups)), key=lambda cut: max(sum(sizes[:cut]), sum(sizes[cut:])))
    left, right = groups[:place], groups[place:]
    return tuple(row for group in left for row in group), tuple(
        row for group in right for row in group
    )
