r"""Reads text as it was before somebody escaped it: for JSON, an address, a mail or a terminal.

An escape sequence is an edge. `\nghp_…`, `%0Aghp_…` and `=3Dghp_…` hold a token that stands
alone, and `password\u003d…` holds a sign; `token\/part` is one value. What is found in the plain
reading is told in offsets of the text as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
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
