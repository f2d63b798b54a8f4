"""What wants a look in curated memory: said twice, said otherwise since, or open for long.

Only files that people keep in order are compared (`m-` ids): a daily log is history, and repeats
itself rightly; observations have a reflector of their own.
"""

from __future__ import annotations

from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from memconsole.domain.memory.entries import LONG_TERM, USER, bare
from memconsole.domain.memory.similarity import (
    ALIKE,
    SIMILAR,
    Guard,
    differing,
    features,
    may_be_one_thing,
)
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.similarity import Features

MOST_COMPARED: Final = 600
"""Entries that are compared with each other; more would take seconds."""

OPEN_FOR: Final = timedelta(days=30)
"""A todo that is older may have been done, or may never be."""


class AdviceKind(StrEnum):
    """Why an entry wants a look."""

    TWICE = "twice"
    OUTDATED = "outdated"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Advice:
    """One entry that may go, or may have to be put right.

    Attributes:
        entry: The one to look at.
        other: What says the same, or says otherwise since; None for an open todo.
    """

    kind: AdviceKind
    entry: MemoryEntry
    other: MemoryEntry | None = None


@dataclass(frozen=True, slots=True)
class MemoryAdvice:
    """What was found in the files that were looked at.

    Attributes:
        looked_at: Files; `of` is how many are curated.
    """

    found: tuple[Advice, ...]
    looked_at: int
    of: int


def advice_on(entries: Sequence[MemoryEntry], today: date) -> tuple[Advice, ...]:
    """Return what wants a look, in the order of its kinds.

    Args:
        entries: Of curated files, the most important files first.
        today: For the age of todos.
    """
    twice: dict[tuple[str, int], Advice] = {}
    outdated: dict[tuple[str, int], Advice] = {}
    for one, other in _alike(entries):
        if _place(one.entry) in twice or _place(other.entry) in twice:
            continue
        broken = differing(one.looks, other.looks)
        if not broken and one.looks.folded and _ratio(one, other) >= ALIKE:
            kept, gone = sorted((one.entry, other.entry), key=_rank)
            twice[_place(gone)] = Advice(AdviceKind.TWICE, gone, kept)
        elif broken and Guard.NAMES not in broken:
            older, newer = _by_day(one.entry, other.entry)
            if older is not None and may_be_one_thing(one.looks.numbers, other.looks.numbers):
                outdated[_place(older)] = Advice(AdviceKind.OUTDATED, older, newer)
    todos = (Advice(AdviceKind.OPEN, one) for one in entries if _is_open(one, today))
    return (*twice.values(), *outdated.values(), *todos)


class _Candidate(NamedTuple):
    """An entry to compare; `words` are its folded words, sorted."""

    entry: MemoryEntry
    looks: Features
    words: str


def _alike(entries: Sequence[MemoryEntry]) -> Iterator[tuple[_Candidate, _Candidate]]:
    found = []
    for entry in entries[:MOST_COMPARED]:
        looks = features(bare(entry.text))
        found.append(_Candidate(entry, looks, " ".join(sorted(looks.folded.split()))))
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            # The ratio of sorted words is `token_sort_ratio`; lengths alone rule most pairs out.
            if fuzz.ratio(one.words, other.words, score_cutoff=SIMILAR):
                yield one, other


def _ratio(one: _Candidate, other: _Candidate) -> float:
    return fuzz.ratio(one.words, other.words)


def _place(entry: MemoryEntry) -> tuple[str, int]:
    return entry.path, entry.line


def _rank(entry: MemoryEntry) -> tuple[bool, str, str, int]:
    """What stays comes first: what is loaded at every start, then what stood there first."""
    is_loaded = entry.path in (LONG_TERM, LONG_TERM.lower(), USER)
    return not is_loaded, entry.date or "", entry.path, entry.line


def _by_day(
    one: MemoryEntry, other: MemoryEntry
) -> tuple[MemoryEntry, MemoryEntry] | tuple[None, None]:
    """Return (older, newer); nothing where no day tells them apart."""
    if one.date is None or other.date is None or one.date == other.date:
        return None, None
    return (one, other) if one.date < other.date else (other, one)


def _is_open(entry: MemoryEntry, today: date) -> bool:
    if "TODO" not in entry.tags or entry.date is None:
        return False
    try:
        return today - date.fromisoformat(entry.date) > OPEN_FOR
    except ValueError:
        return False
