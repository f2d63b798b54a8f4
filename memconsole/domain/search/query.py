"""Reads what was asked: its words, and where in a text they stand.

Nothing that somebody types is an error. What is shown of a hit is cut around the match.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memconsole.domain.search.languages import usual_words
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.folding import STOP_WORDS, fold, index_terms, is_solid, words
from memconsole.text.graphemes import boundary_before
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

SNIPPET_CHARS: Final = 700
_MOST_CHARS: Final = 10_000

_MOST_WORDS: Final = 48

_PREFIX_LEAST: Final = 2

_WORD: Final = r"\w+"

_ENDINGS: Final = (
    "ingly",
    "edly",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "ed",
    "er",
    "es",
    "ly",
    "s",
    "e",
    "y",
)


@dataclass(frozen=True, slots=True)
class Query:
    """One query as it is looked for.

    Attributes:
        text: What was typed, on one line.
        words: Folded words to look for, each once; without stop words unless there are no others.
        prefix: The last word when it may be unfinished: longer words count as well.
    """

    text: str
    words: tuple[str, ...]
    prefix: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked."""
        return not self.text

    def literals(self) -> tuple[str, ...]:
        """Return FTS5 expressions of a word each, any of which may occur."""
        terms = [f'"{term}"' for word in self.words for term in index_terms(word)]
        return tuple(dict.fromkeys([*terms, self.beginning] if self.beginning else terms))

    def known(self, count: Callable[[str], int]) -> frozenset[str]:
        """Return the words that occur in an index.

        Args:
            count: Returns in how many of its chunks an FTS5 expression of one word is.
        """
        return frozenset(
            word for word in self.words if any(count(one) for one in self.telling(word))
        )

    def spoken(self, count: Callable[[str], int], chunks: int) -> float:
        """Return the share of an index's chunks that are in the language of the query.

        Args:
            count: Returns in how many of its chunks an FTS5 expression of one word is.
            chunks: How many it has.
        """
        most = max(map(count, self.usual()), default=0)
        return min(1.0, most / max(1, chunks))

    def usual(self) -> tuple[str, ...]:
        """Return FTS5 expressions of words that notes in the language of the query hold."""
        return tuple(f'"{word}"' for word in usual_words(self.text))

    def telling(self, word: str) -> tuple[str, ...]:
        """Return the FTS5 expressions by which one of the words is known."""
        terms = index_terms(word)
        if is_solid(word) and len(terms) > 1:
            terms = terms[len(terms) // 2 + 1 :]  # pairs say more than characters
        star = " *" if word == self.prefix else ""
        return tuple(f'"{term}"{star}' for term in terms)

    @property
    def is_common(self) -> bool:
        """Whether all its words are stop words, as those that many queries begin with."""
        return all(word in STOP_WORDS for word in self.words)

    @property
    def beginning(self) -> str:
        """The FTS5 expression of the last word as a beginning; empty when it is a whole one."""
        if self.prefix is None or is_solid(self.prefix):
            return ""
        return "".join(f'"{term}" *' for term in index_terms(self.prefix)[:1])


def parse(text: str, *, is_typing: bool = False, prefix_least: int = _PREFIX_LEAST) -> Query:
    """Return the query that a text means.

    Args:
        text: Anything; quotes, operators and brackets are letters like others.
        is_typing: The last word may be the beginning of one.
        prefix_least: Letters from which a beginning is looked for.
    """
    plain = one_line(text[:_MOST_CHARS])
    found = list(words(plain))
    chosen = [word for word in found if word not in STOP_WORDS] or found
    unique = tuple(dict.fromkeys(chosen))[:_MOST_WORDS]
    prefix = None
    if is_typing and found and text[-1:].isalnum() and len(found[-1]) >= prefix_least:
        prefix = found[-1]
        if prefix in STOP_WORDS and prefix not in unique:
            prefix = None
    return Query(plain, unique, prefix)


def match_spans(text: str, query: Query) -> tuple[tuple[int, int], ...]:
    """Return where words of the query stand in a text, in order and apart from each other.

    Args:
        text: As shown.
        query: Its words; other forms of them count as well.
    """
    stems = frozenset(stem(word) for word in query.words if not is_solid(word))
    if text.isascii():
        asked = _begun(text, {*stems, query.prefix or ""} - {""})
    else:
        asked = {match.span() for match in compiled(_WORD).finditer(text)}
    spans = [(a, b) for a, b in asked if _is_said(text[a:b], stems, query.prefix)]
    for run in filter(is_solid, query.words):
        spans += _solid_spans(text, run)
    return _apart(sorted(spans))


def stem(word: str) -> str:
    """Return what the forms of an English word have in common, roughly as the index does."""
    for ending in _ENDINGS if len(word) > 3 and word.isascii() else ():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word


def _begun(text: str, heads: set[str]) -> set[tuple[int, int]]:
    """Return the words of an ASCII text that begin with one of these, or have one behind a `_`.

    A pattern of all heads finds the same, but each letter that is typed is another pattern, and to
    compile it takes longer than to look through the texts of all hits.
    """
    plain = text.lower()
    found = set[tuple[int, int]]()
    for head in heads:
        at = plain.find(head)
        while at >= 0:
            end = at + 1
            if (
                not plain[at - 1 : at].isalnum()
                and (rest := compiled(_WORD).match(plain, at)) is not None
            ):
                start, end = at, rest.end()
                while start and (plain[start - 1].isalnum() or plain[start - 1] == "_"):
                    start -= 1
                found.add((start, end))
            at = plain.find(head, end)
    return found


def _is_said(word: str, stems: frozenset[str], prefix: str | None) -> bool:
    plain, found = _stemmed(word)
    if found in stems or (prefix is not None and plain.startswith(prefix)):
        return True
    return "_" in plain and any(stem(part) in stems for part in plain.split("_"))


@lru_cache(maxsize=4096)
def _stemmed(word: str) -> tuple[str, str]:
    plain = fold(word)
    return plain, stem(plain)


def _solid_spans(text: str, run: str) -> list[tuple[int, int]]:
    """Return where the run stands, else where pairs of it do, else its only character."""
    for wanted in ([run], [run[at : at + 2] for at in range(len(run) - 1)]):
        spans = [found.span() for part in wanted for found in re.finditer(re.escape(part), text)]
        if spans:
            return spans
    return []


def _apart(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


Spans = tuple[tuple[int, int], ...]


def snippet(text: str, query: Query, chars: int = SNIPPET_CHARS) -> tuple[str, Spans]:
    """Return the part of a chunk with most of the words, and where they stand in it.

    Args:
        text: The chunk, masked already.
        query: What was looked for.
        chars: Most characters of the part.
    """
    spans = match_spans(text, query)
    start = _start(text, spans, chars) if len(text) > chars else 0
    end = len(text) if len(text) - start <= chars else boundary_before(text, start + chars)
    part = text[start:end].rstrip()
    marks = tuple((a - start, b - start) for a, b in spans if a >= start and b <= start + len(part))
    return part, marks


def _start(text: str, spans: Spans, chars: int) -> int:
    """Return the line start from which most different words are in reach, the first of equals."""
    starts = [0]
    while (found := text.find("\n", starts[-1])) >= 0:
        starts.append(found + 1)
    for a, _ in spans:  # a line longer than the snippet has places inside it as well
        line = max(start for start in starts if start <= a)
        if a - line > chars // 2:
            starts.append(boundary_before(text, a - chars // 4))
    last = _line_after(text, max(0, len(text) - chars))
    best, most = 0, -1
    for start in sorted({min(start, last) for start in starts}):
        words = {text[a:b].casefold() for a, b in spans if a >= start and b <= start + chars}
        if len(words) > most:
            best, most = start, len(words)
    return best


def _line_after(text: str, position: int) -> int:
    """Return the line start at or behind a position; the position when there is none near."""
    if position == 0 or text[position - 1] == "\n":
        return position
    found = text.find("\n", position)
    return boundary_before(text, position) if found < 0 else found + 1
