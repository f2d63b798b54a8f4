"""Observations as rows: what is remembered, by priority, type and day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.memory.observations import Kind, Priority
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import words_in
from memconsole.ui.drawing.listing import Listing, fact_rows
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row

if TYPE_CHECKING:
    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.ui.drawing.context import Context

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
            Cell(f"{mark}{clash}{literal(one.text)}", Role.WARNING if clash else Role.PLAIN),
        ),
        value=literal(one.text),
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
    against = next(
        (it.text for it in (log.observations if log else ()) if it.id == other and other), other
    )
    return (
        ("text", one.text),
        ("contradicts", against or ""),
        ("about", "" if one.refers_to is None else one.refers_to.isoformat()),
        ("weight", f"{_NAMES[one.priority]}, {one.importance:g} of 10"),
        ("seen", f"{times} times" if (times := one.note("mc:times")) else ""),
        ("from", one.source or ""),
        ("id", one.id or ""),
    )
