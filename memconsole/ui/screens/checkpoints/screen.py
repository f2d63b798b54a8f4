"""What the checkpoints of an agent saved, and what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from memconsole.domain.checkpoint.rules import CheckpointDiff, Side, compare
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, literal_quoted
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.checkpoint.rules import Capture, DiffLine
    from memconsole.ui.drawing.context import Context


class CheckpointsScreen(AgentScreen):
    """The checkpoints of one agent, and two of them beside each other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(("checkpoints", "changes")),
    ]
    MARKED: ClassVar[tuple[str, ...]] = ("list",)

    def __init__(self, agent_id: str) -> None:
        super().__init__("checkpoints", agent_id)
        self._seen: object = None
        self._loader: Loader[tuple[Saved, ...]] = Loader(self, "checkpoints")

    def body(self) -> ComposeResult:
        """Yield the list, and the changes below it."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("changes", glyphs=self.desk.glyphs)

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Ask for the checkpoints again when there is another one."""
        snapshot = self.desk.snapshot
        agents = () if snapshot is None else snapshot.agents
        seen = next((one.checkpoint_at for one in agents if one.ref.id == self._agent_id), None)
        if self._loader.value is None or seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine.of(self._agent_id)
            self._loader.ask(lambda: beside_each_other(engine.memory.checkpoints(agent_id)))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was read, or why it could not be."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        context = self.context()
        self.named("list").show(
            checkpoints_listing(
                self._loader.value, context, agent=self._agent_id, failure=self._loader.failure
            )
        )
        self._show_changes()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#changes")
    def _show_changes(self) -> None:
        place, pane = self.named("list").place, self.named("changes")
        pair = pair_of(self._loader.value or (), place.cursor, place.marks)
        pane.show(changes_listing(pair, self.context(), pane.room[0]))

    # ---- keys ----------------------------------------------------------------------------

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        if action == "mark" and self.pane is not self.named("list"):
            return "only checkpoints can be marked"
        return super().why_not(action, parameters)

    def action_open(self) -> None:
        """Go into the changes."""
        self.focus_pane(self.named("changes"))


_COLUMNS = (
    Column("saved", 12),
    Column("session", 10, flex=1, most=28, drop=3),
    Column("day log", 7, drop=4),
    Column("changed", 7),
    Column("what came", 20, flex=3, drop=2),
)
_ROLES: Final = {Side.BOTH: Role.MUTED, Side.OLDER: Role.WARNING, Side.NEWER: Role.OK}


@dataclass(frozen=True, slots=True)
class Saved:
    """One checkpoint beside the one before it.

    Attributes:
        key: Names its row.
        diff: What changed since the one before; None for the first that is known.
    """

    key: str
    capture: Capture
    diff: CheckpointDiff | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two checkpoints to compare; `older` is None where nothing older is known."""

    newer: Saved
    older: Saved | None

    @property
    def diff(self) -> CheckpointDiff:
        """What changed from one to the other; all of it where there is but one."""
        before = "" if self.older is None else self.older.capture.block
        return compare(before, self.newer.capture.block)


def beside_each_other(captures: Sequence[Capture]) -> tuple[Saved, ...]:
    """Return each checkpoint with what it changed; takes its time, for the thread that loads.

    Args:
        captures: The newest first.
    """
    found: dict[str, Saved] = {}
    for place, capture in enumerate(captures):
        older = captures[place + 1] if place + 1 < len(captures) else None
        diff = None if older is None else compare(older.block, capture.block)
        key = f"{capture.at.isoformat()} {capture.session_id}"
        found.setdefault(key, Saved(key, capture, diff))
    return tuple(found.values())


def pair_of(saved: Sequence[Saved], cursor: str | None, marks: frozenset[str]) -> Pair | None:
    """Return which two are compared: two marked ones, a marked one and the one under the cursor.

    Without a mark it is the one under the cursor and the one before it; of more than two marked
    ones the newest and the oldest.
    """
    chosen = [one for one in saved if one.key in marks]
    under = next((place for place, one in enumerate(saved) if one.key == cursor), None)
    if len(chosen) > 1:
        return Pair(chosen[0], chosen[-1])
    if under is None:
        return None
    here = saved[under]
    if chosen and chosen[0] is not here:
        is_newer = saved.index(chosen[0]) < under
        return Pair(chosen[0], here) if is_newer else Pair(here, chosen[0])
    return Pair(here, saved[under + 1] if under + 1 < len(saved) else None)


def checkpoints_listing(
    saved: Sequence[Saved] | None, context: Context, *, agent: str, failure: str = ""
) -> Listing:
    """Return the checkpoints of an agent, the newest first.

    Args:
        saved: None while they are read, or when they could not be.
        context: Signs and time.
        agent: Whose they are.
        failure: Why there is nothing.
    """
    title = f"Checkpoints {context.glyphs.dot} {literal(agent)}"
    if saved is None:
        return Listing(title, number=1, empty=(failure or "reading the checkpoints",))
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {figures.thousands(len(saved))}",
        source="disk",
        number=1,
        columns=_COLUMNS,
        rows=tuple(_row(one, context) for one in saved),
        empty=("no checkpoint was taken yet: c takes one",),
        problem=failure,
    )


def _row(one: Saved, context: Context) -> Row:
    capture, diff = one.capture, one.diff
    came = "" if diff is None else _first_new(diff)
    return Row(
        key=one.key,
        cells=(
            Cell(figures.moment(capture.at, context.now, context.zone)),
            Cell(_session(capture), Role.MUTED, is_id=True),
            Cell("entry" if capture.is_logged else "", Role.MUTED),
            Cell("first" if diff is None else changed(diff), Role.MUTED),
            Cell(came),
        ),
        value=figures.day_and_time(capture.at, context.zone),
    )


def _session(capture: Capture) -> str:
    name = capture.session_key or capture.session_id
    return literal(name.removeprefix(f"agent:{capture.agent.id}:"))


def changed(diff: CheckpointDiff) -> str:
    """Return such as `+3 -2`; `same` where nothing that counts did."""
    return f"+{diff.added} -{diff.removed}" if diff.added or diff.removed else "same"


def _first_new(diff: CheckpointDiff) -> str:
    lines = (one for one in diff.lines if one.counts and one.side is Side.NEWER)
    first = next(lines, None)
    return "" if first is None else literal_quoted(first.text).removeprefix("- ").replace("**", "")


def changes_listing(pair: Pair | None, context: Context, width: int) -> Listing:
    """Return two checkpoints as one text, with a sign before each line that only one has."""
    if pair is None:
        return Listing("Changes", number=2, empty=("nothing is selected",))
    diff, dot = pair.diff, context.glyphs.dot
    newer = figures.moment(pair.newer.capture.at, context.now, context.zone)
    if pair.older is None:
        about = f"{dot} {newer}, the first that is known"
    else:
        older = figures.moment(pair.older.capture.at, context.now, context.zone)
        about = f"{dot} {older} {context.glyphs.arrow} {newer} {dot} {changed(diff)}"
    rows = [row for number, line in enumerate(diff.lines) for row in _lines(number, line, width)]
    return Listing("Changes", about=about, source="disk", number=2, rows=tuple(rows))


def _lines(number: int, line: DiffLine, width: int) -> Iterator[Row]:
    text, role = literal_quoted(line.text), _ROLES[line.side]
    for place, piece in enumerate(cells.wrap(text, max(width - 2, 8))):
        sign = line.side.value if place == 0 else " "
        spans = (Span(f"{sign} ", role), Span(piece, role))
        yield text_row(f"{number}:{place}", *spans, value=text)
