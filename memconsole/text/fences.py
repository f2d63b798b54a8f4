r"""Which parts of a Markdown text are code fences or HTML comments (CommonMark 0.31, 4.5 and 4.6).

Fences follow CommonMark, containers included: a fence inside a list item or a quote belongs to it
and ends with it; an unclosed one runs to the end. A comment runs from `<!--` to the next `-->`,
over lines, quotes and fences alike. A `<!--` that nothing closes hides the rest of the text when it
begins a block, as in CommonMark, and is plain text in the middle of a line; so is one that is
escaped (`\<!--`) or quoted in a code span.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from memconsole.text.compiled import compiled

Span: TypeAlias = tuple[int, int]
"""Offsets into the text, the end excluded."""

_QUOTE: Final = -1
"""A container that continues with `>`; other containers are list items, by content indent."""

_MAX_DEPTH: Final = 32
"""Deeper nesting is plain text, so that a hostile line cannot cost quadratic time."""

_FENCE = r"(`{3,})[^`]*$|(~{3,})"
_MARKER = r"([-+*]|\d{1,9}[.)])( +|$)"
_RULE = r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$"
_HEADING = r"#{1,6}(?: |$)"
_UNDERLINE = r"(?:=+|-+) *$"
_COMMENT_TOKEN = r"\\.|`+|<!--"


def hidden_spans(text: str) -> list[Span]:
    r"""Return the spans of code fences and comments, in order and apart from each other.

    Args:
        text: Markdown whose only line ending is `\n`.
    """
    if "```" not in text and "~~~" not in text and "<!--" not in text:
        return []
    return _Scanner(text).scan()


class _Scanner:
    """Walks the lines once, with the open containers and the open fence as its state."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[Span] = []
        self._containers: list[int] = []
        self._is_paragraph = False
        self._is_lazy = False
        self._is_empty_item = False
        self._fence = ""
        self._fence_start = 0
        self._visible_from = 0
        self._has_tabs = "\t" in text
        self._last_closing = text.rfind("-->")

    def scan(self) -> list[Span]:
        start, end = 0, len(self._text)
        while start <= end:
            stop = self._text.find("\n", start)
            stop = end if stop < 0 else stop
            if stop >= self._visible_from:
                self._line(start, stop)
            start = stop + 1
        if self._fence:
            self._spans.append((self._fence_start, end))
        return self._spans

    def _line(self, start: int, stop: int) -> None:
        """Handle one line; the part before `_visible_from` belongs to a comment."""
        if self._visible_from > start:
            self._comments(start, stop, at_block=-1)
            return
        line = self._text[start:stop].rstrip()
        if self._has_tabs and "\t" in line:
            line = line.expandtabs(4)
        column = 0 if self._is_plain(line) else self._block(line, start, stop)
        if column >= 0 and not self._fence and "<!--" in line:
            indent = len(line) - len(line[column:].lstrip(" "))
            self._comments(start, stop, at_block=indent)

    def _is_plain(self, line: str) -> bool:
        """Handle the most frequent kinds of line at little cost; False for all others."""
        if self._fence:
            return not self._containers and self._fence not in line
        if line[:1].isalpha():
            if not self._is_paragraph:
                self._containers.clear()
            self._is_lazy = bool(self._containers)
        elif line[:2] == "- " and line[2:3].isalpha():
            self._containers[:] = (2,)
            self._is_lazy = False
        elif not line and not self._is_empty_item and _QUOTE not in self._containers:
            self._is_paragraph = False
            return True
        else:
            return False
        self._is_paragraph = True
        self._is_empty_item = False
        return True

    def _block(self, line: str, start: int, stop: int) -> int:
        """Follow containers and fences; return the column of plain text, -1 inside a fence."""
        column, matched = self._continue(line)
        if self._fence:
            if matched == len(self._containers):
                self._fenced(line[column:], stop)
                return -1
            self._close_fence(start - 1)
            self._is_paragraph = False
        column = self._open(line, column, matched)
        return -1 if self._leaf(line[column:], start) else column

    def _continue(self, line: str) -> tuple[int, int]:
        """Match the open containers; return the column behind them and how many matched."""
        column = 0
        is_blank = False
        for number, container in enumerate(self._containers):
            rest = line[column:]
            is_blank = not rest.strip()
            indent = len(rest) - len(rest.lstrip(" "))
            if container == _QUOTE:
                if indent > 3 or rest[indent : indent + 1] != ">":
                    return column, number
                column += indent + 1
                column += line[column : column + 1] == " "
            elif is_blank:
                if self._is_empty_item and number == len(self._containers) - 1:
                    return column, number
            elif indent >= container:
                column += container
            else:
                return column, number
        return column, len(self._containers)

    def _open(self, line: str, column: int, matched: int) -> int:
        """Open the containers that begin on this line; return the column of their content."""
        is_lazy = matched < len(self._containers)
        can_continue = self._is_paragraph and not is_lazy
        while True:
            rest = line[column:]
            indent = len(rest) - len(rest.lstrip(" "))
            width, container = _container(rest, indent, can_continue=can_continue)
            if not width or len(self._containers) >= _MAX_DEPTH:
                break
            if is_lazy:
                del self._containers[matched:]
                is_lazy = False
            self._containers.append(container)
            self._is_paragraph = can_continue = False
            column += width
            self._is_empty_item = container != _QUOTE and not line[column:].strip()
            if self._is_empty_item:
                return min(column, len(line))
        if is_lazy and not (self._is_paragraph and _continues(rest, indent)):
            del self._containers[matched:]
            self._is_paragraph = is_lazy = False
        self._is_lazy = is_lazy
        if rest:
            self._is_empty_item = False
        return column

    def _leaf(self, rest: str, start: int) -> bool:
        """Note what the block content of a line is; True when it opens a fence."""
        content = rest.lstrip(" ")
        indent = len(rest) - len(content)
        if not content:
            self._is_paragraph = False
        elif indent > 3:
            pass  # more of a paragraph, or indented code: the state stays
        elif fence := compiled(_FENCE).match(content):
            self._fence = fence[1] or fence[2]
            self._fence_start = start
            self._is_paragraph = False
            return True
        else:
            can_underline = self._is_paragraph and not self._is_lazy
            is_underline = can_underline and compiled(_UNDERLINE).match(content)
            is_other = (
                is_underline or compiled(_HEADING).match(content) or compiled(_RULE).match(content)
            )
            self._is_paragraph = not is_other
        return False

    def _fenced(self, rest: str, stop: int) -> None:
        content = rest.lstrip(" ")
        is_closing = (
            len(rest) - len(content) <= 3
            and len(content) >= len(self._fence)
            and not content.strip(self._fence[0])
        )
        if is_closing:
            self._close_fence(stop)

    def _close_fence(self, end: int) -> None:
        self._spans.append((self._fence_start, end))
        self._fence = ""

    def _comments(self, start: int, stop: int, *, at_block: int) -> None:
        """Hide the comments that begin on this line.

        Args:
            start: Offset of the line.
            stop: Offset of its end.
            at_block: Column where the line's block content begins, -1 when it does not.
        """
        position = max(start, self._visible_from)
        while (opening := self._next_comment(position, stop)) >= 0:
            if self._last_closing >= opening + 2:
                position = self._text.find("-->", opening + 2) + 3
            elif not self._text[start:opening].strip() or opening - start == at_block:
                position = len(self._text) + 1
            else:
                return
            self._spans.append((opening, position))
            self._visible_from = position

    def _next_comment(self, position: int, stop: int) -> int:
        """Return the offset of the next `<!--` that is neither escaped nor code, or -1."""
        while token := compiled(_COMMENT_TOKEN).search(self._text, position, stop):
            if token[0] == "<!--":
                return token.start()
            position = token.end()
            if token[0][0] == "`":
                closing = _closing_ticks(self._text, position, stop, len(token[0]))
                position = position if closing < 0 else closing
        return -1


