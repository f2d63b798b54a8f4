"""Masks secrets in text, on every way out, before anything is cut (A11, mission §3).

A secret is found by its own shape (tokens of known vendors, JWT, PEM), by its place (URL, header,
command line) or by the word in front of it. What merely looks odd stays: hashes, UUIDs, paths,
identifiers and the sentence around a secret. Every step looks at a bounded stretch around an
anchor, so that the time grows with the length of the text and with nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.patterns import compiled
from memconsole.domain.private_keys import private_keys
from memconsole.domain.redaction_patterns import (
    CONNECTIVE,
    CREDENTIAL_SHAPES,
    FLAG_GAP,
    LONG_TOKEN,
    NEAR_WORD,
    NEAR_WORD_SMALL,
    OTHER_SMALL,
    PLACEHOLDER,
    REFERENCE,
    SECRET_WORD,
    SECRET_WORD_SMALL,
    SHORTEST,
    TOKEN_SHAPES,
    VALUE,
    WORD_HINTS,
)
from memconsole.domain.redaction_values import Look, is_harmless, is_random

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MASKED = re.compile(r"\[redacted:[a-z-]+\]")
_ROUNDS = 5
"""What a mask uncovers is looked at again; texts settle in the second round."""

_NEAR = 48
"""Characters behind a secret word in which a random-looking token is taken for the secret."""

_LONGEST = 200
"""Characters of such a token that are looked at."""

_BEFORE, _BEHIND = 20, 40
"""Characters around a hint that an announcing word with its end can take."""


class Secret(NamedTuple):
    """One stretch of a text that must not get out.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last one.
        rank: Smaller names win where stretches overlap.
        kind: Word for the placeholder.
    """

    start: int
    end: int
    rank: int
    kind: str


class _Link(NamedTuple):
    """How a value hangs on the word: `is_strict` by a sign, `is_glued` without a blank."""

    end: int
    is_strict: bool
    is_glued: bool


def mask(text: str, *, keeps_lines: bool = False) -> str:
    """Return the text with every secret replaced by `[redacted:<kind>]`.

    Masking what is masked already changes nothing. Call it on the text as it was spoken: cutting
    or escaping first can hide a secret's shape.

    Args:
        text: As it was spoken.
        keeps_lines: Line feeds inside a secret stay behind it, so that lines keep their numbers.
    """
    for _ in range(_ROUNDS):
        secrets = _merged(text)
        if not secrets:
            break
        text = _replaced(text, secrets, keeps_lines=keeps_lines)
    return text


def _replaced(text: str, secrets: list[Secret], *, keeps_lines: bool) -> str:
    parts = []
    position = 0
    for secret in secrets:
        line_feeds = text.count("\n", secret.start, secret.end) if keeps_lines else 0
        parts += [text[position : secret.start], f"[redacted:{secret.kind}]", "\n" * line_feeds]
        position = secret.end
    return "".join([*parts, text[position:]])


def _merged(text: str) -> list[Secret]:
    """Return the secrets in order, overlapping ones joined, those already masked left out."""
    masked = [match.span() for match in _MASKED.finditer(text)]
    joined: list[Secret] = []
    for secret in sorted(_without(masked, _secrets(text))):
        if joined and secret.start < joined[-1].end + (secret.rank == joined[-1].rank):
            last = joined.pop()
            rank, kind = min((last.rank, last.kind), (secret.rank, secret.kind))
            secret = Secret(last.start, max(last.end, secret.end), rank, kind)  # noqa: PLW2901
        joined.append(secret)
    return joined


def _without(masked: list[tuple[int, int]], secrets: Iterator[Secret]) -> Iterator[Secret]:
    """Leave out what touches a placeholder: it is the placeholder, not a secret."""
    if not masked:
        yield from secrets
        return
    spans = iter([*masked, (1 << 62, 1 << 62)])
    start, end = next(spans)
    for secret in sorted(secrets):
        while end <= secret.start:
            start, end = next(spans)
        if secret.end <= start:
            yield secret


def _secrets(text: str) -> Iterator[Secret]:
    for start, end in private_keys(text):
        yield Secret(start, end, 0, "private-key")
    long_words = " ".join([word for word in text.split() if len(word) >= SHORTEST])
    for rank, shape in enumerate((*TOKEN_SHAPES, *CREDENTIAL_SHAPES), start=1):
        if not shape.may_be_in(long_words if rank <= len(TOKEN_SHAPES) else text):
            continue
        if shape.rarity and compiled(shape.rarity).search(long_words) is None:
            continue
        pattern = compiled(shape.pattern)
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            if compiled(PLACEHOLDER).fullmatch(match[group]):
                continue
            if not shape.needs_digit or any(letter.isdigit() for letter in match[group]):
                yield Secret(*match.span(group), rank, shape.kind)
    yield from _all_announced(text, text.lower())


def _all_announced(text: str, lowered: str) -> Iterator[Secret]:
    """Yield what stands behind words that announce a secret."""
    found = [place for hint in WORD_HINTS for place in _places(lowered, hint)]
    if not found:
        return
    if len(lowered) != len(text) or any(letter in text for letter in OTHER_SMALL):
        yield from _announced(text, 0, len(text))  # places, or letters, differ between the two
        return
    for start, end in _stretches([*found, *_places(lowered, "cred")]):
        if _may_announce(text, lowered, start, end):
            yield from _announced(text, start, end)


def _places(lowered: str, hint: str) -> Iterator[int]:
    position = lowered.find(hint)
    while position >= 0:
        yield position
        position = lowered.find(hint, position + len(hint))


def _may_announce(text: str, lowered: str, start: int, end: int) -> bool:
    """Whether it is worth to look at a stretch without regard to case, which is slow."""
    if compiled(SECRET_WORD_SMALL).search(lowered, start, end) is not None:
        return True
    return (
        compiled(NEAR_WORD_SMALL).search(lowered, start, end) is not None
        and compiled(LONG_TOKEN).search(text, start, end + _NEAR + _LONGEST) is not None
    )


def _stretches(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return where a word that announces a secret may stand; patterns look nowhere else."""
    found = ((max(0, place - _BEFORE), place + _BEHIND) for place in places)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _announced(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield what stands behind a word such as `password` or `token` of one stretch."""
    for word in compiled(SECRET_WORD).finditer(text, start, end):
        is_password = word["password"] is not None
        kind = "password" if is_password else "secret"
        if (value := _value_behind(text, word, is_password=is_password)) is not None:
            yield Secret(*value, 1000, kind)
    for word in compiled(NEAR_WORD).finditer(text, start, end):
        behind = word.end() + _NEAR + _LONGEST
        for token in compiled(LONG_TOKEN).finditer(text, word.end(), behind):
            if token.start() > word.end() + _NEAR:
                break
            if is_random(token[0].rstrip(".~")):
                yield Secret(token.start(), token.end(), 1001, "secret")


def _value_behind(text: str, word: re.Match[str], *, is_password: bool) -> tuple[int, int] | None:
    """Return where the announced value is, or None when there is none or it is harmless."""
    link = _link(text, word)
    if link is None or (match := compiled(VALUE).match(text, link.end)) is None:
        return None
    group = match.lastgroup or "bare"
    start = match.start(group)
    value = match[group]
    if group == "bare":
        value = value.rstrip(".,:;!?)]}*_")
    end = start + len(value)
    if not value or compiled(PLACEHOLDER).fullmatch(value) or compiled(REFERENCE).match(value):
        return None
    look = Look(
        is_password=is_password,
        is_strict=link.is_strict,
        is_certain=link.is_glued
        or group != "bare"
        or ("\n" not in text[word.end() : start] and _ends_line(text, end)),
    )
    return None if is_harmless(value, look) else (start, end)


def _link(text: str, word: re.Match[str]) -> _Link | None:
    """Return what ties a value to the word: a sign, a verb, or a flag's blank."""
    if (match := compiled(CONNECTIVE).match(text, word.end())) is not None:
        is_strict = match["sign"] is not None or match["xml"] is not None
        return _Link(match.end(), is_strict, is_glued=not match[0][-1].isspace())
    before = text[max(0, word.start() - 24) : word.start()]
    if before.rpartition(" ")[2].startswith("--") and (
        match := compiled(FLAG_GAP).match(text, word.end())
    ):
        return _Link(match.end(), is_strict=True, is_glued=False)
    return None


def _ends_line(text: str, position: int) -> bool:
    """Whether nothing follows but punctuation, another option or another command."""
    rest = text[position : position + 200].partition("\n")[0]
    return not rest.strip(" \t\r.,;!?)]}*_\"'`") or rest.startswith((" -", " |", " &&"))
