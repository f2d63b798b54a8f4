"""The search panel: a query line of its own, and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from memconsole.ui.rows.search import Target, find, search_listing, targets
from memconsole.ui.spans import Role, Span
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.widgets import Input

    from memconsole.domain.snapshot import ConsoleSnapshot
    from memconsole.ui.rows.context import Context
    from memconsole.ui.spans import Line


class SearchPane(Pane, inherit_bindings=True):
    """Finds sessions and files by name; the query survives every refresh."""

    query_text: str = ""
    _snapshot: ConsoleSnapshot | None = None
    _circumstances: Context | None = None
    _known: tuple[Target, ...] = ()

    def show_snapshot(self, snapshot: ConsoleSnapshot, context: Context) -> None:
        """Search again in what is known now."""
        if snapshot is not self._snapshot:
            self._known = targets(snapshot, context)
        self._snapshot, self._circumstances = snapshot, context
        self._show()

    def _show(self) -> None:
        if self._snapshot is None or self._circumstances is None:
            return
        hits = find(self.query_text, self._known) if self.query_text.strip() else ()
        prompt: Line = ()
        if self.is_typing or self.query_text:
            prompt = (Span("> ", Role.ACCENT), Span(self.query_text, Role.STRONG))
        self.show(
            search_listing(
                self._snapshot,
                self._circumstances,
                query=self.query_text,
                hits=hits,
                count=len(self._known),
                prompt=prompt,
            )
        )

    @property
    def is_typing(self) -> bool:
        """Whether the query line has the keys."""
        return bool(self.query("#query"))

    def open_input(self) -> None:
        """Give the query line the keys."""
        if not self.is_typing:
            field = LineInput("query", value=self.query_text, placeholder="a name, or part of it")
            self.mount(field)
            field.focus()
            self._show()

    def clear_query(self) -> None:
        """Forget the query and what it found."""
        self.query_text = ""
        self._show()
        if self.is_typing:
            self.close_input()

    def close_input(self) -> None:
        """Give the results the keys."""
        self.query("#query").remove()
        self.focus()
        self.call_after_refresh(self._show)

    @on(LineInput.Changed, "#query")
    def query_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self.query_text = event.value
        self._show()
        self.action_first()

    @on(LineInput.Submitted, "#query")
    def query_done(self, event: Input.Submitted) -> None:
        """Go on to the results."""
        event.stop()
        self.close_input()
