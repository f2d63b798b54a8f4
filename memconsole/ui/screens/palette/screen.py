"""The palette: the command line inside the console, and every screen and theme by its name.

The first words decide. A whole name of a command makes the line a command line: its plan is shown
beneath while it is typed, and Enter runs it as its key would. Scattered letters find screens and
help; of commands that write they find the name, which Enter then only puts into the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rapidfuzz import fuzz, process, utils
from textual import on, work
from textual.actions import parse

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.drawing.themes import THEMES
from memconsole.ui.keys import bind, key_name
from memconsole.ui.screens.base import Dialog
from memconsole.ui.screens.palette.grammar import Meant, read_line, verb_of
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widgets import Input

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line
    from memconsole.ui.screens.base import ConsoleScreen
    from memconsole.ui.screens.palette.grammar import Selects


_COLUMNS = (Column("", 14, flex=1, most=22), Column("", 5), Column("", 20, flex=3))
_WIDTH = 84
_ROWS = 16
_PLAN_LINES = 2
_LEAST_S = 0.001
"""A timer cannot ring in no time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to do.

    Attributes:
        action: Action of the screen the palette was opened on, or of the app.
        refusal: Why it cannot be done now; shown instead of the help.
        writes: It is a command: its name is put into the line, and only a whole line runs it.
    """

    name: str
    key: str
    help: str
    action: str
    refusal: str = ""
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen: an action of the screen, or a command line that was understood."""

    action: str = ""
    meant: Meant | None = None


def ranked(entries: tuple[Entry, ...], query: str) -> tuple[Entry, ...]:
    """Return the entries that resemble the query, best first; all of them for an empty one.

    A command that writes is found by the beginning of its name or of a word in it alone. Of several
    words the first decides: it begins a word of what is found.
    """
    if not utils.default_process(query):
        return entries if not query.strip() else ()
    begins = query.strip().casefold()
    offered = [one for one in entries if not one.writes or _begins(one.name, begins)]
    if first := begins.partition(" ")[0] if " " in begins else "":
        offered = [one for one in offered if _begins(f"{one.name} {one.help}".casefold(), first)]
    hits = process.extract(
        query,
        [f"{entry.name} {entry.help}" for entry in offered],
        scorer=fuzz.partial_token_set_ratio if " " in query else fuzz.partial_ratio,
        processor=utils.default_process,
        limit=len(offered),
        score_cutoff=70,
    )
    order = sorted(hits, key=lambda hit: (not offered[hit[2]].name.startswith(begins), -hit[1]))
    return tuple(offered[place] for _, _, place in order)


def _begins(name: str, begins: str) -> bool:
    return name.startswith(begins) or any(word.startswith(begins) for word in name.split())


