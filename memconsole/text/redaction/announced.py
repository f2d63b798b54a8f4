"""Finds what stands behind a word such as `password`, behind the name of a vendor, or below a word.

In a table the word stands at the head of a column, and the values in the rows below.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.compiled import compiled
from memconsole.text.redaction.literals import Literals
from memconsole.text.redaction.values import (
    ValueTraits,
    is_chosen,
    is_harmless,
    is_named,
    is_random,
    is_scrambled,
    may_be_named,
)
from memconsole.text.redaction.vendors import NAMED
from memconsole.text.redaction.words import (
    CONNECTIVE,
    FLAG_GAP,
    KNOWN,
    LONG_TOKEN,
    NEAR_HINTS,
    NEAR_HINTS_TOO,
    NEAR_WORD,
    PLACEHOLDER,
    PUBLIC,
    REFERENCE,
    TECHNICAL_WORD,
    VALUE,
    WORD_END,
    by_hint,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from memconsole.text.redaction.words import Word


_NEAR = 48
"""Characters behind a secret word in which a random-looking token is taken for the secret."""

_LONGEST = 200
"""Characters of such a token that are looked at."""

_LONGEST_WORD = 16
"""Characters of the longest word that a token is looked for behind, and of what makes it public."""

_CLOSING = ("key", "token")
"""Hints behind which the word ends: `keyword` and `tokens` announce nothing."""

_BEHIND = 12
"""Characters behind a hint that an announcing word with its end can take."""

_NAME_BEFORE = 48
"""Characters in front of a sign in which a vendor's name is looked for."""

_FULL_WIDTH = "[\uff41-\uff5a]"
_HALF_WIDTH = dict(zip(range(0xFF41, 0xFF5B), range(ord("a"), ord("z") + 1), strict=True))
"""Letters as wide as a Chinese sign, and the same as everybody writes them."""

_MIXED = r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[^ ]{20}"
"""A word that may hold a random token."""

_FLAG = r"(?:^|\s)--?[\w-]*$"

_DIGITS = r"(?:\D*\d){3}"
"""A word that may hold a value with a vendor's name."""

_VALUE = r"[\w+/=.-]{15,}"

_SIGN = 7
"""Characters of the longest sign with what follows it."""

_SIGNED = r"(?:[=:>,]|\|\|)[`'\"\s=]{0,5}(?P<value>[\w+/=.-]{15,})"


_HASH_FIELD = r"hash\\?\"\s?:\s?\\?\"$"
"""How a field of JSON ends that says it is a hash."""


class _Link(NamedTuple):
    """How a value hangs on the word.

    Attributes:
        end: Offset where the value begins.
        is_strict: A sign stands between, not a verb.
        is_glued: And not a blank.
        is_bare: Nothing but a blank stands between.
        is_cell: The value is a field of its own.
    """

    end: int
    is_strict: bool = False
    is_glued: bool = False
    is_bare: bool = False
    is_cell: bool = False


