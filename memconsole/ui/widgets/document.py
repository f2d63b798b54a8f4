"""A memory file, rendered; nothing in it can be clicked, and no link is ever followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Markdown

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.content import Content


class Document(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Scrolls Textual's Markdown; its text was cleaned and masked before it came here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False, id="up", tooltip="One line up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="down", tooltip="One line down"),
        Binding("pageup", "page_up", "Page up", show=False, id="page-up", tooltip="One page up"),
        Binding(
            "pagedown",
            "page_down",
            "Page down",
            show=False,
            id="page-down",
            tooltip="One page down",
        ),
        Binding("g,home", "scroll_home", "First", show=False, id="first", tooltip="To the start"),
        Binding("G,end", "scroll_end", "Last", show=False, id="last", tooltip="To the end"),
    ]

    def compose(self) -> ComposeResult:
        """Yield the text."""
        yield Markdown(open_links=False)

    async def show(self, text: str, title: Content) -> None:
        """Render another text from its beginning."""
        self.border_title = title  # type: ignore[assignment]  # its setter takes Content
        await self.query_one(Markdown).update(text)
        self.scroll_home(animate=False)