class PaletteScreen(Dialog[Choice | None]):
    """A line to type in, the plan of what it says, and the list of what it may become."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "back", "close", "Close without doing anything", name="back", show=True),
        bind("enter", "choose", "do it", "Run the line, or do what was chosen", name="choose"),
        bind("tab", "complete", "complete", "Put what the cursor is on into the line", name="tab"),
        bind("up", "move(-1)", "up", "One line up", name="up"),
        bind("down", "move(1)", "down", "One line down", name="down"),
        bind("pageup", "move(-10)", "page up", "Ten lines up", name="page-up"),
        bind("pagedown", "move(10)", "page down", "Ten lines down", name="page-down"),
    ]

    def __init__(
        self,
        entries: tuple[Entry, ...],
        selected: Selects,
        glyphs: Glyphs,
    ) -> None:
        """Make the palette.

        Args:
            entries: What can be done on the screen it was opened on.
            selected: That screen, which knows what a command acts on.
            glyphs: Signs of the terminal.
        """
        super().__init__("palette")
        self._entries = entries
        self._selected = selected
        self._shown = entries
        self._meant = Meant()
        self._plan: tuple[Line, ...] = ()
        self._is_chosen = False
        self._pause: Timer | None = None
        self._dialog = Pane("dialog", glyphs=glyphs, always_active=True)
        self._field = LineInput("query", placeholder="a command, or what to find")

    def compose(self) -> ComposeResult:
        """Yield the line and the list."""
        with self._dialog:
            yield self._field

    def on_mount(self) -> None:
        """Give the line the keys."""
        self._field.focus()
        self._show()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        box = self._dialog
        box.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        box.styles.height = min(_ROWS + 3, max(self.size.height - 2, 4))

    def _show(self) -> None:
        is_line = self._meant.spec is not None
        rows = (
            tuple(_ending_row(number, line) for number, line in enumerate(self._meant.endings))
            if is_line
            else tuple(_row(number, entry) for number, entry in enumerate(self._shown))
        )
        self._dialog.show(
            Listing(
                title="Commands",
                age="enter runs the line" if is_line else "enter does it",
                columns=(Column("", 20, flex=1),) if is_line else _COLUMNS,
                fixed=((Span("> ", Role.ACCENT),), *self._plan),
                rows=rows,
                empty=() if is_line else ("nothing is called that; Enter does nothing",),
            )
        )

    def type_ahead(self, letter: str) -> None:
        """Take a letter that was typed before the line had the keys."""
        self._field.insert_text_at_cursor(letter)

    # ---- the line ------------------------------------------------------------------------

    @on(LineInput.Changed)
    def query_changed(self, event: Input.Changed) -> None:
        """Read the line while it is typed; a plan is made when the typing rests."""
        self._is_chosen = False
        self._meant = read_line(event.value, self.desk.snapshot, self._selected)
        self._shown = ranked(self._entries, event.value)
        self._plan = self._said()
        self._show()
        self._dialog.action_first()
        if self._pause is not None:
            self._pause.stop()
        if self._meant.spec is not None and not self._meant.problem:
            self._pause = self.set_timer(max(self.desk.typing_pause_s, _LEAST_S), self._look)

    def _said(self) -> tuple[Line, ...]:
        """Return what is known of the line before its plan was made."""
        if self._meant.spec is None:
            return ()
        if self._meant.problem:
            return self._lines(self._meant.problem, Role.WARNING)
        if self._meant.action:
            return self._lines("shows what would have been rotated; nothing is done", Role.MUTED)
        return self._lines(f"{self._whom()}: planning", Role.MUTED)

    def _whom(self) -> str:
        targets = self._meant.targets
        more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
        return f"{targets[0].name}{more}"

    def _lines(self, text: str, role: Role) -> tuple[Line, ...]:
        pieces = list(cells.wrap(literal(text), max(self._dialog.room[0], 20)))
        return tuple((Span(f"  {piece}", role),) for piece in pieces[:_PLAN_LINES])

    def _look(self) -> None:
        if self._meant.spec is not None and self._meant.targets:
            self._make_plan(self._meant)

    @work(thread=True, group="plan", exclusive=True, exit_on_error=False)
    def _make_plan(self, meant: Meant) -> None:
        """Make the plan of the first target in a thread: a look at the disk may take a while."""
        target = meant.targets[0]
        if meant.spec is None:
            return
        try:
            outcome = self.desk.engine.run(meant.spec.build(target.agent, target.key, dry_run=True))
        except (MemconsoleError, ValueError) as error:
            text, role = str(error), Role.WARNING
        else:
            text, role = outcome.message, Role.PLAIN
        self.app.call_from_thread(self._planned, meant, text, role)

    def _planned(self, meant: Meant, text: str, role: Role) -> None:
        if meant is self._meant and self.is_attached:
            self._plan = self._lines(f"{self._whom()}: {text}", role)
            self._show()

    # ---- keys ----------------------------------------------------------------------------

    @on(LineInput.Submitted)
    def submitted(self) -> None:
        """Run the line, or do what the cursor is on."""
        self.action_choose()

    def action_choose(self) -> None:
        """Run a whole line; a row that was gone to ends the line; anything else says why not."""
        number = self._dialog.place.number
        if self._meant.spec is not None:
            if self._is_chosen and number is not None:
                self.action_complete()
            elif self._meant.problem:
                self._field.reopen()
            elif self._meant.action:
                self.dismiss(Choice(self._meant.action))
            else:
                self.dismiss(Choice(meant=self._meant))
        elif number is None:
            self._field.reopen()
        elif self._shown[number].writes:
            self.action_complete()
        else:
            self.dismiss(Choice(self._shown[number].action))

    def action_complete(self) -> None:
        """Put what the cursor is on into the line."""
        number = self._dialog.place.number
        if number is None:
            return
        is_line = self._meant.spec is not None
        line = self._meant.endings[number] if is_line else self._shown[number].name
        self._field.reopen()
        self._field.value = line
        self._field.action_end()

    def action_move(self, step: int) -> None:
        """Move the cursor while the line keeps the keys."""
        self._is_chosen = True
        self._dialog.action_move(step)

    def action_back(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)


def _row(number: int, entry: Entry) -> Row:
    role = Role.MUTED if entry.refusal else Role.PLAIN
    return Row(
        key=f"{number}-{entry.action}",
        cells=(
            Cell(entry.name, role),
            Cell(entry.key, Role.ACCENT),
            Cell(entry.refusal or entry.help, Role.MUTED),
        ),
        value=entry.name,
    )


def _ending_row(number: int, line: str) -> Row:
    _, rest = verb_of(line)
    return Row(key=f"{number}-{line}", cells=(Cell(literal(rest), is_id=True),), value=line)


_MOVES = frozenset(
    {
        "up",
        "down",
        "page-up",
        "page-down",
        "first",
        "last",
        "palette",
        "interrupt",
        "back",
        "suspend",
    }
)
"""Keys that nobody looks for by name."""

_COMMANDS = frozenset(spec.name for spec in CATALOGUE)


def entries(screen: ConsoleScreen) -> tuple[Entry, ...]:
    """Return what keys stand for on this screen, commands without a key, then the themes."""
    found: dict[str, Entry] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.id or binding.id in _MOVES or binding.id in found:
            continue
        _, name, parameters = parse(binding.action)
        found[binding.id] = Entry(
            name=binding.id if binding.id in _COMMANDS else binding.description,
            key=key_name(binding.key),
            help=binding.tooltip,
            action=binding.action,
            refusal=screen.why_not(name, parameters) or "",
            writes=binding.id in _COMMANDS,
        )
    for verb in screen.actions():
        _, name, parameters = parse(verb.action)
        found[verb.name] = Entry(
            name=verb.name if verb.name in _COMMANDS else verb.title,
            key=verb.keys,
            help=verb.help,
            action=verb.action,
            refusal=screen.why_not(name, parameters) or "",
            writes=verb.name in _COMMANDS,
        )
    for spec in CATALOGUE:
        if spec.name not in found:
            found[spec.name] = Entry(
                name=spec.name,
                key="",
                help=spec.help,
                action=f"command({spec.name!r})",
                refusal=screen.why_not("command", (spec.name,)) or "",
                writes=True,
            )
    found.setdefault("report", _report(screen))
    found |= _switches(screen.desk.snapshot)
    for theme in THEMES:
        found[f"theme-{theme.name}"] = Entry(
            f"theme {theme.name}", "", "Change the colours", f"app.theme({theme.name!r})"
        )
    return tuple(found.values())


def _report(screen: ConsoleScreen) -> Entry:
    refusal = screen.why_not("report", ()) or ""
    return Entry("report", "", "What a bug report would hold; e writes it", "report", refusal)


def _switches(snapshot: ConsoleSnapshot | None) -> dict[str, Entry]:
    """Return what the first screen can be about, where there are several homes."""
    homes = () if snapshot is None else snapshot.homes
    if not homes:
        return {}
    alone = "Show the agents and sessions of this home alone; again shows all"
    labels = sorted({label for home in homes for label in home.labels})
    return {
        "fleet": Entry("fleet", "0", "Show the whole fleet again", "group('')"),
        **{
            f"host {one.label}": Entry(
                f"host {literal(one.label)}", "", alone, f"home({one.label!r})"
            )
            for one in homes
        },
        **{
            f"label {one}": Entry(
                f"label {literal(one)}", "", "Show the hosts with this label", f"group({one!r})"
            )
            for one in labels
        },
    }
