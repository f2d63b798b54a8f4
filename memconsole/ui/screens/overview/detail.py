"""One line about the row under the cursor, for terminals with room for one list only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.snapshot.wording import why_suspect
from memconsole.text import figures
from memconsole.ui.drawing.names import full_name, state_word
from memconsole.ui.drawing.spans import Role, Span

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line, Row


def detail_line(view: SessionView | None, row: Row | None, context: Context) -> Line:
    """Return what is known about a session, or the value of another row."""
    if view is None:
        return (Span(f" {row.value}" if row is not None else "", Role.MUTED),)
    due_at = None if view.growth is None else view.growth.due_at
    parts = [
        full_name(view),
        f"{figures.kilo(view.tokens)} of {figures.short_kilo(view.threshold)}",
        why_suspect(view) if view.count.state is TokenState.SUSPECT else state_word(view),
        f"window {figures.percent(view.percent_of_window)}",
    ]
    if due_at is not None and not view.is_due:
        parts.append(f"due in {figures.until(due_at - context.now)}")
    text = f" {context.glyphs.dot} ".join(part for part in parts if part)
    return (Span(f" {text}", Role.DUE if view.is_due else Role.MUTED),)
