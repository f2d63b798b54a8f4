"""Folds results that say the same into the best of them, before the results are counted.

The same sentence is written into many notes: by a checkpoint every half hour, by an agent that
copies it, and it stands in the transcript that a note was taken from. What counts are the lines
that hold the words asked for: who says nothing in them that a better result does not say is folded
into that one. Lines that contradict each other, or name another number or person, are never the
same (`domain/memory/similarity.py`). Of a note and a transcript the note leads, with the better
score of both: it lasts, and an agent can read it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.search.indexing import Source
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.search.values import SearchHit

_LEAST_WORDS: Final = 4
"""Of lines that can be told to be the same: a heading stands in many notes."""

_LEAST_SHARED: Final = 0.7
"""Share of its words that the longer one of two lines has in common with another one that may say
the same; only such are looked at closely."""

_LEAST_OF_TALK: Final = 0.5
"""Share of the matched lines of a note, or of a transcript, that stand in the other."""

_STAMP: Final = r"^[ \t]*(?:[-*+][ \t]+)?\**(?:\[?\d{1,2}:\d{2}\]?\**)?[ \t]*"
"""The bullet of a line and when it was said."""

_SPEAKER: Final = r"^(?:\**[^\W\d](?:[\w-]| (?! )){0,30}\**:\**[ \t]+){1,2}"
"""Who said it: a transcript and the note taken from it name one person differently."""


class _Line(NamedTuple):
    """A line as it is compared.

    Attributes:
        bare: Without its speaker.
        words: Of `bare`.
    """

    text: str
    bare: str
    words: frozenset[str]

    @property
    def is_short(self) -> bool:
        return len(self.words) < _LEAST_WORDS


class _Group(NamedTuple):
    hit: SearchHit
    lines: tuple[_Line, ...]
    said: tuple[_Line, ...]
    others: tuple[SearchHit, ...] = ()


def folded(found: Iterable[tuple[SearchHit, str]]) -> tuple[SearchHit, ...]:
    """Return the results, each with those of its agent that say the same (`SearchHit.same`).

    Args:
        found: Best first, each with the whole text of its chunk.
    """
    groups: list[_Group] = []
    for hit, text in found:
        new = _Group(hit, tuple(_lines(text)), tuple(_said(hit, text)))
        at = next((at for at, known in enumerate(groups) if _is_same(new, known)), None)
        if at is None:
            groups.append(new)
        else:
            groups[at] = _together(groups[at], new)
    return tuple(replace(one.hit, same=one.others) if one.others else one.hit for one in groups)


def unfolded(hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    """Return each result and all that was folded into it, best first."""
    every = [one for hit in hits for one in (hit, *hit.same)]
    return tuple(sorted(every, key=lambda one: -one.score))


def _is_same(new: _Group, known: _Group) -> bool:
    if new.hit.agent != known.hit.agent:
        return False
    if new.hit.source is known.hit.source:
        return _repeated(new.said, known.lines, is_talk=False) == 1
    # They are cut at other lines: what stands in the middle of one is at the end of another.
    return any(
        _repeated(one.said, other.lines, is_talk=True) >= _LEAST_OF_TALK
        for one, other in ((new, known), (known, new))
    )


def _together(known: _Group, new: _Group) -> _Group:
    if (known.hit.source, new.hit.source) != (Source.SESSIONS, Source.MEMORY):
        return known._replace(others=(*known.others, new.hit))
    lead = replace(new.hit, score=known.hit.score)
    return new._replace(hit=lead, others=(known.hit, *known.others))


def _repeated(said: tuple[_Line, ...], lines: tuple[_Line, ...], *, is_talk: bool) -> float:
    """Return which share of some lines is among others; none of lines too short to tell."""
    if all(one.is_short for one in said):
        return 0.0
    found = sum(any(_is_alike(one, other, is_talk=is_talk) for other in lines) for one in said)
    return found / len(said)


def _is_alike(one: _Line, other: _Line, *, is_talk: bool) -> bool:
    if one.is_short:
        return one.words == other.words
    own, others = len(one.words), len(other.words)
    least = _LEAST_SHARED * max(own, others)
    if own < least or others < least or len(one.words & other.words) < least:
        return False
    if _digits(one.words) != _digits(other.words):
        return False  # as in the headings of most notes
    from memconsole.domain.memory.similarity import features, is_same  # noqa: PLC0415 - few are that near

    return is_same(
        features(one.bare if is_talk else one.text), features(other.bare if is_talk else other.text)
    )


def _digits(words: Iterable[str]) -> set[str]:
    return {"".join(filter(str.isdigit, word)) for word in words} - {""}


def _said(hit: SearchHit, text: str) -> Iterator[_Line]:
    """Yield the whole lines that hold matched words; all of the snippet where none does."""
    begin = text.find(hit.snippet)
    if not hit.marks or begin < 0:
        yield from _lines(hit.snippet)
        return
    lines = dict.fromkeys(text.rfind("\n", 0, begin + at) + 1 for at, _ in hit.marks)
    for start in lines:
        yield from _lines(text[start:].split("\n", 1)[0])


def _lines(text: str) -> Iterator[_Line]:
    for line in text.split("\n"):
        if said := compiled(_STAMP).sub("", line, count=1):
            bare = compiled(_SPEAKER).sub("", said, count=1)
            yield _Line(said, bare, frozenset(bare.casefold().split()))