def _container(rest: str, indent: int, *, can_continue: bool) -> tuple[int, int]:
    """Return (columns to pass, container) when a quote or list item begins here, else (0, 0).

    Args:
        rest: The line from the current column on.
        indent: Its leading blanks.
        can_continue: The line could also go on with an open paragraph.
    """
    if indent > 3:
        return 0, 0
    if rest[indent : indent + 1] == ">":
        width = indent + 1
        return width + (rest[width : width + 1] == " "), _QUOTE
    marker = compiled(_MARKER).match(rest, indent)
    if marker is None or compiled(_RULE).match(rest, indent):
        return 0, 0
    is_empty = marker.end() == len(rest)
    is_numbered = len(marker[1]) > 1 and marker[1][:-1] != "1"
    if can_continue and (is_empty or is_numbered):
        return 0, 0
    padding = len(marker[2])
    width = indent + len(marker[1]) + (1 if is_empty or padding > 4 else padding)
    return width, width


def _continues(rest: str, indent: int) -> bool:
    """Whether a line can go on with a paragraph although its containers ended (lazily)."""
    content = rest[indent:]
    if not content:
        return False
    if indent > 3:
        return True
    return not (
        compiled(_FENCE).match(content)
        or compiled(_RULE).match(content)
        or compiled(_HEADING).match(content)
    )


def _closing_ticks(text: str, position: int, stop: int, length: int) -> int:
    """Return the offset behind the run of exactly `length` backticks, or -1."""
    while (position := text.find("`", position, stop)) >= 0:
        end = position
        while end < stop and text[end] == "`":
            end += 1
        if end - position == length:
            return end
        position = end
    return -1
