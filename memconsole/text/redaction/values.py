"""Whether a value behind an announcing word is a secret, or only looks odd.

Finds PEM and PGP private keys in text, on lines, on one line or in a JSON string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.compiled import compiled
from memconsole.text.redaction.words import TECHNICAL_WORD

if TYPE_CHECKING:
    from collections.abc import Iterator


_HEX = r"[0-9a-fA-F-]+"
_PATH = r"(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)*/?"
_KEY_PART = r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[\w+]*\d[\w+]*[A-Za-z][\w+]*$(?<=.{8})"
"""A piece between slashes with digits inside, as no folder is called."""

_BASE64_KEY = r"[A-Za-z0-9+/]{32,}={0,2}"


class ValueTraits(NamedTuple):
    """What is known about a value beside its letters.

    Attributes:
        is_password: The word announces a password: people choose those freely.
        is_strict: A sign stands between word and value, not a verb.
        is_certain: Nothing but the value can follow: quotes, no blank, or the end of the line.
    """

    is_password: bool
    is_strict: bool
    is_certain: bool


def is_harmless(value: str, traits: ValueTraits) -> bool:
    """Judge a value by its form and by what announced it."""
    if _is_path(value):
        return True
    if traits.is_password and traits.is_strict:
        return not (traits.is_certain or _is_odd(value))
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if traits.is_strict:
        return len(value) < 8 or not (is_mixed or _has_key_letters(value) or is_scrambled(value))
    is_long = len(value) >= (6 if traits.is_password else 12)
    return (
        not (is_long and (is_mixed or is_scrambled(value)))
        or re.fullmatch(TECHNICAL_WORD, value) is not None
    )


def is_chosen(value: str, *, is_password: bool) -> bool:
    """Whether it is a secret although nothing but a blank ties it to the word."""
    if not is_password or len(value) < 8 or compiled(_HEX).fullmatch(value) or _is_path(value):
        return is_random(value)
    return set("012") <= set(_kinds(value)) and re.fullmatch(TECHNICAL_WORD, value) is None


def may_be_named(value: str) -> bool:
    """Whether a part of it can be mixed enough to be a key behind a vendor's name."""
    return (
        len(set(value)) >= 10
        and compiled(_HEX).fullmatch(value) is None
        and sum(map(str.isdigit, value)) >= 3
    )


def is_named(value: str) -> bool:
    """Whether it is mixed enough to be a key behind a vendor's name: no hash, no word."""
    return may_be_named(value) and _kinds(value).count("3") <= 3 and not _is_path(value)


def _is_odd(value: str) -> bool:
    """Whether it is no plain word: digits, symbols or capitals inside."""
    is_word = value.replace("-", "").replace("'", "").isalpha()
    return not is_word or any(map(str.isupper, value[1:]))


def is_scrambled(value: str) -> bool:
    """Whether capitals stand in it as nobody writes them: no word, and no words run together."""
    if len(value) < 16:
        return False
    kinds = _kinds(value)
    share = kinds.count("1") / len(value)
    return 0.25 <= share <= 0.75 and len(compiled(_RUNS).findall(kinds)) > 0.33 * len(value)


def _has_key_letters(value: str) -> bool:
    """Whether it is long and holds letters that identifiers and words do not have."""
    return len(value) >= 16 and any(letter in "+/=!$%^&*" for letter in value)


def _is_path(value: str) -> bool:
    """Whether it names a file or folder: at least one slash, and nothing looks like a key."""
    if "/" not in value or not compiled(_PATH).fullmatch(value) or len(value) > 400:
        return False
    if compiled(_BASE64_KEY).fullmatch(value) and is_random(value):
        return False
    return not any(is_random(part) or compiled(_KEY_PART).match(part) for part in value.split("/"))


def is_random(value: str) -> bool:
    """Whether a token is mixed like a key: not hex, not a UUID, not a path, not camelCase."""
    if len(value) < 20 or compiled(_HEX).fullmatch(value):
        return False
    kinds = _kinds(value)
    if "1" not in kinds or "2" not in kinds or ("/" in value and "." in value):
        return False
    if kinds.count("0") < 2:
        return is_scrambled(value)
    return len(compiled(_RUNS).findall(kinds)) > 0.4 * len(value)


def _kinds(value: str) -> str:
    """Return a digit a letter: 0 for a digit, 1 for a capital, 2 for a small one, else 3."""
    if value.isascii():
        return value.translate(_KINDS)
    return "".join([_letter_kind(letter) for letter in value])


def _letter_kind(letter: str) -> str:
    if letter.isdigit():
        return "0"
    if letter.isupper():
        return "1"
    return "2" if letter.isalpha() else "3"


_KINDS = {number: _letter_kind(chr(number)) for number in range(128)}
_RUNS = "0+|1+|2+|3+"


_PEM = r"-{4,5} ?(?P<edge>BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PEM_HEADER = r"(?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}(?=\n|\\n)){0,4}"
_PEM_BODY = r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{12,})*"
_PEM_REST = r"(?:\s|\\[nr])*[A-Za-z0-9+/=]{1,11}(?:\s|\\[nr])*(?=-----|$)"
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
    for marker in compiled(_PEM).finditer(text):
        if marker["edge"] == "BEGIN":
            position = _behind(compiled(_PEM_HEADER), text, marker.end())
            position = _behind(compiled(_PEM_BODY), text, position)
            reached = _behind(compiled(_PEM_REST), text, position)
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