def announced(
    text: str, lowered: str, hints: list[str], suspects: list[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of what words announce.

    Args:
        text: Any text.
        lowered: The same in small letters, as `small` makes them.
        hints: Those of announcing words that may be in it.
        suspects: Its long words that hold digits or capitals.
    """
    known = by_hint()
    for hint in hints:
        position = lowered.find(hint)
        while position >= 0:
            follower = lowered[position + len(hint) : position + len(hint) + 1]
            if hint not in _CLOSING or not follower.isalpha():
                for word in known[hint]:
                    yield from _behind_word(text, lowered, position, word)
            position = lowered.find(hint, position + len(hint))
    if any(map(_may_be_random, suspects)):
        yield from _near_words(text, lowered, suspects)
    if any(map(compiled(_DIGITS).match, suspects)):
        yield from _behind_names(text, lowered, suspects)


def _may_be_random(word: str) -> bool:
    if compiled(_MIXED).match(word) is None:
        return False
    return any(map(str.isdigit, word)) or is_scrambled(word)


def small(text: str) -> str:
    """Return small letters, as many as there are letters."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join([low if len(low := one.lower()) == 1 else one for one in text])
    if lowered.isascii():
        return lowered
    if compiled(_FULL_WIDTH).search(lowered) is not None:
        lowered = lowered.translate(_HALF_WIDTH)
    return lowered.replace("\u017f", "s")


def _behind_word(text: str, lowered: str, place: int, word: Word) -> Iterator[tuple[int, int, str]]:
    pattern = compiled(word.pattern + WORD_END)
    if word.before:
        start = max(0, place - word.before)
        match = pattern.search(lowered, start, place + len(word.hint) + _BEHIND)
    else:
        match = pattern.match(lowered, place)
    if match is None:
        return
    # Of a variable such as SMTP_PASS.
    is_password = word.is_password or text[match.start() - 1 : match.start() + 4] == "_PASS"
    if (value := _value_behind(text, match, is_password=is_password)) is not None:
        yield (*value, "password" if is_password else "secret")
    for start, end in below(text, match.span(), is_password=is_password):
        yield start, end, "password" if is_password else "secret"


def _stretches(text: str, suspects: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield each of the words with where it begins and ends: they are in order."""
    end = 0
    for word in suspects:
        start = text.find(word, end)
        end = start + len(word)
        yield word, start, end


def _near_words(text: str, lowered: str, suspects: list[str]) -> Iterator[tuple[int, int, str]]:
    randoms = [
        token.span()
        for word, start, end in _stretches(text, suspects)
        if _may_be_random(word)
        for token in compiled(LONG_TOKEN).finditer(text, start, end)
        if is_random(token[0].rstrip(".~")) and not _is_known(text, token)
    ]
    if not randoms:
        return
    hints = NEAR_HINTS if text.isascii() else (*NEAR_HINTS, *NEAR_HINTS_TOO)
    for start, end in randoms:
        first = max(0, start - _NEAR - _LONGEST_WORD)
        window = lowered[first:start]
        if not any(hint in window for hint in hints):
            continue
        for word in compiled(NEAR_WORD).finditer(window):
            is_public = compiled(PUBLIC).search(window[max(0, word.start() - 16) : word.start()])
            if is_public is None and first + word.end() >= start - _NEAR:
                yield start, min(end, start + _LONGEST), "secret"
                break


def _is_known(text: str, token: re.Match[str]) -> bool:
    """Whether it is a public key, a picture or the hash of a file."""
    before = text[max(0, token.start() - 12) : token.start()].lower()
    return (
        compiled(KNOWN).match(token[0]) is not None
        or compiled(_HASH_FIELD).search(before) is not None
        or before.endswith(("sha256:", "sha512-", "sha384-", "sha256-", "h1:", "base64,"))
        or "base64" in before[-8:]
    )


def _value_behind(text: str, word: re.Match[str], *, is_password: bool) -> tuple[int, int] | None:
    """Return where the announced value is, or None when there is none or it is harmless."""
    link = _link(text, word)
    if link is None or (match := compiled(VALUE).match(text, link.end)) is None:
        return None
    group = match.lastgroup or "bare"
    start = match.start(group)
    value = match[group]
    if group == "bare":
        value = (value.partition("|")[0] if link.is_cell else value).rstrip(".,:;!?)]}*_")
    end = start + len(value)
    if not value or compiled(PLACEHOLDER).fullmatch(value) or compiled(REFERENCE).match(value):
        return None
    if link.is_bare:
        return (start, end) if is_chosen(value, is_password=is_password) else None
    traits = ValueTraits(
        is_password=is_password,
        is_strict=link.is_strict,
        is_certain=not link.is_cell
        and (
            link.is_glued
            or group != "bare"
            or ("\n" not in text[word.end() : start] and _ends_line(text, end))
        ),
    )
    return None if is_harmless(value, traits) else (start, end)


def _link(text: str, word: re.Match[str]) -> _Link | None:
    """Return what ties a value to the word: a sign, a verb, or a flag's blank."""
    before = text[max(0, word.start() - 24) : word.start()]
    if compiled(_FLAG).search(before) is not None and (
        match := compiled(FLAG_GAP).match(text, word.end())
    ):
        return _Link(match.end(), is_strict=True)
    if (match := compiled(CONNECTIVE).match(text, word.end())) is None:
        return None
    end = match.end()
    if match["sign"] or match["xml"] or match["tag"]:
        return _Link(end, is_strict=True, is_glued=not match[0][-1].isspace())
    if match["cell"]:
        is_cell = before.rstrip(" *_`").endswith("|")
        return _Link(end, is_strict=True, is_cell=True) if is_cell else None
    if match["quoted"] or match["blank"]:
        return _Link(end, is_bare=True)
    return _Link(end)


def _ends_line(text: str, position: int) -> bool:
    """Whether nothing follows but punctuation, another option or another command."""
    rest = text[position : position + 200].partition("\n")[0]
    return not rest.strip(" \t\r.,;!?)]}*_\"'`") or rest.startswith((" -", " |", " &&"))


def _behind_names(text: str, lowered: str, suspects: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield long mixed values that a sign ties to the name of a vendor."""
    found = [
        match
        for word, start, end in _stretches(text, suspects)
        if any(map(may_be_named, compiled(_VALUE).findall(word)))
        for match in compiled(_SIGNED).finditer(text, max(0, start - _SIGN), end)
        if is_named(match["value"]) and not _is_known(text, match)
    ]
    if not found:
        return

    hints = set(_names().of(lowered))
    rules = [rule for rule in NAMED if not hints.isdisjoint(rule[1])]
    for match in found if rules else ():
        yield from _named(text, match, rules)


def _named(
    text: str, match: re.Match[str], rules: list[tuple[str, tuple[str, ...], str, str]]
) -> Iterator[tuple[int, int, str]]:
    before = text[max(0, match.start() - _NAME_BEFORE) : match.start()].rpartition("\n")[2]
    for kind, _, names, shape in rules:
        if compiled(names).search(before) and compiled(shape).fullmatch(match["value"]):
            yield match.start("value"), match.end(), kind
            return


@cache
def _names() -> Literals:
    return Literals({hint: None for rule in NAMED for hint in rule[1]})


_END = r"[ \t*_`\"']{0,40}(?:[|\u2502\u2503]|\r?(?:\n|\Z))"
"""What closes the field of a word that is alone in it."""

_DRESS = " \t\r*_`\"'"
_RULE = r"[ \t>]*[|+:\u2500-\u257f-][ \t|+=:\u2500-\u257f-]*\r?"
"""The line between the head of a table and its rows."""

_FIELD = r"[|\u2502\u2503]"
_WIDEST = 2000
"""Characters of a row that are looked at."""

_ROWS = 100
"""Rows that are looked at."""

_SHORTEST = 6
"""Characters of a value: fewer are a number, or say yes or no."""


def below(text: str, word: tuple[int, int], *, is_password: bool) -> Iterator[tuple[int, int]]:
    """Yield where secrets stand below the word, where it is the head of a column."""
    if (column := _column(text, *word)) is None:
        return
    start = text.find("\n", word[1]) + 1
    traits = ValueTraits(is_password=is_password, is_strict=True, is_certain=False)
    for _ in range(_ROWS if start else 0):
        end = text.find("\n", start, start + _WIDEST)
        row = text[start : end if end >= 0 else start + _WIDEST]
        if compiled(_RULE).fullmatch(row) is None:
            if compiled(_FIELD).search(row) is None:
                return
            first, value = _field(row, column)
            if _is_secret(value, traits):
                yield start + first, start + first + len(value)
        if end < 0:
            return
        start = end + 1


def _field(row: str, number: int) -> tuple[int, str]:
    """Return where the value of a field begins, and the value; a row may have fewer fields."""
    edges = [0, *(one.end() for one in compiled(_FIELD).finditer(row)), len(row) + 1]
    if number + 1 >= len(edges):
        return 0, ""
    field = row[edges[number] : edges[number + 1] - 1]
    value = field.strip(_DRESS)
    return edges[number] + field.find(value), value


def _column(text: str, start: int, end: int) -> int | None:
    """Return the signs in front of the word's field; None when it is no head of a column.

    The head is the first line of its table or stands above a rule. A word in the first field
    above no rule names its row instead.
    """
    if compiled(_END).match(text, end) is None:
        return None
    feed = text.find("\n", end, end + _WIDEST)
    line = text.rfind("\n", max(0, start - _WIDEST), start) + 1
    *before, head = compiled(_FIELD).split(text[line:start])
    if feed < 0 or head.strip(_DRESS):
        return None
    under = text[feed + 1 : feed + 1 + _WIDEST].partition("\n")[0]
    if compiled(_RULE).fullmatch(under) is not None:
        return len(before)
    above = text[max(0, line - _WIDEST) : max(0, line - 1)].rpartition("\n")[2]
    is_first = compiled(_FIELD).search(above) is None
    return len(before) if is_first and len(before) > 1 else None


def _is_secret(value: str, traits: ValueTraits) -> bool:
    return (
        len(value) >= _SHORTEST
        and not any(map(str.isspace, value))
        and all(compiled(one).fullmatch(value) is None for one in (PLACEHOLDER, TECHNICAL_WORD))
        and compiled(REFERENCE).match(value) is None
        and not is_harmless(value, traits)
    )
