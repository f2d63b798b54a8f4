"""Names a session by its most telling words: TF-IDF, no model."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from memconsole.text.folding import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_WORDS = 4
MOST_CHARS = 40

_WORD = re.compile(r"[^\W\d_][\w-]{2,24}")
_SAID_ANYWHERE = """
    also anything can cannot could did does done don get going good got great hello help here hey hi
    just know let like look make maybe need now okay one please really right see something still
    sure tell thank thanks thing things think today tomorrow try use using want way well will would
    yes yesterday
    aber auch auf aus bei bitte das dem den der des die dies ein eine einen einer eines fur hat ich
    ist kann mit nach nicht noch nur oder sind und von was wenn wie wir zum zur
    com como das dos este esta isso mais mas mim nao nos para por que sao sem ser seu sua uma
    con del dos ese las los pero por que ser sin una
    avec ces dans des est les mais pas pour que qui sur une vous
"""
_EMPTY_WORDS = STOP_WORDS | frozenset(_SAID_ANYWHERE.split())


def slug(texts: Iterable[str], documents: Mapping[str, int], total: int) -> str | None:
    """Return up to four telling words joined by hyphens, lower-case ASCII; None without any.

    Args:
        texts: What the user said.
        documents: In how many files of the memory pool a word of `words_of` occurs.
        total: Files of the pool.
    """
    said: Counter[str] = Counter(word for text in texts for word in words_of(text))
    first = {word: place for place, word in enumerate(said)}

    def weight(word: str) -> float:
        idf = math.log((1 + total) / (1 + documents.get(word, 0))) + 1
        return (1 + math.log(said[word])) * idf

    ranked = sorted(said, key=lambda word: (-weight(word), first[word]))[:MOST_WORDS]
    name = ""
    for word in sorted(ranked, key=first.__getitem__):
        longer = f"{name}-{word}" if name else word
        if len(longer) <= MOST_CHARS:
            name = longer
    return name or None


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that may name it: ASCII, lower-case, no stop words."""
    said = (part for part in text.split() if "/" not in part)
    found = (_ascii(match[0]) for part in said for match in _WORD.finditer(part))
    return tuple(word for word in found if len(word) > 2 and word not in _EMPTY_WORDS)


def _ascii(word: str) -> str:
    """Return a word without accents; empty when letters of other scripts would be lost."""
    plain = unicodedata.normalize("NFKD", word).casefold()  # capitals of mathematics too
    kept = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return kept.strip("-_").replace("_", "-") if kept.isascii() else ""
