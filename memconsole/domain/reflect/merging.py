"""Merges repeated lines of `observations.md`; a newer line wins over one that it contradicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.memory.observations import Kind
from memconsole.domain.memory.similarity import (
    Guard,
    differing,
    features,
    is_exact,
    may_be_one_thing,
    same_words,
)
from memconsole.domain.reflect.working_copy import (
    Conflict,
    is_ahead,
    is_kept_for_good,
    name_of,
    newest_first,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from memconsole.domain.memory.observations import Observation
    from memconsole.domain.reflect.working_copy import WorkingCopy


NEAR: Final = timedelta(days=30)
"""Alike lines further apart are two things that happened."""

MOST_COMPARED: Final = 3_000
"""Newest lines that are compared with each other; more would take minutes."""


def merge_exact(copy: WorkingCopy, today: date) -> None:
    """Make one of lines that say the same: newest text, highest priority, earliest date, count.

    A line that is kept for good goes only into one of the very same words.
    """
    groups: dict[str, list[int]] = {}
    for number, one in copy.items():
        groups.setdefault(features(one.text).fingerprint, []).append(number)
    for numbers in groups.values():
        ordered = newest_first(copy, numbers)
        while ordered:
            kept = ordered.pop(0)
            same = [n for n in ordered if _is_exact(copy, kept, n, today)]
            for number in same:
                _merge(copy, kept, number, "duplicate-of", today)
            ordered = [n for n in ordered if n not in same]


def alike(copy: WorkingCopy, similar: float) -> tuple[tuple[int, int], ...]:
    """Return (newer, older) of lines of one kind within 30 days that are alike.

    Args:
        copy: The file.
        similar: Least `token_sort_ratio`.
    """
    by_kind: dict[Kind, list[_Candidate]] = {}
    for number in newest_first(copy, [n for n, _ in copy.items()])[:MOST_COMPARED]:
        one = copy.at(number)
        words = " ".join(sorted(features(one.text).folded.split()))
        by_kind.setdefault(one.kind, []).append(_Candidate(number, one, words))
    return tuple(pair for found in by_kind.values() for pair in _pairs(found, similar))


def merge_similar(copy: WorkingCopy, pairs: Iterable[tuple[int, int]], today: date) -> None:
    """Merge lines that are alike and differ in nothing that matters.

    Two that are kept for good both stay; of one and another its words stay.
    """
    for newer, older in _present(copy, pairs):
        one, other = copy.at(newer), copy.at(older)
        mine, its = features(one.text), features(other.text)
        if mine.numbers != its.numbers or differing(mine, its):
            continue
        if not is_kept_for_good(other, today):
            kept, gone = newer, older
        elif not is_kept_for_good(one, today):
            kept, gone = older, newer
        else:
            continue
        if copy.spares(gone):
            _merge(copy, kept, gone, "similar-to", today)


def supersede(copy: WorkingCopy, pairs: Iterable[tuple[int, int]], today: date) -> None:
    """Let a newer line take the place of an alike one that it contradicts.

    A contradicted line that is kept for good stays beside it, both marked, for somebody to decide.
    """
    for newer, older in _present(copy, pairs):
        one, other = copy.at(newer), copy.at(older)
        mine, its = features(one.text), features(other.text)
        if not _is_newer(one, other) or not may_be_one_thing(mine.numbers, its.numbers):
            continue
        broken = differing(mine, its)
        if not broken or Guard.NAMES in broken:  # another name is another thing
            continue
        if not is_kept_for_good(other, today):
            if copy.spares(older):
                copy.drop(older, f"superseded-by:{name_of(one)}")
            continue
        copy.put(newer, one.noted("mc:conflict", name_of(other)))
        copy.put(older, other.noted("mc:conflict", name_of(one)))
        guards = tuple(sorted(guard.value for guard in broken))
        copy.conflicts.append(Conflict(other, one, guards))


class _Candidate(NamedTuple):
    """A line to compare; `words` are its folded words, sorted."""

    number: int
    observation: Observation
    words: str


def _pairs(found: Sequence[_Candidate], similar: float) -> Iterator[tuple[int, int]]:
    from rapidfuzz import fuzz  # noqa: PLC0415 - only for who compares

    for place, newer in enumerate(found):
        for older in found[place + 1 :]:
            # The ratio of sorted words is `token_sort_ratio`; lengths alone rule most pairs out.
            score = fuzz.ratio(newer.words, older.words, score_cutoff=similar)
            if score and _are_near(newer.observation, older.observation):
                yield newer.number, older.number


def _present(copy: WorkingCopy, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of which both lines are still there."""
    for newer, older in pairs:
        if copy.lines[newer] is not None and copy.lines[older] is not None:
            yield newer, older


def _are_near(newer: Observation, older: Observation) -> bool:
    if newer.day is None or older.day is None:
        return newer.day is older.day
    return newer.day - older.day <= NEAR


def _is_newer(one: Observation, other: Observation) -> bool:
    """Whether a line may supersede another: a later day, and no event: those all happened."""
    if one.kind is Kind.EVENT or one.day is None or other.day is None:
        return False
    return one.day > other.day


def _is_exact(copy: WorkingCopy, kept: int, gone: int, today: date) -> bool:
    one, other = copy.at(kept), copy.at(gone)
    if is_kept_for_good(other, today) and same_words(one.text) != same_words(other.text):
        return False
    return is_exact(features(one.text), features(other.text))


def _merge(copy: WorkingCopy, kept: int, gone: int, how: str, today: date) -> None:
    one, other = copy.at(kept), copy.at(gone)
    priority = min(one.priority, other.priority, key=lambda found: found.rank)
    days = [day for it in (one, other) if (day := it.refers_to or it.day) is not None]
    first = max if is_ahead(one, today) or is_ahead(other, today) else min
    merged = replace(
        one,
        priority=priority,
        importance=max(one.importance, other.importance),
        refers_to=first(days, default=None),
        id=name_of(one),
    )
    copy.put(kept, merged.noted("mc:times", str(_times(one) + _times(other))))
    copy.drop(gone, f"{how}:{name_of(one)}")


def _times(observation: Observation) -> int:
    noted = observation.note("mc:times") or "1"
    return int(noted) if noted.isdecimal() and len(noted) < 6 else 1
