"""Masks secrets in text, on every way out, before anything is cut.

A secret is found by its own shape (tokens of known vendors, JWT, PEM), by its place (URL, header,
command line) or by the word in front of it, in the text as it is and as it was before somebody
escaped it. What merely looks odd stays: hashes, UUIDs, paths, identifiers and the sentence around a
secret. Base64 of a text with a secret is one. Every step looks at a bounded stretch around an
anchor, so that the time grows with the length of the text and with nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.compiled import compiled
from memconsole.text.redaction.announced import announced, small
from memconsole.text.redaction.escapes import of_usual_width, plain, unwrapped
from memconsole.text.redaction.literals import SHORT, Literals
from memconsole.text.redaction.shapes import SHORTEST, hinted_tokens, token_hints
from memconsole.text.redaction.values import is_scrambled, private_keys
from memconsole.text.redaction.words import PLACEHOLDER, by_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.text.redaction.shapes import Hinted, TokenShape

_MASKED = r"\[redacted:[a-z0-9-]+\]"
_LONG = rf"[\w+/=.~:@%-]{{{SHORTEST},}}"
_ORDINARY = r"\W*[A-Z]?[^A-Z0-9]*"
"""Long words that hold neither a digit nor capitals inside are no tokens."""

_FLAG = r" --?[A-Za-z]"

_LINE = 60
"""Characters of a word that is several, such as one line of JSON."""

_AROUND = 400
"""Characters around an escape sequence in which it can hide, or tell, a secret."""

_ROUNDS = 5
"""What a mask uncovers is looked at again; texts settle in the second round."""

_ROW = r"([xX*.#])\1{7}$"
"""How a placeholder such as `ghp_xxxxxxxxxxxx` ends."""

_GLUED_LETTERS, _GLUED_LENGTH = 8, 16
"""Different characters, and characters, of a token that is taken for one inside a word."""

_OFTEN = ("pass", "key", "token", "secret", "code", "cred", "login", "://")
"""Hints that many texts hold."""

_MANY = 50
"""Texts of which it is worth asking together."""

_PLACES_RANK, _WORDS_RANK = 1000, 2000


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


def mask_all(texts: Iterable[str]) -> dict[str, str]:
    """Return what `mask` makes of each of many texts.

    What announces a secret is asked for once in all of them: most of it is in none.
    """
    found = list(dict.fromkeys(texts))
    short = [of_usual_width(one) for one in found if len(one) < SHORT]
    known = _known() if len(short) < _MANY else _known().among(short)
    return {one: _masked(one, known) if len(one) < SHORT else mask(one) for one in found}


def _masked(text: str, known: _Known) -> str:
    secrets = _joined(text, _all(text, known))
    return mask(_replaced(text, secrets, keeps_lines=False)) if secrets else text


def mask(text: str, *, keeps_lines: bool = False) -> str:
    """Return the text with every secret replaced by `[redacted:<kind>]`.

    Masking what is masked already changes nothing. Call it on the text as it was spoken: cutting
    first can hide a secret's shape.

    Args:
        text: As it was spoken.
        keeps_lines: Line feeds inside a secret stay behind it, so that lines keep their numbers.
    """
    for _ in range(_ROUNDS):
        secrets = secrets_in(text)
        if not secrets:
            break
        text = _replaced(text, secrets, keeps_lines=keeps_lines)
    return text


def secrets_in(text: str) -> list[Secret]:
    """Return the secrets of a text in order, overlapping ones joined.

    What is masked already is none.
    """
    return _joined(text, _all(text, _known()))


def _joined(text: str, found: Iterator[Secret]) -> list[Secret]:
    masked = (
        [match.span() for match in compiled(_MASKED).finditer(text)] if "[redacted:" in text else []
    )
    joined: list[Secret] = []
    for secret in sorted(_without(masked, found)):
        if joined and secret.start < joined[-1].end + (secret.rank == joined[-1].rank):
            last = joined.pop()
            rank, kind = min((last.rank, last.kind), (secret.rank, secret.kind))
            secret = Secret(last.start, max(last.end, secret.end), rank, kind)  # noqa: PLW2901
        joined.append(secret)
    return joined


def _replaced(text: str, secrets: list[Secret], *, keeps_lines: bool) -> str:
    parts = []
    position = 0
    for secret in secrets:
        line_feeds = text.count("\n", secret.start, secret.end) if keeps_lines else 0
        parts += [text[position : secret.start], f"[redacted:{secret.kind}]", "\n" * line_feeds]
        position = secret.end
    return "".join([*parts, text[position:]])


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


_MIXED = r"[A-Z][a-z]?[A-Z]"
"""Capitals closer than in words that are written together; behind a digit that is enough."""


class _Hints(NamedTuple):
    """What a text may hold: numbered shapes, and pieces of announcing words."""

    tokens: list[tuple[int, TokenShape]]
    places: list[tuple[int, TokenShape]]
    words: list[str]


def _all(text: str, known: _Known) -> Iterator[Secret]:
    """Yield what the text shows, and what its plain reading shows."""
    text = of_usual_width(text)
    lowered = small(text)
    suspects = _suspects(text)
    hints = _hints(text, lowered, suspects, known)
    yield from _shown(text, lowered, suspects, hints)
    if (reading := plain(text)) is None:
        return
    knows_hints = reading.only_parts()
    for first, last in reading.windows(_AROUND):
        part = reading.text[first:last]
        lowered = small(part)
        suspects = _suspects(part)
        if not knows_hints:
            hints = _hints(part, lowered, suspects, _known())
        for secret in _shown(part, lowered, suspects, hints):
            start, end = reading.span(first + secret.start, first + secret.end)
            yield secret._replace(start=start, end=end)


def _hints(text: str, lowered: str, suspects: list[str], known: _Known) -> _Hints:
    found = known.literals.of(lowered)
    places = known.places.of(found)
    if " -" in text and compiled(_FLAG).search(text) is not None:
        places += known.commands.of(found)
    tokens = hinted_tokens().of(known.tokens().of(" ".join(suspects))) if suspects else []
    return _Hints(tokens, places, [hint for hint in found if hint in by_hint()])


class _Known(NamedTuple):
    """Places and commands, and their hints together with those of announcing words."""

    places: Hinted
    commands: Hinted
    literals: Literals
    tokens: Callable[[], Literals]

    def among(self, texts: list[str]) -> _Known:
        """Return what some of these texts may hold; most of their words are the same."""
        words = dict.fromkeys(" ".join(texts).split(" "))
        lowered = self.literals.among(map(small, words), map(small, texts))
        tokens = self.tokens().among(words, texts)
        return self._replace(literals=lowered, tokens=lambda: tokens)


@cache
def _known() -> _Known:
    from memconsole.text.redaction.places import HINTED_COMMANDS, HINTED_PLACES  # noqa: PLC0415

    hints = (*HINTED_PLACES.hints, *HINTED_COMMANDS.hints, *by_hint())
    return _Known(HINTED_PLACES, HINTED_COMMANDS, Literals(hints, often=_OFTEN), token_hints)


def _shown(text: str, lowered: str, suspects: list[str], hints: _Hints) -> Iterator[Secret]:
    for start, end in private_keys(text):
        yield Secret(start, end, 0, "private-key")
    for start, end, within in unwrapped(text, suspects):
        if secrets := secrets_in(within):
            yield Secret(start, end, secrets[0].rank, secrets[0].kind)
    if hints.tokens:
        yield from _tokens(text, " ".join(suspects), hints.tokens)
    for number, place in hints.places:
        if not place.rarity or compiled(place.rarity).search(text) is not None:
            yield from _matches(text, place, _PLACES_RANK + number)
    for start, end, kind in announced(text, lowered, hints.words, suspects):
        yield Secret(start, end, _WORDS_RANK, kind)


def _tokens(text: str, suspects: str, shapes: list[tuple[int, TokenShape]]) -> Iterator[Secret]:
    for number, shape in shapes:
        if not shape.rarity or compiled(shape.rarity).search(suspects) is not None:
            yield from _matches(text, shape, number + 1)


def _suspects(text: str) -> list[str]:
    """Return what may hold a token: long words with a digit or a capital inside."""
    is_ordinary = compiled(_ORDINARY).fullmatch
    words = [one for one in text.split() if len(one) >= SHORTEST and is_ordinary(one) is None]
    if max(map(len, words), default=0) < _LINE:
        return words
    found: list[str] = []
    for word in words:
        if len(word) < _LINE:
            found.append(word)
        else:
            found += [one for one in compiled(_LONG).findall(word) if is_ordinary(one) is None]
    return found


def _matches(text: str, shape: TokenShape, rank: int) -> Iterator[Secret]:
    pattern = compiled(shape.pattern)
    group = "secret" if "secret" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        value = match[group]
        if group == 0:
            value = value.rstrip(".")  # the sentence's
        if _is_secret(text, match.start(), value, shape):
            start = match.start(group)
            yield Secret(start, start + len(value), rank, shape.kind)


def _is_secret(text: str, start: int, value: str, shape: TokenShape) -> bool:
    if shape.needs_digit and not _is_odd(value):
        return False
    if "(?P<secret>" in shape.pattern:
        return compiled(PLACEHOLDER).fullmatch(value) is None
    return compiled(_ROW).search(value) is None and _stands_alone(text, start, shape, value)


def _stands_alone(text: str, start: int, shape: TokenShape, value: str) -> bool:
    """Whether a token begins here; what is glued to something must look random instead."""
    before = text[start - 1 : start]
    if before and before in shape.edge:
        return False
    if not (before.isascii() and before.isalnum()):
        return True
    if shape.glue is not None:
        further = text[max(0, start - 1 - shape.glue) : start - shape.glue]
        if further.isalnum() or further in ("_", "-"):
            return False
    is_long = len(value) >= _GLUED_LENGTH and len(set(value)) >= _GLUED_LETTERS
    is_random = _is_odd(value) or (before.isdigit() and compiled(_MIXED).search(value) is not None)
    return is_long and (shape.glue is None or is_random)


def _is_odd(value: str) -> bool:
    """Whether it is no word: it holds digits, or capitals all over."""
    return any(map(str.isdigit, value)) or is_scrambled(value)
