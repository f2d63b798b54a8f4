"""Checkpoints as rows, and what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.checkpoint.diff import CheckpointDiff, Side, compare
from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.checkpoint.diff import DiffLine
    from memconsole.domain.memory.records import Capture
    from memconsole.ui.drawing.context import Context

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
    return "" if first is None else literal(first.text).removeprefix("- ").replace("**", "")


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
    text, role = literal(line.text), _ROLES[line.side]
    for place, piece in enumerate(cells.wrap(text, max(width - 2, 8))):
        sign = line.side.value if place == 0 else " "
        spans = (Span(f"{sign} ", role), Span(piece, role))
        yield text_row(f"{number}-{place}", *spans, value=text)
