"""What is remembered of an agent's sessions, by priority, type and day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on

from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS, Kind, Priority
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import words_in
from memconsole.text.markdown import unquoted
from memconsole.ui.drawing.listing import Listing, fact_rows
from memconsole.ui.drawing.literal import literal_quoted
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.ui.drawing.context import Context


class ObservationsScreen(AgentScreen):
    """The observations of one agent, and the one under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "observations", "Panel 1: observations", name="panel-1"),
        bind("2", "panel(2)", "observation", "Panel 2: observation", name="panel-2"),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("p", "priority", "weight", "Only one weight, and all again", "priority"),
        Verb("t", "kind", "type", "Only one type, and all again", "kind"),
        Verb("x", "conflicts", "conflicts", "Only what contradicts another", "conflicts"),
    )

    def __init__(self, agent_id: str) -> None:
        super().__init__("observations", agent_id)
        self._sieve = ObservationFilter()
        self._seen: object = None
        self._loader: Loader[ObservationLog] = Loader(self, "observations")

    def body(self) -> ComposeResult:
        """Yield the list, and the observation below it."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Read the file again when the memory of the agent was read again."""
        pool = self._pool
        seen = None if pool is None else pool.read_at
        if self._loader.value is None or seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine.of(self._agent_id)
            self._loader.ask(lambda: parse(engine.memory.text(agent_id, OBSERVATIONS) or ""))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was read, or why it could not be."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        self.named("list").show(
            observations_listing(
                self._loader.value,
                self._sieve,
                self.context(),
                agent=self._agent_id,
                failure=self._loader.failure,
            )
        )
        self._show_one()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        row, pane = self.named("list").row, self.named("one")
        key = None if row is None else row.key
        pane.show(observation_listing(self._loader.value, key, self.context(), pane.room[0]))

    # ---- keys ----------------------------------------------------------------------------

    def action_priority(self) -> None:
        """Show the next weight alone, and all of them again."""
        self._sift(self._sieve.next_priority())

    def action_kind(self) -> None:
        """Show the next type alone, and all of them again."""
        self._sift(self._sieve.next_kind())

    def action_conflicts(self) -> None:
        """Show only what contradicts another line, and everything again."""
        self._sift(replace(self._sieve, has_conflicts=not self._sieve.has_conflicts))

    def _sift(self, sieve: ObservationFilter) -> None:
        self._sieve = sieve
        self._show()


T = TypeVar("T")

CONFLICT = "mc:conflict"

_NAMES = {Priority.HIGH: "high", Priority.MEDIUM: "medium", Priority.LOW: "low"}
_ROLES = {Priority.HIGH: Role.DUE, Priority.MEDIUM: Role.WARNING, Priority.LOW: Role.MUTED}

PRIORITIES = {priority: (_NAMES[priority], _ROLES[priority]) for priority in Priority}
"""Word and role of each weight."""

_COLUMNS = (
    Column("weight", 6),
    Column("day", 10, drop=2),
    Column("at", 5, drop=4),
    Column("type", 10, drop=3),
    Column("observation", 20, flex=1),
)


@dataclass(frozen=True, slots=True)
class ObservationFilter:
    """Which observations are shown; None shows all.

    Attributes:
        has_conflicts: Only those that contradict another one.
    """

    priority: Priority | None = None
    kind: Kind | None = None
    has_conflicts: bool = False

    def next_priority(self) -> ObservationFilter:
        """Return the sieve after one press: all, high, medium, low."""
        return replace(self, priority=_next(self.priority, tuple(Priority)))

    def next_kind(self) -> ObservationFilter:
        """Return the sieve after one press: all, then each type."""
        return replace(self, kind=_next(self.kind, tuple(Kind)))

    def lets(self, one: Observation) -> bool:
        """Whether it is shown."""
        return (
            self.priority in (None, one.priority)
            and self.kind in (None, one.kind)
            and (not self.has_conflicts or one.note(CONFLICT) is not None)
        )

    def words(self) -> str:
        """Return what is shown, for the title; empty when it is everything."""
        parts = [
            "" if self.priority is None else _NAMES[self.priority],
            "" if self.kind is None else self.kind.value,
            "conflicts" if self.has_conflicts else "",
        ]
        return ", ".join(part for part in parts if part)


