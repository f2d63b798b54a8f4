"""Reads text as it was before somebody wrapped it: in base64, or in letters of another width.

Base64 is found by what it decodes to: nothing that is random becomes text by it. A stretch whose
text holds a secret is one secret, for no piece of it can be left out alone.
"""

from __future__ import annotations

import unicodedata
from binascii import a2b_base64
from functools import cache
from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = r"(?<![\w+/-])(?=(?:[A-DI-Za-xz0-8][A-Za-z0-9+/_-]{3}){5})[\w+/-]{20,}={0,2}"
"""The first of four digits tells half of a byte: in text it is none that steers a machine."""

_LINE = 60
"""Characters of the lines that mails and certificates have, at least."""

_MORE = r"(?:\r?\n[ \t]{0,8}[\w+/-]{4,}={0,2})*"
_HEAD = 24
"""Characters that are decoded first; of what is no text, few get further."""

_NO_TEXT = bytes([*range(9), 11, 12, *range(14, 27), *range(28, 32), 127])
_ANOTHER_ALPHABET = bytes.maketrans(b"-_", b"+/")
_OTHER_LETTERS = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]"


def unwrapped(text: str, suspects: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield stretches that are text in base64: where each begins and ends, and its text.

    Args:
        text: Where they are.
        suspects: The words of it that may hold a token, in order.
    """
    find, more = compiled(_RUN).finditer, compiled(_MORE).match
    position = 0
    for word in suspects:
        if compiled(_RUN).search(word) is None:
            continue
        place = text.find(word, position)
        for match in find(text, max(place, position), place + len(word)):
            start, end = match.span()
            if end - start >= _LINE and (lines := more(text, end)) is not None:
                end = lines.end()
            if (found := _decoded(text[start:end])) is not None:
                yield start, end, found
                position = end


def _decoded(run: str) -> str | None:
    if not run.isascii():
        return None
    digits = run.encode().translate(_ANOTHER_ALPHABET, b"\r\n\t =")
    if _text(digits[:_HEAD], "ignore") is None:
        return None
    return _text(digits, "strict")


def _text(digits: bytes, errors: str) -> str | None:
    """Return what digits of base64 say; None when it is no text."""
    whole = digits[: len(digits) - (len(digits) % 4 == 1)]
    content = a2b_base64(whole + b"=" * (-len(whole) % 4))
    coding = "utf-8"
    if not any(content[1::2]):
        coding = "utf-16-le"  # as PowerShell encodes its commands
    elif len(content.translate(None, _NO_TEXT)) != len(content):
        return None
    try:
        return content.decode(coding, errors)
    except UnicodeDecodeError:
        return None


def of_usual_width(text: str) -> str:
    """Return the text, as long as it is, with ASCII for full-width and mathematical letters."""
    if text.isascii() or compiled(_OTHER_LETTERS).search(text) is None:
        return text
    return text.translate(_usual())


@cache
def _usual() -> dict[int, str]:
    """Return what takes their place, and that of the signs between them."""
    codes = (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800))
    usual = {code: unicodedata.normalize("NFKC", chr(code)) for code in codes}
    return {code: one for code, one in usual.items() if one.isascii()}
