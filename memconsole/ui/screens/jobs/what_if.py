"""What rotation would have done under another threshold, by the counts that were kept."""

from __future__ import annotations

import shlex
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from textual import on

from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing, note
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.screens.base import ListScreen
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.rotation import WouldCapture, WouldRotate
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.ui.drawing.context import Context

Found = tuple[tuple[tuple["WouldRotate", "str | None", "WouldCapture"], ...], int]
"""The rotations, each with its session key and what it would have saved; and of how many counts."""

_USUAL: Final = timedelta(days=7)

_COLUMNS = (
    Column("when", 12),
    Column("tokens", 7, right=True),
    Column("messages", 8, right=True, drop=2),
    Column("observations", 12, right=True, drop=1),
    Column("session", 22, flex=1),
)


class Supposed(NamedTuple):
    """What is supposed.

    Attributes:
        agent_id: Only of this agent; None for all.
        threshold: In tokens; None for those of the settings.
        span: How long ago it begins.
        line: The call that says the same.
    """

    agent_id: str | None
    threshold: int | None
    span: timedelta
    line: str


def supposed(agent_id: str | None, threshold: int | None, since: str) -> Supposed:
    """Return what is supposed, with the call that says the same; `since` is a duration."""
    words = ["memconsole", "rotate", "--what-if", "--since", since]
    words += [] if threshold is None else ["--threshold", str(threshold)]
    words += [] if agent_id is None else ["--agent", agent_id]
    return Supposed(agent_id, threshold, figures.read_span(since) or _USUAL, shlex.join(words))


class WhatIfScreen(ListScreen):
    """The rotations that would have been; Enter opens the session of one."""

    def __init__(self, supposed: Supposed) -> None:
        super().__init__("what if")
        self._supposed = supposed
        self._loader: Loader[Found] = Loader(self, "what-if")

    @property
    def where(self) -> str:
        """The name of the screen, and whose rotations."""
        return f"what if {self.desk.glyphs.dot} {self._supposed.agent_id or 'all agents'}"

    def opened(self) -> None:
        """Count; whole transcripts may be read for it."""
        now, asked = self.desk.clock.now(), self._supposed
        self._since = now - asked.span
        self._loader.ask(
            lambda: self.desk.engine.rotation.what_if(
                agent_id=asked.agent_id, threshold_tokens=asked.threshold, since=self._since
            )
        )

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was counted, or why nothing could be."""
        self._loader.take(message)
        self.show_snapshot()

    def show_snapshot(self) -> None:
        """Show what is known; a new reading changes nothing of it."""
        context, failure = self.context(), self._loader.failure
        if self._loader.value is None:
            said = failure or "counting what was kept"
            self.named("list").show(Listing("What if", number=1, empty=(said,)))
        else:
            self.named("list").show(
                what_if_listing(self._loader.value, self._supposed, self._since, context)
            )
        super().show_snapshot()

    def action_open(self) -> None:
        """Open the session that would have been rotated."""
        row, snapshot = self.named("list").row, self.desk.snapshot
        key = None if row is None else row.value
        views: tuple[SessionView, ...] = () if snapshot is None else snapshot.sessions
        view = next((one for one in views if key and one.key_text == key), None)
        if view is None:
            self.say("this session is no more", Role.WARNING)
        else:
            self.desk.go.session(view)


def what_if_listing(found: Found, asked: Supposed, since: datetime, context: Context) -> Listing:
    """Return the rotations that would have been, the newest first."""
    made, counts = found
    began = figures.moment(since, context.now, context.zone)
    limit = "the settings" if asked.threshold is None else figures.short_kilo(asked.threshold)
    told = f"by {limit} since {began}: {figures.plural(len(made), 'rotation')}"
    if not counts:
        empty = f"nobody can say: no counts were kept since {began}"
    else:
        kept = figures.plural(counts, "count that was kept", "counts that were kept")
        empty = f"no session would have been rotated, by {kept}"
    return Listing(
        title="What if",
        about=f"{context.glyphs.dot} {told}",
        source=figures.plural(counts, "count"),
        columns=_COLUMNS,
        rows=tuple(
            Row(
                key=f"{place}-{one.session_id}",
                cells=(
                    Cell(figures.moment(one.at, context.now, context.zone)),
                    Cell(figures.kilo(one.tokens), Role.STRONG),
                    *(
                        Cell("?" if count is None else str(count), Role.MUTED)
                        for count in (saved.messages, saved.observations)
                    ),
                    Cell(literal(key or "?"), is_id=True),
                ),
                value=key or "",
            )
            for place, (one, key, saved) in reversed(list(enumerate(made)))
        ),
        empty=(empty,),
        fixed=(note(f"  {asked.line}"),),
    )
