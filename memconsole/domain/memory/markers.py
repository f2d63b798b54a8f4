"""Finds marked lines: `- [DECISION] …`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.text.compiled import compiled
from memconsole.text.fences import hidden_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

_BULLET = r"[\s>]*(?:[-+*]|\d{1,9}[.)])[ \t]+"


def marked_lines(text: str, extra: tuple[str, ...] = ()) -> Iterator[tuple[int, str, str]]:
    r"""Yield (line number from 1, tag, text) of every marked line, in order.

    A marker is one of the eight tags in brackets, in capitals, anywhere in a line. A line counts
    once, under its first tag. Tags in code fences and HTML comments do not count, nor escaped ones
    (`\[DECISION]`): that is how our own files quote a conversation.

    Args:
        text: Markdown with line endings of any kind (`\n`, `\r\n`, `\r`).
        extra: Tags that count beside the eight.
    """
    tag = _tag_of(extra)
    if tag.search(text) is None:
        return
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    line, counted_to, line_end = 1, 0, -1
    for match in _visible(text, tag):
        if match.start() < line_end:
            continue
        line += text.count("\n", counted_to, match.start())
        counted_to = match.start()
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        start = text.rfind("\n", 0, match.start()) + 1
        yield line, match[1], _without_bullet(text[start:line_end])


@lru_cache(maxsize=8)
def _tag_of(extra: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"\[(" + "|".join((*MARKER_TAGS, *map(re.escape, extra))) + r")\]")


def _visible(text: str, tag: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the tags that are neither hidden nor escaped."""
    spans = iter([*hidden_spans(text), (len(text), len(text))])
    hidden_from, hidden_to = next(spans)
    for match in tag.finditer(text):
        while hidden_to <= match.start():
            hidden_from, hidden_to = next(spans)
        if match.start() < hidden_from and not _is_escaped(text, match.start()):
            yield match


def _is_escaped(text: str, position: int) -> bool:
    """Whether an odd number of backslashes stands before `position`."""
    start = position
    while start and text[start - 1] == "\\":
        start -= 1
    return (position - start) % 2 == 1


def _without_bullet(line: str) -> str:
    bullet = compiled(_BULLET).match(line)
    return line[bullet.end() if bullet else 0 :].strip()
