"""One folding of text for index and query, so that both mean the same words.

NFKC, case folded, diacritics of the European scripts, Hebrew and Arabic off, Latin letters with a
stroke or hook (ł, ø, đ, ħ, ı) as their base letter, Arabic tatweel off. Scripts that write no
blanks between words (Chinese, Japanese, Korean, Thai and their neighbours) are cut into single
characters and overlapping pairs. SQLite splits the rest into words.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


_MARKS: Final = "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0640\u064b-\u065f\u0670]+"
_SOLID: Final = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u3099-\u309a"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
"""Thai, Lao, Burmese, Khmer, kana, Han, Hangul: no blanks between words, or particles glued on."""

_PICTURES: Final = "\u2600-\u27bf\U0001f000-\U0001faff"
_SIGNS: Final = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u17b6-\u17d3\u3099\u309a"
)
"""Signs around a character of those scripts, which stand for nothing alone."""

_RUN: Final = f"[{_SOLID}]+"
_CUT: Final = f"[{_SOLID}]+|[{_PICTURES}]"
_WORD: Final = f"[{_SOLID}]+|[^\\W_{_SOLID}]+|[{_PICTURES}]"
_CLUSTER: Final = f"[{_SOLID}][{_SIGNS}]*"
_PLAIN_WORD: Final = r"[^\W_]+"
_GIANT_CHARS: Final = 200
_GIANT: Final = rf"[^\s\u0e00-\U0010ffff]{{{_GIANT_CHARS},}}"

_LONGEST_WORD: Final = 64

_LATIN: Final = (range(0xC0, 0x2B0), range(0x1D00, 0x1F00), range(0x2C60, 0x2C80))
_BASE_LETTER: Final = "LATIN SMALL LETTER ([A-Z]) WITH .*"


def fold(text: str) -> str:
    """Return the text in the one form that is compared; line feeds stay where they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", compiled(_MARKS).sub("", text).translate(_base_letters()))


@cache
def _base_letters() -> dict[int, str]:
    """Return Latin letters that Unicode does not decompose, with what people type for them.

    A stroke, hook or bar belongs to the letter, so no normal form takes it off; its name tells.
    """
    found = {"ı": "i", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ŋ": "n"}
    for character in map(chr, chain.from_iterable(_LATIN)):
        named = compiled(_BASE_LETTER).fullmatch(unicodedata.name(character, ""))
        if named is not None and not unicodedata.decomposition(character):
            found[character] = named[1].lower()
    return {ord(character): base for character, base in found.items()}


def words(text: str) -> Iterator[str]:
    """Yield the folded words of a text in order; a run of a solid script is one word.

    Word characters are letters and digits; a picture character is a word of its own.
    """
    text = fold(text)
    pattern = compiled(_PLAIN_WORD) if text.isascii() else compiled(_WORD)
    for match in pattern.finditer(text):
        yield match[0][:_LONGEST_WORD]


def is_solid(word: str) -> bool:
    """Tell whether a word is a run of a script without blanks."""
    return not word.isascii() and compiled(_RUN).match(word) is not None


def index_terms(word: str) -> list[str]:
    """Return the terms that stand for one folded word in the index.

    A word of letters stands for itself. A run of a solid script becomes its characters, then its
    overlapping pairs: `接龙吧` is `接 龙 吧 接龙 龙吧`.
    """
    if word.isascii():
        return [word]
    if is_solid(word):
        clusters = compiled(_CLUSTER).findall(word)
        pairs = [a + b for a, b in pairwise(clusters)]
        return [*clusters, *pairs]
    return [word if word.isalnum() or len(word) > 1 else f"x{ord(word):x}"]


def index_text(text: str) -> str:
    """Return a text as SQLite splits it into the words of the index.

    What is longer than any word, such as base64, is left out.
    """
    if len(text) >= _GIANT_CHARS:  # headings never are
        text = compiled(_GIANT).sub(" ", text)
    text = fold(text)
    if text.isascii():
        return text
    return compiled(_CUT).sub(lambda run: f" {' '.join(index_terms(run[0]))} ", text)


_STOPPED: Final = """
a about after again against all also am an and any are as at be because been before being between
both but by can could did do does down during each few for from had has have he her hers him his how
i if in into is it its itself just ll me more most my no nor not of off on once only or other our
ours out over own re s same she should so some such t than that the their theirs them then there
these they this those to too under until up ve very was we were what when where which while who whom
why will with would you your yours
"""
STOP_WORDS: Final = frozenset(_STOPPED.split())
"""Words of no meaning of their own: with them every query takes six times longer."""
