"""How many words and tokens a text takes: one estimate for every figure that has no better source.

A token is about four characters of Latin script, two of another alphabet, and one of Chinese,
Japanese or Korean, whose words have no blanks between them.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from memconsole.text.compiled import compiled

_COMMENT: Final = r"(?s)<!--.*?-->"
_ASCII: Final = bytes(range(0x80))
_SOLID: Final = (
    range(0x2E80, 0xA4D0),
    range(0xAC00, 0xD7B0),
    range(0xF900, 0xFB00),
    range(0xFF00, 0xFFF0),
    range(0x20000, 0x40000),
)
_OTHER: Final = range(0x370, 0x1E00)
_CHARS: Final = 4
"""Characters of Latin script that make a token."""


def readable(text: str) -> str:
    """Return a text without its HTML comments: the metadata in them is nobody's to read."""
    if "<!--" not in text:
        return text
    # Behind the last end nothing is looked for: each beginning would be followed to the end.
    end = text.rfind("-->") + len("-->")
    return f"{compiled(_COMMENT).sub('', text[:end])}{text[end:]}" if end >= len("-->") else text


def words_in(text: str) -> int:
    """Return the words of a text, its HTML comments left out."""
    return len(readable(text).split())


def tokens_in(text: str) -> int:
    """Return the estimated tokens of a text, its HTML comments left out."""
    return tokens_of_characters(readable(text))


def tokens_of_characters(text: str) -> int:
    """Return the same of a text that holds no comments, or whose comments are read as well."""
    if text.isascii():
        return len(text) // _CHARS
    solid = other = 0
    # A pattern of these ranges takes milliseconds to compile, at each start.
    foreign = text.encode("utf-8", "surrogatepass").translate(None, delete=_ASCII)
    for letter, count in Counter(foreign.decode("utf-8", "surrogatepass")).items():
        place = ord(letter)
        if place in _OTHER:
            other += count
        elif any(place in one for one in _SOLID):
            solid += count
    return solid + (2 * other + len(text) - solid - other) // _CHARS


def exceeds(text: str, words: int) -> bool:
    """Whether a text has more words than a limit, or as many tokens as those would make.

    What is written without blanks has few words however long it is.
    """
    return words_in(text) > words or tokens_in(text) > tokens_for(words)


def tokens_for(words: int) -> int:
    """Return how many tokens so many words make."""
    return words * 4 // 3


def tokens_in_bytes(size_bytes: int) -> int:
    """Return the estimate where nothing but the size is known."""
    return size_bytes // _CHARS
