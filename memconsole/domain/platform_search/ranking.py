"""Scores and orders what the platform's index holds, as the platform's own search does.

Both legs are put together, faded by age, weighed by importance and kept from repeating themselves,
as far as the profile of the release says so (`profile.py`). Its maximal marginal relevance differs
from ours (`domain/search/fusion.py`): it spreads the scores of a query over 0 to 1 first,
compares the platform's words and single characters, and so reorders everything, not only what is
shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from memconsole.domain.platform_search.candidates import Placed, weight_of
from memconsole.domain.platform_search.profile import Fallback, SecondChance
from memconsole.domain.platform_search.words import graded, lifted, path_likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memconsole.domain.platform_search.candidates import PlatformChunk, Rules, WordsFound
    from memconsole.domain.platform_search.profile import Profile


SNIPPET_CHARS: Final = 700


class _Entry:
    """One candidate on its way."""

    def __init__(self, chunk: PlatformChunk) -> None:
        self.chunk = chunk
        self.vector = 0.0
        self.text = 0.0
        self.body = 0.0
        self.path = 0.0
        self.has_body = False
        self.likeness = 0
        self.content = 0.0
        self.order = 0.0
        self.score = 0.0
        self.fade = 1.0

    def note(self, found: WordsFound, profile: Profile, query: str) -> None:
        """Take in one way in which its words were found."""
        value = graded(found.rank, profile)
        if found.is_path:
            self.path = max(self.path, 1.0 if found.rank is None else value)
            return
        asked = query if profile.is_lifted else found.term
        self.has_body = True
        self.text = max(self.text, value)
        self.body = max(self.body, lifted(asked, self.chunk.path, self.chunk.text, value))

    def words(self, profile: Profile) -> float:
        """Return what the words count beside the vector."""
        if not profile.is_lifted:
            return self.text
        if self.text > 0:
            return self.body
        return 0.0 if self.likeness else self.path


def ranked(
    rules: Rules,
    found: Iterable[WordsFound],
    vectors: Sequence[tuple[PlatformChunk, float]] | None,
) -> tuple[Placed, ...]:
    """Return all candidates in the order of the platform's search.

    Args:
        rules: What it goes by.
        found: By words, in any order.
        vectors: The nearest chunks with their cosines; None when the query's vector is unknown:
            the order is then that of the words, and no score is known.
    """
    profile = rules.profile
    entries: dict[str, _Entry] = {}
    for one in found:
        entries.setdefault(one.chunk.id, _Entry(one.chunk)).note(one, profile, rules.query)
    entries = _best_words(entries, rules)
    with_words = set(entries)
    for chunk, cosine in vectors or ():
        entries.setdefault(chunk.id, _Entry(chunk)).vector = cosine
    for entry in entries.values():
        _score(entry, rules)
    ordered = _ordered(list(entries.values()), rules)
    is_known = rules.is_text_only or vectors is not None
    shown = _shown(ordered, with_words, rules) if is_known else {}
    return tuple(
        Placed(
            chunk=one.chunk,
            rank=shown.get(one.chunk.id),
            score=one.score if is_known else None,
            vector=one.vector if is_known else None,
            text=one.text,
            words=one.words(profile),
            fade=one.fade,
            is_named=one.likeness > 0,
        )
        for one in ordered
    )


def _best_words(entries: dict[str, _Entry], rules: Rules) -> dict[str, _Entry]:
    """Return those that the newest release keeps of chunks that were found word by word."""
    if not rules.profile.is_lifted:
        return entries

    def order(one: _Entry) -> tuple[float, float, float, str, int, str]:
        chunk = one.chunk
        value = one.body if one.has_body else one.path
        return -value, -one.text, -one.path, chunk.path, chunk.start_line, chunk.id

    named = [one for one in entries.values() if path_likeness(rules.query, one.chunk.path)]
    others = [one for one in entries.values() if one not in named]
    kept = named + sorted(others, key=order)[: rules.limits.candidates(rules.profile)]
    return {one.chunk.id: one for one in kept}


def _score(entry: _Entry, rules: Rules) -> None:
    profile, limits = rules.profile, rules.limits
    if profile.reads_paths:
        entry.likeness = path_likeness(rules.query, entry.chunk.path)
    entry.fade = weight_of(entry.chunk, rules)
    if rules.is_text_only:
        entry.content = _words_alone(entry, rules)
    else:
        words = entry.words(profile)
        entry.content = limits.vector_weight * entry.vector + limits.text_weight * words
    entry.order = entry.content * entry.fade
    if entry.likeness:
        entry.order = (1 + max(0.0, min(1.0, entry.content))) / 2 * entry.fade
    elif entry.content == 0 and entry.has_body:
        entry.order = entry.body * entry.fade
    entry.score = 1.0 if entry.likeness else entry.content * entry.fade


def _words_alone(entry: _Entry, rules: Rules) -> float:
    """Return the score of a chunk in an index without vectors."""
    if rules.profile.fallback is Fallback.NEVER:
        return entry.text
    if entry.likeness:
        return entry.body if entry.has_body else 0.0
    return entry.body if entry.has_body else entry.path


def _ordered(entries: list[_Entry], rules: Rules) -> list[_Entry]:
    """Return named files first, then by score, each group without repetitions."""

    def spread(group: list[_Entry], value: Callable[[_Entry], float]) -> list[_Entry]:
        if rules.limits.novelty is None or rules.is_text_only:
            return group
        return varied(
            group, value, lambda one: one.chunk.text[:SNIPPET_CHARS], rules.limits.novelty
        )

    found: list[_Entry] = []
    for likeness in (3, 2, 1):
        tier = [one for one in entries if one.likeness == likeness]
        found += spread(sorted(tier, key=_by_order), lambda one: one.order)
    plain = [one for one in entries if not one.likeness]
    return found + spread(sorted(plain, key=_by_score), lambda one: one.score)


def _by_order(one: _Entry) -> tuple[float, str, int, int]:
    return -one.order, one.chunk.path, one.chunk.start_line, one.chunk.end_line


def _by_score(one: _Entry) -> tuple[float, float, str, int, int]:
    return -one.score, *_by_order(one)


def _shown(ordered: list[_Entry], with_words: set[str], rules: Rules) -> Mapping[str, int]:
    """Return the places, from 1, of the chunks that the search would show."""
    profile, limits = rules.profile, rules.limits
    shown = [one for one in ordered if one.score >= limits.min_score]
    if not shown:
        least = _relaxed(rules)
        if least is not None:
            worded = (one for one in ordered if one.chunk.id in with_words)
            shown = [one for one in worded if one.score >= least]
    elif profile.fills and not rules.is_text_only:
        left = (one for one in ordered if one.score < limits.min_score and one.vector == 0)
        shown += [one for one in left if one.chunk.id in with_words]
    return {one.chunk.id: place for place, one in enumerate(shown, 1)}


def _relaxed(rules: Rules) -> float | None:
    """Return the least score when nothing reaches the usual one; None for no second chance."""
    chance = rules.profile.second_chance
    if chance is SecondChance.ANY:
        return 0.0
    if chance is SecondChance.NONE or rules.is_text_only:
        return None
    return min(rules.limits.min_score, rules.limits.text_weight)


T = TypeVar("T")

_WORD: Final = re.compile(r"[a-z0-9_]+")
_SOLID: Final = re.compile(
    "[\u3040-\u309f\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u1100-\u11ff]+"
)


def varied(
    items: Sequence[T], score: Callable[[T], float], text: Callable[[T], str], weight: float
) -> list[T]:
    """Return all items, each next one good and unlike those before it.

    Args:
        items: The best first.
        score: Of an item.
        text: What of an item is compared.
        weight: Of the score; the rest is that of likeness.
    """
    if len(items) < 2 or weight >= 1:
        return list(items)
    scores = [score(one) for one in items]
    least, range_ = min(scores), max(scores) - min(scores)
    worth = [1.0 if range_ == 0 else (one - least) / range_ for one in scores]
    texts = [text(one) for one in items]
    said = [frozenset(_tokens(one.lower())) for one in texts]
    likeness = [0.0] * len(items)
    left, taken = list(range(len(items))), []
    while left:
        best = max(
            left,
            key=lambda at: (weight * worth[at] - (1 - weight) * likeness[at], scores[at], -at),
        )
        left.remove(best)
        taken.append(items[best])
        for at in left:
            alike = _likeness(said[at], said[best], is_same=texts[at] == texts[best])
            likeness[at] = max(likeness[at], alike)
    return taken


def _tokens(text: str) -> Iterator[str]:
    yield from _WORD.findall(text)
    for run in _SOLID.findall(text):
        yield from run
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _likeness(one: frozenset[str], other: frozenset[str], *, is_same: bool) -> float:
    if not one and not other:
        return float(is_same)
    return len(one & other) / len(one | other)
