"""Where text may be cut without breaking what a reader sees as one character."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"

_ZWJ = "\u200d"
_LONGEST = 64
"""Code points that one visible character may take; longer ones are cut anywhere."""

_VIRAMA = 9
_HANGUL_LEAD = range(0x1100, 0x1160)
_HANGUL_VOWEL = range(0x1160, 0x11A8)
_HANGUL_TAIL = range(0x11A8, 0x1200)
_HANGUL_SYLLABLE = range(0xAC00, 0xD7A4)
_TAILS_A_SYLLABLE = 28
_FLAGS = range(0x1F1E6, 0x1F200)
_EXTENDING = (
    range(0x200C, 0x200E),
    range(0xFE00, 0xFE10),
    range(0xFF9E, 0xFFA0),
    range(0x1F3FB, 0x1F400),
    range(0xE0020, 0xE0080),
    range(0xE0100, 0xE01F0),
)
_SARA_AM = (0x0E33, 0x0EB3)


def boundary_before(text: str, index: int) -> int:
    """Return the last place at or before `index` where `text` may be cut.

    Args:
        text: Any text.
        index: A place in it, 0 to `len(text)`.
    """
    lowest = max(0, index - _LONGEST)
    place = index
    while place > lowest:
        if _may_cut(text, place):
            return place
        place -= 1
    return 0 if lowest == 0 else index


def cut(text: str, width: int) -> str:
    """Return `text`, or its beginning and `…`, in at most `width` characters (code points)."""
    if len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: boundary_before(text, width - 1)].rstrip() + ELLIPSIS


def cut_middle(text: str, width: int) -> str:
    """Return `text`, or its beginning and end around `…`, in at most `width` code points.

    Names and ids differ at both ends, so both ends stay.
    """
    room = width - len(ELLIPSIS)
    if len(text) <= width or room < 2:
        return cut(text, width)
    if text.isascii() and "\r" not in text:  # each letter stands alone
        return text[: room - room // 2] + ELLIPSIS + text[-(room // 2) :]
    start = len(text) - room // 2
    while start < len(text) and not _may_cut(text, start):
        start += 1
    head = boundary_before(text, room - (len(text) - start))
    return text[:head] + ELLIPSIS + text[start:]


def _may_cut(text: str, place: int) -> bool:
    if place in (0, len(text)):
        return True
    before, after = text[place - 1], text[place]
    if after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZWJ:
        return False
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return False
    if ord(after) in _FLAGS:
        return _flags_before(text, place) % 2 == 0
    return not _is_one_syllable(ord(before), ord(after))


def _extends(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char)[0] == "M"
        or code in _SARA_AM
        or any(code in span for span in _EXTENDING)
    )


def _flags_before(text: str, place: int) -> int:
    count = 0
    while count < place and count <= _LONGEST and ord(text[place - count - 1]) in _FLAGS:
        count += 1
    return count


def _is_one_syllable(before: int, after: int) -> bool:
    if before in _HANGUL_LEAD:
        return after in _HANGUL_LEAD or after in _HANGUL_VOWEL or after in _HANGUL_SYLLABLE
    if before in _HANGUL_VOWEL or _is_open(before):
        return after in _HANGUL_VOWEL or after in _HANGUL_TAIL
    return (before in _HANGUL_TAIL or before in _HANGUL_SYLLABLE) and after in _HANGUL_TAIL


def _is_open(code: int) -> bool:
    return code in _HANGUL_SYLLABLE and (code - _HANGUL_SYLLABLE.start) % _TAILS_A_SYLLABLE == 0
