r"""Reads text as it was before somebody escaped it, or wrapped it in base64 or wide letters.

An escape sequence is an edge. `\nghp_…`, `%0Aghp_…` and `=3Dghp_…` hold a token that stands
alone, and `password\u003d…` holds a sign; `token\/part` is one value. What is found in the plain
reading is told in offsets of the text as it is.

Base64 is found by what it decodes to: nothing that is random becomes text by it. A stretch whose
text holds a secret is one secret, for no piece of it can be left out alone.
"""

from __future__ import annotations

import re
import unicodedata
from binascii import a2b_base64
from bisect import bisect_right
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


_SEQUENCE = (
    r"[\\%=&\x1b](?:"
    r"(?<=\\)\\{0,7}(?:u(?P<u>[0-9a-fA-F]{4})|U(?P<l>00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})"
    r"|u\{(?P<k>[0-9a-fA-F]{1,5})\}|x(?P<x>[0-9a-fA-F]{2})|(?P<o>[01][0-7]{2})"
    r"|(?P<c>[nrtbfve0\"'/`]))"
    r"|(?<=%)(?P<w>[CDce][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|[Ee][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2})"
    r"|(?<=%)(?:25){0,3}u(?P<m>[0-9a-fA-F]{4})"
    r"|(?<=%)(?:25){0,3}(?P<p>[013-9A-Fa-f][0-9A-Fa-f]|2[0-46-9A-Fa-f])"
    r"|(?<==)(?:(?P<q>[2-7][0-9A-F]|0[9AD])|\r?\n)"
    r"|(?<=&)(?:\#(?P<d>\d{1,5});|\#x(?P<h>[0-9a-fA-F]{1,4});|(?P<n>quot|apos|amp|lt|gt|nbsp);?"
    r"|\#(?P<s>0{0,3}(?:9|1[03]|3[2-9]|4[0-7]|5[89]|6[0-4]))"
    r"|\#x(?P<i>0{0,3}(?:9|[aAdD]|2[0-9a-fA-F]|3[a-fA-F])))"
    r"|(?<=\x1b))"
)
_COLOUR = r"\[[0-?]{0,16}[ -/]{0,4}[@-~]"
"""What steers a terminal, behind the sign that begins it."""

_WORD = 200
"""Characters of a word that a window is not to cut."""

_BETWEEN = frozenset("\n\t\"'`")
"""What stands in no word of the patterns: it parts what the text as it is holds as well."""

