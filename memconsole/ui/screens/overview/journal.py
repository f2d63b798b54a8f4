"""The journal: what changed something, whoever did it; the newest first, and followed.

It follows until the operator moves in it; from then on the place stays, and the title counts what
came above. Looking changes nothing, and has no line here; nor has a run that was skipped. What
somebody asked of another host of a fleet has one, which says how far that is.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from memconsole.domain.events import EventKind, is_ours
from memconsole.domain.fleet.letters import LetterState
from memconsole.text import cells, figures
from memconsole.text.compiled import compiled
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.names import session_name
from memconsole.ui.drawing.spans import Cell, Column, Piece, Role, Row
from memconsole.ui.drawing.table import fit
from memconsole.ui.screens.jobs.activity import status_sign, when_cell, when_column, who_began
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.events import Event
    from memconsole.domain.fleet.letters import Sent
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.context import Context

FILTERS: Final = ("all", "me", "jobs", "platform", "errors")
"""What the journal shows, in the order of its key."""

_LONG: Final = timedelta(minutes=10)
"""A time that is known less well is told with both its ends."""

_ROWS: Final = 50
"""Runs of one reading; of what lies before the oldest of them, some are missing."""

_KEY: Final = r"agent:[^\s:]+:\S+?(?=[,.:;)]*(?:\s|$))"

_COLUMNS = (
    Column("", 8, drop=3, name="who"),
    Column("", 10, flex=1, most=16, name="what"),
    Column("", 1, name="sign"),
    Column("", 6, flex=1, most=16, drop=2, name="agent"),
    Column("", 14, flex=12, name="result"),
)
_WORDS = {
    EventKind.COMPACTED: "compaction",
    EventKind.RESET: "reset",
    EventKind.FILLED: "filling up",
    EventKind.GATEWAY_GONE: "gateway",
    EventKind.GATEWAY_BACK: "gateway",
    EventKind.RELEASE: "release",
    EventKind.MEMORY: "memory",
}
_BAD = frozenset({EventKind.COMPACTED, EventKind.GATEWAY_GONE})


def journal_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    chosen: str = "all",
    own: Collection[int] = (),
    newer: int = 0,
    width: int = 0,
    most_lines: int = 1,
) -> Listing:
    """Return what changed something, the newest first.

    Args:
        snapshot: The reading.
        context: The circumstances of the drawing.
        chosen: One of `FILTERS`.
        own: Numbers of the runs that were begun in this console.
        newer: How many lines came since the operator moved away from the newest.
        width: Cells of a row.
        most_lines: Of the screen that one result may take.
    """
    lines = sorted(_lines(snapshot, context, own), key=lambda line: line[0], reverse=True)
    shown = [line for line in lines if _is_chosen(chosen, *line[1:3])]
    dot = context.glyphs.dot
    more = f" {dot} {newer} newer {context.glyphs.rising}" if newer else ""
    columns = (when_column([at for at, *_ in shown], context), *_COLUMNS)
    room = fit(columns, width).widths[-1] if most_lines > 1 else 0
    return Listing(
        title="Journal",
        about=f"{dot} {chosen}{more}",
        source="disk and fleet" if snapshot.letters else "disk",
        age=context.age(snapshot.taken_at),
        number=5,
        columns=columns,
        rows=tuple(one for *_, row in shown for one in _broken(row, room, most_lines)),
        empty=(
            _nothing(snapshot) if chosen == "all" else f"nothing of {chosen}; a w shows others",
        ),
        is_stale=context.is_stale(snapshot.taken_at),
        shows_value=True,
    )


def _broken(row: Row, room: int, most: int) -> Iterator[Row]:
    """Yield a row, and more rows for what its last cell has no room for; the last one is cut."""
    *others, said = row.cells
    if not room or not isinstance(said, Cell) or cells.width(said.text) <= room:
        yield row
        return
    pieces = list(cells.wrap(said.text, room))
    if len(pieces) > most:
        pieces[most - 1 :] = [" ".join(pieces[most - 1 :])]
    yield replace(row, cells=(*others, Piece(said.text, pieces[0], said.role)))
    blank = (Cell(),) * len(others)
    for number, piece in enumerate(pieces[1:], 2):
        yield Row(
            key=f"{row.key}-{number}",
            cells=(*blank, Cell(piece, said.role)),
            is_heading=True,
            goes_on=row.key,
        )


def _nothing(snapshot: ConsoleSnapshot) -> str:
    """Return that nothing is listed; what was done on other hosts is in their own histories."""
    if any(one.is_far for one in snapshot.homes):
        return "nothing of this host yet; `memconsole runs --fleet` tells of all others"
    return "nothing changed anything yet: c takes a checkpoint"


def _lines(
    snapshot: ConsoleSnapshot, context: Context, own: Collection[int]
) -> Iterator[tuple[datetime, str, bool, Row]]:
    """Yield (time, who, whether it is an error, row) of runs and events."""
    runs = snapshot.activity
    names = _Names(snapshot)
    for run in runs:
        if run.status != "skipped":
            who = who_began(run, own)
            yield run.started_at, who, run.status == "failed", _run_row(run, who, names, context)
    for letter in snapshot.letters:
        who = letter.by or "me"
        yield letter.sent_at, who, _has_failed(letter), _letter_row(letter, who, context)
    start = runs[-1].started_at if len(runs) >= _ROWS else None
    for event in snapshot.events:
        if (start is None or event.at >= start) and not is_ours(event, runs):
            who = "agent" if event.kind is EventKind.MEMORY else "platform"
            name = names.of(event.agent or "", event.key or "")
            row = _event_row(event, who, name, context)
            yield event.at, who, event.kind in _BAD, row


def _is_chosen(chosen: str, who: str, is_error: bool) -> bool:
    match chosen:
        case "all":
            return True
        case "errors":
            return is_error
        case "jobs":
            return who == "job"
        case "platform":
            return who in ("platform", "agent")
        case _:
            return who == chosen


class _Names:
    """What sessions are called in the lists, looked up as the journal needs them."""

    def __init__(self, snapshot: ConsoleSnapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, dict[str, str]] = {}

    def of(self, agent: str, key: str) -> str:
        """Return the name of a session; its key where no session of the agent has it."""
        if agent and key and agent not in self._known:
            views = reversed(self._snapshot.of_agent(agent))
            self._known[agent] = {one.key_text: session_name(one) for one in views if one.key_text}
        return self._known.get(agent, {}).get(key, literal(key))

    def instead_of_keys(self, agent: str, text: str) -> str:
        """Return what a run says with names in place of keys: short, and the same everywhere."""
        return compiled(_KEY).sub(lambda found: self.of(agent, found[0]), text)


def _run_row(run: Run, who: str, names: _Names, context: Context) -> Row:
    sign, role = status_sign(run.status, context.glyphs)
    word = run.status if run.reason is None else f"{run.status}: {run.reason}"
    return Row(
        key=f"run-{run.id}",
        cells=(
            when_cell(run.started_at, context),
            Cell(who, Role.MUTED),
            Cell(literal(run.command)),
            Cell(sign, role),
            Cell(literal(run.agent or "")),
            Cell(
                names.instead_of_keys(run.agent or "", literal(run.message)) or word,
                Role.WARNING if run.status == "failed" else Role.PLAIN,
            ),
        ),
        value=run.command_line,
    )


def _has_failed(letter: Sent) -> bool:
    return letter.state in _ENDED_BADLY or (
        letter.state is LetterState.ANSWERED and letter.code != 0
    )


_ENDED_BADLY = frozenset({LetterState.EXPIRED, LetterState.INTERRUPTED, LetterState.REFUSED})
_SIGNS = {LetterState.BEGUN: "running", LetterState.ANSWERED: "done"}


def _letter_row(letter: Sent, who: str, context: Context) -> Row:
    """Return what somebody asked of another host: that it waits, is begun, or what came of it."""
    has_failed = _has_failed(letter)
    word = "failed" if has_failed else _SIGNS.get(letter.state, "waits")
    sign, role = status_sign(word, context.glyphs)
    agent = f"{letter.home}/{letter.agent}" if letter.agent else letter.home
    words = literal(" ".join(letter.words))
    return Row(
        key=f"letter-{letter.id}",
        cells=(
            when_cell(letter.sent_at, context),
            Cell(literal(who), Role.MUTED),
            Cell(literal(letter.words[0]) if letter.words else "?"),
            Cell(sign, role),
            Cell(literal(agent)),
            Cell(literal(letter.told(context.now)), Role.WARNING if has_failed else Role.PLAIN),
        ),
        value=f"{who} asked {literal(letter.home)}: {words}",
    )


def _event_row(event: Event, who: str, name: str, context: Context) -> Row:
    said = f"{name}: {literal(event.message)}" if name else literal(event.message)
    if event.at - event.since > _LONG:
        since = figures.when(event.since, context.now, context.zone)
        said += f"; some time since {since}, nobody looked in between"
    return Row(
        key=f"event-{event.id}",
        cells=(
            when_cell(event.at, context),
            Cell(who, Role.MUTED),
            Cell(_WORDS[event.kind]),
            Cell(context.glyphs.dot, Role.MUTED),
            Cell(literal(event.agent or "")),
            Cell(said, Role.WARNING if event.kind in _BAD else Role.PLAIN),
        ),
        value=said,
    )


class JournalPane(Pane):
    """Stays at the newest line until the operator moves in it.

    Attributes:
        chosen: What is shown, one of `FILTERS`.
    """

    chosen = FILTERS[0]
    _newest: str | None = None
    """The newest line when the operator moved away from it; None while it is followed."""

    @property
    def newer(self) -> int:
        """How many lines came since then."""
        return self._count(self.place.rows)

    def _count(self, rows: Iterable[Row]) -> int:
        if self._newest is None:
            return 0
        keys = [row.key for row in rows if not row.goes_on]
        return keys.index(self._newest) if self._newest in keys else 0

    def choose_next(self) -> str:
        """Show the next choice, from its newest line on."""
        self.chosen = FILTERS[(FILTERS.index(self.chosen) + 1) % len(FILTERS)]
        self._newest = None
        return self.chosen

    def show_journal(
        self,
        snapshot: ConsoleSnapshot,
        context: Context,
        own: Collection[int],
        *,
        most_lines: int = 1,
    ) -> None:
        """Show another reading; what is followed stays at its newest line."""
        make = partial(
            journal_listing,
            snapshot,
            context,
            chosen=self.chosen,
            own=own,
            width=self.room[0],
            most_lines=most_lines,
        )
        listing = make()
        newer = self._count(listing.rows)
        if newer:
            listing = make(newer=newer)
        if self._newest is None and listing.rows and self.place.cursor != listing.rows[0].key:
            self.place.take(listing.rows)
            self.place.select(listing.rows[0].key)
        self.show(listing)

    def _moved(self) -> None:
        """Follow again from the newest line, and from no other."""
        rows = self.place.rows
        if self.place.number == 0 or not rows:
            self._newest = None
        elif self._newest is None:
            self._newest = rows[0].key
        super()._moved()
