"""A memory file rendered into lines: by Rich, in a thread, with nothing in it that could be opened.

Textual's Markdown widget mounts widgets for every block: 16 KB of bullets took nine seconds during
which no key was answered. Rich takes 0.15 s, and none of it on the side of the keys. Links stand
there as text with their address; there are no hyperlinks at all, so none can be followed.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, ImageItem, Markdown, MarkdownElement
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from memconsole.ui.drawing.listing import line_keys, text_row
from memconsole.ui.drawing.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.segment import Segment

    from memconsole.ui.drawing.spans import Row

RENDERED_UP_TO = 256 * 1024
"""Bytes; a larger file stays plain text."""

_ROLE = "role"


def _look(role: Role) -> Style:
    """Return a style that carries a role instead of a colour: colours are the stylesheet's."""
    return Style(meta={_ROLE: role.value})


_THEME = Theme(
    {
        "markdown.strong": _look(Role.STRONG),
        "markdown.em": _look(Role.ACCENT),
        "markdown.emph": _look(Role.ACCENT),
        "markdown.code": _look(Role.OK),
        "markdown.code_block": _look(Role.OK),
        "markdown.block_quote": _look(Role.MUTED),
        "markdown.list": Style(),
        "markdown.item.bullet": _look(Role.MUTED),
        "markdown.item.number": _look(Role.MUTED),
        "markdown.hr": _look(Role.FRAME),
        "markdown.h1.border": _look(Role.FRAME),
        **{f"markdown.h{level}": _look(Role.FOCUSED_TITLE) for level in range(1, 8)},
        "markdown.link": _look(Role.ACCENT),
        "markdown.link_url": _look(Role.MUTED),
        "markdown.s": _look(Role.MUTED),
        "markdown.table.border": _look(Role.FRAME),
        "markdown.table.header": _look(Role.HEADER),
    }
)


class _PlainCode(CodeBlock):
    """Code as it is written: no lexer looks at text of others."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the code, indented."""
        for line in str(self.text).rstrip().split("\n"):
            yield Text(f"  {line}", style=_look(Role.OK))


class _PlainImage(ImageItem):
    """A picture by its name."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its description and where it points."""
        title = self.text.plain or "picture"
        yield Text(f"[{title}: {self.destination}] ", style=_look(Role.MUTED), end="")


class _LeftHeading(Heading):
    """A heading where headings are looked for."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _Document(Markdown):
    """Markdown without lexers, pictures and hyperlinks."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "image": _PlainImage,
    }


def rendered(text: str, width: int) -> tuple[Row, ...]:
    """Return Markdown in rows of at most `width` cells; it takes its time, for a thread.

    Args:
        text: Cleaned and masked.
        width: Cells of a line.
    """
    console = Console(
        width=max(width, 10),
        file=io.StringIO(),
        theme=_THEME,
        color_system=None,
        force_terminal=False,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    lines = console.render_lines(_Document(text, hyperlinks=False), pad=False)
    kept = _trimmed(lines)
    texts = ["".join(part.text for part in line) for line in kept]
    return tuple(
        text_row(key, *_spans(line), value=text.strip())
        for key, line, text in zip(line_keys(texts), kept, texts, strict=True)
    )


def _trimmed(lines: list[list[Segment]]) -> list[list[Segment]]:
    """Leave out blank lines at the end, and one of two that follow each other."""
    kept: list[list[Segment]] = []
    for line in lines:
        is_blank = not "".join(part.text for part in line).strip()
        if is_blank and (not kept or not "".join(part.text for part in kept[-1]).strip()):
            continue
        kept.append(line)
    return kept


def _spans(line: Iterable[Segment]) -> Iterator[Span]:
    for text, style, _ in line:
        if text:
            name = style.meta.get(_ROLE) if style is not None and style.meta else None
            yield Span(text, Role.PLAIN if name is None else Role(name))
