"""One folding of text for index and query, so that both mean the same words (search.md §2).

NFKC, case folded, diacritics of the European scripts, Hebrew and Arabic off. Scripts that write no
blanks between words (Chinese, Japanese, Korean, Thai and their neighbours) are cut into single
characters and overlapping pairs. SQLite splits the rest into words.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from memconsole.domain.patterns import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS: Final = "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670]+"
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
_PLAIN_WORD: Final = re.compile(r"[^\W_]+")
_GIANT_CHARS: Final = 200
_GIANT: Final = rf"[^\s\u0e00-\U0010ffff]{{{_GIANT_CHARS},}}"

_LONGEST_WORD: Final = 64


def fold(text: str) -> str:
    """Return the text in the one form that is compared; line feeds stay where they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", compiled(_MARKS).sub("", text))


def words(text: str) -> Iterator[str]:
    """Yield the folded words of a text in order; a run of a solid script is one word.

    Word characters are letters and digits; a picture character is a word of its own.
    """
    text = fold(text)
    pattern = _PLAIN_WORD if text.isascii() else compiled(_WORD)
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
