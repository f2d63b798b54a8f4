"""Reads what one transcript says about its compactions, and of a grown one only what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.compaction_evidence import explain, judge_compaction
from memconsole.domain.transcript import EntryKind
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.compaction_evidence import Fault
    from memconsole.domain.transcript import Entry

LIMIT_BYTES = 32 * 1024 * 1024
"""Of one transcript, from its end."""


@dataclass(frozen=True, slots=True)
class Found:
    """One compaction of a transcript, judged."""

    at: datetime | None
    fault: Fault | None
    why: str
    tokens_before: int | None


class _Place(NamedTuple):
    """Where an entry stands; it stays there for as long as a transcript only grows."""

    position: int
    size_bytes: int
    id: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The compactions of one transcript, newest first.

    Attributes:
        read_bytes: What this reading had to read.
        newest: The last entry that was complete; None when there is none with an id.
        has_talk: Somebody spoke in it; None when that may be before what was read.
    """

    found: tuple[Found, ...]
    read_bytes: int
    is_whole: bool
    newest: _Place | None = None
    has_talk: bool | None = False


def read_compactions(
    entries: Iterator[Entry], min_duration_ms: int, before: Reading | None = None
) -> Reading:
    """Walk back; whether people spoke before a compaction shows only behind it.

    Args:
        entries: Newest first.
        min_duration_ms: A shorter compaction was none.
        before: What an earlier reading found: the walk ends where that one began.
    """
    waiting: list[Entry] = []
    found: list[Found] = []
    newest: _Place | None = None
    has_talk = False
    passed = 0
    for entry in entries:
        place = None if entry.id is None else _Place(entry.position, entry.size_bytes, entry.id)
        if before is not None and place is not None and place == before.newest:
            found += [_judged(one, before.has_talk, min_duration_ms) for one in waiting]
            return Reading(
                (*found, *before.found),
                passed,
                before.is_whole,
                newest or before.newest,
                has_talk or before.has_talk,
            )
        newest = newest or place
        passed += entry.size_bytes
        if entry.kind is EntryKind.COMPACTION and entry.compaction is not None:
            waiting.append(entry)
        elif entry.kind is EntryKind.MESSAGE and entry.role == "user":
            has_talk = True
            found += [_judged(one, True, min_duration_ms) for one in waiting]
            waiting.clear()
    is_whole = passed < LIMIT_BYTES
    had_talk = None if not is_whole else False
    found += [_judged(one, had_talk, min_duration_ms) for one in waiting]
    return Reading(tuple(found), passed, is_whole, newest, has_talk or had_talk)


def _judged(entry: Entry, has_earlier_talk: bool | None, min_duration_ms: int) -> Found:
    compaction = entry.compaction
    assert compaction is not None  # chosen for that
    fault = judge_compaction(
        compaction, has_earlier_talk=has_earlier_talk, min_duration_ms=min_duration_ms
    )
    why = "" if fault is None else explain(fault, compaction)
    return Found(entry.at, fault, why, compaction.tokens_before)
