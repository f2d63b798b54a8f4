"""Text of others made safe to show: no control, direction or invisible characters.

What stays are letters, marks, digits, symbols, blanks, line feeds and tabs of every script, and the
joiners and selectors that a script or an emoji needs where they stand. What is invisible could hide
instructions, forge a name or steer a terminal.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled
from memconsole.text.graphemes import ELLIPSIS, cut

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

__all__ = ["ELLIPSIS", "clean", "cut", "one_line"]

# A sequence goes as a whole, or its letters would stay as rubbish such as "[31m".
_SEQUENCES = (
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)
_LINE_ENDS = "\r\n?|[\x0b\x0c\x85\u2028\u2029]"
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb"
)
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_REMOVED = f"{_CONTROLS}{_DIRECTIONS}{_INVISIBLE}{_NO_CHARACTERS}"
# Apart from the others: a class that reaches beyond U+FFFF is looked up many times slower.
_REMOVED_BEYOND = (
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}"
        for plane in range(0x1_0000, 0x11_0000, 0x1_0000)
    )
)
_JOINERS = "[\u200c\u200d]+"
_SELECTORS = "[\ufe00-\ufe0f]+"
_SELECTORS_BEYOND = "[\U000e0100-\U000e01ef]+"
_MONGOLIAN = "[\u180b-\u180f]+"
_TAGS = "[\U000e0000-\U000e007f]+"

_ALWAYS = f"(?:{_SEQUENCES})|({_LINE_ENDS})|[{_REMOVED}]+"
_ALWAYS_BEYOND = f"[{_REMOVED_BEYOND}]+"
_SOMETIMES = f"{_JOINERS}|{_SELECTORS}|{_MONGOLIAN}"
_SOMETIMES_BEYOND = f"{_SOMETIMES}|{_SELECTORS_BEYOND}|{_TAGS}"
_SUSPECT = f"[\x1b\r\x0b\x0c\x85\u2028\u2029\u180b-\u180f\u200c\u200d\ufe00-\ufe0f{_REMOVED}]"
_BEYOND = "[\U00010000-\U0010ffff]"
_ASCII_SUSPECTS = bytes({*range(32), 127} - {*b"\n\t"})

_JOINING_SCRIPTS = (
    range(0x0600, 0x0E00),
    range(0x0F00, 0x10A0),
    range(0x1700, 0x18B0),
    range(0x1900, 0x1D00),
    range(0xA800, 0xAC00),
    range(0xFB50, 0xFE00),
    range(0xFE70, 0xFEFD),
    range(0x10A00, 0x12000),
    range(0x1E900, 0x1E960),
)
_EMOJI = (range(0x2190, 0x2C00), range(0x3030, 0x303E), range(0x1F000, 0x1FB00))
_FLAG_TAGS = "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_BLACK_FLAG = "\U0001f3f4"
_TAG_END = "\U000e007f"
_PICTURE_SELECTOR = "\ufe0f"


def clean(text: str) -> str:
    """Return `text` without what could steer a terminal or deceive a reader.

    Line feeds and tabs stay; every other kind of line end becomes a line feed. Cleaning twice
    changes nothing more.
    """
    if text.isascii():
        plain = text.encode("ascii")
        if len(plain.translate(None, _ASCII_SUSPECTS)) == len(plain):
            return text
        return compiled(_ALWAYS).sub(_line_feed, text)
    is_beyond = compiled(_BEYOND).search(text) is not None
    if not is_beyond and compiled(_SUSPECT).search(text) is None:
        return text
    text = compiled(_ALWAYS).sub(_line_feed, text)
    if is_beyond:
        text = compiled(_ALWAYS_BEYOND).sub("", text)
    return "".join(_kept(text, compiled(_SOMETIMES_BEYOND if is_beyond else _SOMETIMES)))


def one_line(text: str) -> str:
    """Return `clean(text)` with every run of white space as one blank, none at the ends."""
    return " ".join(clean(text).split())


def _line_feed(match: re.Match[str]) -> str:
    return "\n" if match[1] else ""


def _kept(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the pieces of `text`, each joiner or selector only where it has work to do."""
    done = 0
    last = ""
    for match in pattern.finditer(text):
        start, end = match.span()
        if start > done:
            yield text[done:start]
            last = text[start - 1]
        kept = _needed(match[0], last, text[end : end + 1])
        if kept:
            yield kept
            last = kept[-1]
        done = end
    yield text[done:]


def _needed(run: str, before: str, after: str) -> str:
    """Return what of a run of one kind of invisible characters is needed at its place."""
    if not before:
        return ""
    first = run[0]
    if first in "\u200c\u200d":
        return first if _joins(first, before, after) else ""
    if "\u180b" <= first <= "\u180f":
        return first if 0x1800 <= ord(before) < 0x18B0 else ""
    if first <= _TAG_END and first >= "\U000e0000":
        flag = compiled(_FLAG_TAGS).match(run)
        return flag[0] if flag and before == _BLACK_FLAG else ""
    return first if _selects(first, before) else ""


@lru_cache(maxsize=2048)
def _joins(joiner: str, before: str, after: str) -> bool:
    code = ord(before)
    if any(code in script for script in _JOINING_SCRIPTS):
        return True
    is_emoji_before = before in (_PICTURE_SELECTOR, _TAG_END) or _is_emoji(before)
    return joiner == "\u200d" and is_emoji_before and after != "" and _is_emoji(after)


@lru_cache(maxsize=2048)
def _selects(selector: str, before: str) -> bool:
    code = ord(before)
    category = unicodedata.category(before)
    if selector >= "\U000e0100":
        return category == "Lo" and code >= 0x3400
    if selector in "\ufe0e\ufe0f":
        return before in "#*0123456789" or (code >= 0xA9 and category[0] in "SP")
    return code >= 0x1000 and category[0] in "LSM"


def _is_emoji(char: str) -> bool:
    code = ord(char)
    return any(code in span for span in _EMOJI)