_SIGNS = ("\\", "%", "=", "&", "\x1b")
_NAMES = {
    **{"e": "\x1b", "n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " ", "v": " ", "0": " "},
    **{"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">", "nbsp": " "},
}


class Plain(NamedTuple):
    """A text without escape sequences, and where they stood; each is one character here.

    Attributes:
        text: The reading.
        places: Offsets of these characters in it, in order.
        begins: Where each sequence begins in the text as it is.
        ends: Where each ends there.
    """

    text: str
    places: list[int]
    begins: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the reading stands in the text as it is."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, position: int) -> tuple[int, int]:
        """Return where one character of the reading begins and ends there."""
        number = bisect_right(self.places, position) - 1
        if number < 0:
            return position, position + 1
        if self.places[number] == position:
            return self.begins[number], self.ends[number]
        begin = self.ends[number] + position - self.places[number] - 1
        return begin, begin + 1

    def windows(self, around: int) -> Iterator[tuple[int, int]]:
        """Yield the stretches of the reading with sequences in them; they end at blanks if any."""
        first = last = self.places[0]
        for place in self.places:
            if place - last > 2 * (around + _WORD):
                yield self._blank_before(first - around), self._blank_behind(last + around)
                first = place
            last = place
        yield self._blank_before(first - around), self._blank_behind(last + around)

    def only_parts(self) -> bool:
        """Whether no sequence is a letter of a word, or a sign that belongs to one."""
        return {self.text[place] for place in self.places} <= _BETWEEN

    def _blank_before(self, place: int) -> int:
        place = max(place, 0)
        found = self.text.rfind(" ", max(place - _WORD, 0), place)
        return place if found < 0 else found

    def _blank_behind(self, place: int) -> int:
        found = self.text.find(" ", place, place + _WORD)
        return min(place, len(self.text)) if found < 0 else found


def plain(text: str) -> Plain | None:
    """Return the reading of a text; None when nothing in it is escaped.

    A sequence that stands for an ASCII letter or a digit stays: nobody escapes those, and a hash
    or a path holds many that only look like it.
    """
    if not any(sign in text for sign in _SIGNS):
        return None
    parts: list[str] = []
    found = Plain("", [], [], [])
    position = length = 0
    for match in compiled(_SEQUENCE).finditer(text):
        begin, end = match.span()
        letter = _letter(match[0])
        if letter.isascii() and letter.isalnum():
            continue
        if letter == "\x1b":
            colour = compiled(_COLOUR).match(text, end)
            letter, end = " ", end if colour is None else colour.end()
        parts += (text[position:begin], letter)
        length += begin - position
        found.places.append(length)
        found.begins.append(begin)
        found.ends.append(end)
        length += 1
        position = end
    if not parts:
        return None
    return found._replace(text="".join([*parts, text[position:]]))


@lru_cache(maxsize=1024)
def _letter(sequence: str) -> str:
    """Return the one character that a sequence stands for; a blank for one that only steers."""
    match = compiled(_SEQUENCE).fullmatch(sequence)
    kind = None if match is None else match.lastgroup
    if match is None or kind is None:
        return "\x1b" if sequence == "\x1b" else " "
    value = match[kind]
    if kind in ("c", "n"):
        return _NAMES.get(value, value)
    if kind == "w":
        return bytes.fromhex(value.replace("%", "")).decode("utf-8", "replace")[:1]
    number = int(value, {"o": 8, "d": 10, "s": 10}.get(kind, 16))
    letter = chr(number)
    return letter if letter.isprintable() or letter in "\n\t\x1b" else " "


_RUN = r"(?<![\w+/-])(?=(?:[A-DI-Za-xz0-8][A-Za-z0-9+/_-]{3}){5})[\w+/-]{20,}={0,2}"
"""The first of four digits tells half of a byte: in text it is none that steers a machine."""

_DIGITS = r"(?a)[\w+/-]{20,}"
_SAID = rb"[\t\n\r -~]{15,}"
"""A text, where anything else is chance: of random bytes one in three is a letter or a sign."""

_HEXADECIMAL = "[0-9a-f]{32,}|[0-9A-F]{32,}"

_LINE = 60
"""Characters of the lines that mails and certificates have, at least."""

_MORE = r"(?:\r?\n[ \t]{0,8}[\w+/-]{4,}={0,2})*"
_TRIES = 8
"""Lines of one stretch from which it is read as one text."""

_HEAD = 24
"""Characters that are decoded first; of what is no text, few get further."""

_NO_TEXT = bytes([*range(9), 11, 12, *range(14, 27), *range(28, 32), 127])
_ANOTHER_ALPHABET = bytes.maketrans(b"-_", b"+/")
_OTHER_LETTERS = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]"


def unwrapped(text: str, suspects: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield stretches of base64 and hexadecimal that are text: where they begin and end, the text.

    Args:
        text: Where they are.
        suspects: The words of it that may hold a token, in order.
    """
    find = compiled(_RUN).finditer
    position = behind = tries = 0
    has_digits = compiled(_DIGITS).search
    for word in filter(has_digits, suspects):
        place = text.find(word, position)
        if place < 0:  # it stood in a stretch of several lines
            continue
        position = before = place
        for match in find(text, place, place + len(word)):
            start, end = match.span()
            tries = 0 if end > behind else tries + 1
            # Every line of a picture begins a stretch of all lines behind it: few are tried.
            if tries < _TRIES:
                end = _joined(text, start, end)
                behind = max(behind, end)
            if (found := _decoded(text[start:end])) is not None:
                yield start, end, found
                position = end
        if position == before:
            position = place + len(word)
            for start, end, found in _glued(word):
                yield place + start, place + end, found


def _glued(word: str) -> Iterator[tuple[int, int, str]]:
    """Yield stretches of base64 that letters are glued to: they begin at any of four places."""
    for run in compiled(_DIGITS).finditer(word):
        digits = run[0].encode().translate(_ANOTHER_ALPHABET)
        for shift in range(4):
            whole = digits[shift : shift + (len(digits) - shift) // 4 * 4]
            for said in _said().finditer(a2b_base64(whole)):
                start, end = shift + said.start() // 3 * 4, shift + -(-said.end() // 3) * 4
                rest = digits[end:]
                last = end + (len(rest) if len(rest) < 4 else 0)
                yield run.start() + start, run.start() + last, said[0].decode("ascii")


@cache
def _said() -> re.Pattern[bytes]:
    return re.compile(_SAID)


def _joined(text: str, start: int, end: int) -> int:
    """Return where the lines end that go on with a line of digits which may be text."""
    head = text[start : start + _HEAD].encode("ascii", "ignore").translate(_ANOTHER_ALPHABET)
    if end - start < _LINE or _text(head, "ignore") is None:
        return end
    lines = compiled(_MORE).match(text, end)
    return end if lines is None else lines.end()


def _decoded(run: str) -> str | None:
    if not run.isascii():
        return None
    if len(run) % 2 == 0 and compiled(_HEXADECIMAL).fullmatch(run) is not None:
        try:
            said = bytes.fromhex(run).decode()
        except UnicodeDecodeError:  # a digest is hardly ever text
            return None
        return said if said.replace("\n", "").replace("\t", "").isprintable() else None
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