def _next(now: T | None, values: tuple[T, ...]) -> T | None:
    if now is None:
        return values[0]
    place = values.index(now) + 1
    return values[place] if place < len(values) else None


def observations_listing(
    log: ObservationLog | None,
    sieve: ObservationFilter,
    context: Context,
    *,
    agent: str,
    failure: str = "",
) -> Listing:
    """Return the observations that the sieve lets through, newest day first.

    Args:
        log: None while it is read, or when it could not be.
        sieve: What is shown.
        context: Signs and time.
        agent: Whose they are.
        failure: Why there is nothing.
    """
    title = f"Observations {context.glyphs.dot} {agent}"
    if log is None:
        return Listing(title, number=1, empty=(failure or "reading the observations",))
    shown = [(place, one) for place, one in enumerate(log.observations) if sieve.lets(one)]
    shown.sort(key=lambda pair: (pair[1].day is not None, pair[1].day), reverse=True)
    total = len(log.observations)
    about = f"{len(shown):,} of {total:,}" if sieve != ObservationFilter() else f"{total:,}"
    words = f"{words_in(log.text):,} words"
    only = f" {context.glyphs.dot} {sieve.words()}" if sieve.words() else ""
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {about}{only} {context.glyphs.dot} {words}",
        source="files",
        number=1,
        columns=_COLUMNS,
        rows=tuple(_row(place, one) for place, one in shown),
        empty=_empty(total),
    )


def _empty(total: int) -> tuple[str, ...]:
    if total:
        return ("nothing of that kind: p, t and x change what is shown",)
    return ("no observations yet: b observes the agent's sessions",)


def _row(place: int, one: Observation) -> Row:
    mark = "  " if one.is_child else ""
    clash = "conflict: " if one.note(CONFLICT) is not None else ""
    return Row(
        key=f"{place}-{one.id or ''}",
        cells=(
            Cell(_NAMES[one.priority], _ROLES[one.priority]),
            Cell("" if one.day is None else one.day.isoformat(), Role.MUTED),
            Cell(one.clock or "", Role.MUTED),
            Cell(one.kind.value, Role.MUTED),
            Cell(f"{mark}{clash}{literal_quoted(one.text)}", Role.WARNING if clash else Role.PLAIN),
        ),
        value=literal_quoted(one.text),
    )


def observation_listing(
    log: ObservationLog | None, key: str | None, context: Context, width: int
) -> Listing:
    """Return one observation in full, with the one it contradicts."""
    del context
    one = _found(log, key)
    rows = fact_rows(() if one is None else _facts(one, log), width)
    return Listing("Observation", number=2, rows=rows, empty=("nothing is selected",))


def _found(log: ObservationLog | None, key: str | None) -> Observation | None:
    place = (key or "").partition("-")[0]
    if log is None or not place.isdecimal() or int(place) >= len(log.observations):
        return None
    return log.observations[int(place)]


def _facts(one: Observation, log: ObservationLog | None) -> tuple[tuple[str, str], ...]:
    other = one.note(CONFLICT)
    known = (it for it in (log.observations if log else ()) if it.id == other and other)
    against = next((unquoted(it.text) for it in known), other)
    return (
        ("text", unquoted(one.text)),
        ("contradicts", against or ""),
        ("about", "" if one.refers_to is None else one.refers_to.isoformat()),
        ("weight", f"{_NAMES[one.priority]}, {one.importance:g} of 10"),
        ("seen", f"{times} times" if (times := one.note("mc:times")) else ""),
        ("from", one.source or ""),
        ("id", one.id or ""),
    )
