"""Finds PEM and PGP private keys in text, on lines, on one line or in a JSON string (A11)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PEM = re.compile(r"-{4,5} ?(?P<edge>BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_PEM_HEADER = re.compile(r"(?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}(?=\n|\\n)){0,4}")
_PEM_BODY = re.compile(r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{12,})*")
_PEM_REST = re.compile(r"(?:\s|\\[nr])*[A-Za-z0-9+/=]{1,11}(?:\s|\\[nr])*(?=-----|$)")
_PEM_LETTERS = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\ \r\n\t"
)


def private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield where private keys stand, also those whose beginning or end was cut off.

    Two stretches that touch are one key. Marks without a key between them are only mentioned.
    """
    if "PRIVATE KEY" not in text:
        return
    reached = 0
    for marker in _PEM.finditer(text):
        if marker["edge"] == "BEGIN":
            position = _behind(_PEM_HEADER, text, marker.end())
            position = _behind(_PEM_BODY, text, position)
            reached = _behind(_PEM_REST, text, position)
            if reached > marker.end():
                yield marker.start(), reached
        else:
            start = _key_start(text, marker.start(), reached)
            is_open = reached > 0 and not text[reached:start].strip(" \\nr\r\n\t")
            if is_open or start < marker.start():
                yield (reached if is_open else start), marker.end()
            reached = marker.end()


def _behind(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _key_start(text: str, end: int, limit: int) -> int:
    """Walk back from an END line over base64; stop at words that are too short to be key lines."""
    position = start = end
    while position > limit and text[position - 1] in _PEM_LETTERS:
        position -= 1
    for match in re.finditer(r"[A-Za-z0-9+/=]{12,}", text[position:end]):
        start = position + match.start()
        break
    return start
