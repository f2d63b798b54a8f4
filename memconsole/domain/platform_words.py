"""How the platform's own search reads the words of a query (`platform_profile` says when).

All words at once, joined with AND; then, in newer releases, the ones that mean something one by
one. What a chunk then counts is BM25, lifted in the newest by how many of the words are there.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.platform_stop_words import (
    KOREAN_PARTICLES,
    KOREAN_STOP_WORDS,
    STOP_WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.platform_profile import Profile

MOST_TERMS: Final = 6
TRIGRAM: Final = "trigram"
_SHORTEST_TRIGRAM: Final = 3

_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = re.compile(r"[a-zA-Z]+")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_HANGUL: Final = re.compile(r"[\uac00-\ud7af\u3131-\u3163]")
_SYLLABLE: Final = re.compile(r"[\uac00-\ud7af]")
_JAPANESE_PARTS: Final = re.compile(
    r"[a-z0-9_]+|[\u30a0-\u30ffー]+|[\u4e00-\u9fff]+|[\u3040-\u309f]{2,}"
)
_STEM: Final = re.compile(r"[a-z0-9_]+", re.IGNORECASE)
_LENGTH_SHARE, _PATH_SHARE, _WORDS_SHARE, _DENSITY_SHARE = 0.18, 0.18, 0.45, 0.2
_FULL_LENGTH: Final = 160
_SHORT_WORD: Final = 3


class Plan(NamedTuple):
    """What is asked of the index for one text.

    Attributes:
        text: The query, or one of its words.
        match: The FTS5 expression; None when no word is long enough for it.
        contains: What the text must hold besides (trigram indexes and words of one or two letters).
    """

    text: str
    match: str | None
    contains: tuple[str, ...] = ()


def plan(profile: Profile, text: str, tokenizer: str = "") -> Plan | None:
    """Return how a text is looked for; None when it has no word.

    Args:
        profile: The rules.
        text: Query or term.
        tokenizer: Of the index; empty is the usual one.
    """
    found = (_ASCII_WORD if profile.is_ascii else _WORD).findall(text)
    if not found:
        return None
    if tokenizer != TRIGRAM:
        return Plan(text, _all_of(found))
    long = [word for word in found if len(word) >= _SHORTEST_TRIGRAM]
    short = tuple(word for word in found if len(word) < _SHORTEST_TRIGRAM)
    return Plan(text, _all_of(long) if long else None, short)


def _all_of(words: list[str]) -> str:
    return " AND ".join(f'"{word}"' for word in words)


def read_words(profile: Profile, text: str) -> tuple[str, ...]:
    """Return the words of a text as the platform reads them, each once, lower-cased."""
    found = (_ASCII_WORD if profile.is_ascii else _WORD).findall(text)
    return tuple(dict.fromkeys(word.lower() for word in found))


def terms(query: str, tokenizer: str = "") -> tuple[str, ...]:
    """Return the words that are looked for one by one, at most six."""
    whole = query.strip().lower()
    found = dict.fromkeys(
        token for token in _tokens(query, tokenizer) if token not in STOP_WORDS and _means(token)
    )
    return tuple(token for token in found if token != whole)[:MOST_TERMS]


def _means(token: str) -> bool:
    """Whether a word says something: no number, no letter or two, no signs."""
    if _LETTERS.fullmatch(token) and len(token) < _SHORT_WORD:
        return False
    if token.isascii() and token.isdigit():
        return False
    return not all(unicodedata.category(one)[0] in "PS" for one in token)


def _tokens(query: str, tokenizer: str) -> Iterator[str]:
    for segment in _segments(query.strip().lower()):
        if _KANA.search(segment):
            yield from _japanese(segment, tokenizer)
        elif _HAN.search(segment):
            yield from _han("".join(_HAN.findall(segment)), tokenizer)
        elif _HANGUL.search(segment):
            yield from _korean(segment)
        else:
            yield segment


def _segments(text: str) -> list[str]:
    """Cut a text at blanks and punctuation; `_` is punctuation here."""
    cut = (" " if unicodedata.category(one)[0] == "P" else one for one in text)
    return "".join(cut).split()


def _japanese(segment: str, tokenizer: str) -> Iterator[str]:
    for part in _JAPANESE_PARTS.findall(segment):
        yield part
        if tokenizer != TRIGRAM and _HAN.match(part):
            yield from _pairs(part)


def _han(block: str, tokenizer: str) -> Iterator[str]:
    if tokenizer == TRIGRAM:
        yield block
        return
    yield from block
    yield from _pairs(block)


def _pairs(block: str) -> Iterator[str]:
    return (block[at : at + 2] for at in range(len(block) - 1))


def _korean(segment: str) -> Iterator[str]:
    stem = next(
        (segment[: -len(end)] for end in KOREAN_PARTICLES if segment.endswith(end)),
        None,
    )
    is_stopped = segment in KOREAN_STOP_WORDS or stem in KOREAN_STOP_WORDS
    if not is_stopped:
        yield segment
    if stem and stem not in KOREAN_STOP_WORDS and _is_useful(stem):
        yield stem


def _is_useful(stem: str) -> bool:
    return len(stem) > 1 if _SYLLABLE.search(stem) else bool(_STEM.fullmatch(stem))


def graded(rank: float | None, profile: Profile) -> float:
    """Return what SQLite's BM25 counts, 0 to 1; it is negative, and more so for better matches.

    Args:
        rank: None when the words were only compared letter by letter.
        profile: The rules.
    """
    if rank is None:
        return 0.0 if profile.is_lifted else 1.0
    if profile.is_flat or rank >= 0:
        return 1.0 / (1.0 + max(0.0, rank))
    return -rank / (1.0 - rank)


def lifted(query: str, path: str, text: str, score: float) -> float:
    """Return what a chunk's words count when it is also asked how many of them are there."""
    wanted = dict.fromkeys(_words(query))
    if not wanted:
        return score
    there = set(_words(text))
    common = sum(word in there for word in wanted)
    name = unicodedata.normalize("NFC", path).lower()
    lift = _WORDS_SHARE * common / len(wanted)
    lift += _DENSITY_SHARE * common / max(1, len(there))
    lift += _PATH_SHARE * sum(word in name for word in wanted)
    lift += min(len(text.encode("utf-16-le")) / 2 / _FULL_LENGTH, _LENGTH_SHARE)
    return min(1.0, score + lift)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def path_likeness(query: str, path: str) -> int:
    """Return how much a query is the name of a file: 3 its path, 2 its name, 1 without ending."""
    wanted, name = _name(query), _name(path)
    if not wanted or wanted == ".":
        return 0
    if wanted == name:
        return 3
    if "/" in wanted:
        return 0
    base = name.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    return 2 if wanted == base else int(wanted == stem)


def _name(text: str) -> str:
    plain = text.strip().replace("\\", "/").removeprefix("./")
    return unicodedata.normalize("NFC", plain).lower()
