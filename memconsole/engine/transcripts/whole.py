"""Reads a transcript from end to end, for `transcript` and `session`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.transcripts.messages import FilterReason, shown, unfiltered
from memconsole.domain.transcripts.path import active_flags
from memconsole.domain.transcripts.records import EntryKind, TranscriptCounts, Whole
from memconsole.lazy_dataclass import dataclass
from memconsole.text.timestamps import FUTURE, SKEWED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.transcripts.records import Entry, Message
    from memconsole.ports.platform import SessionStore

_NOT_RECORDS = (EntryKind.IN_PROGRESS,)


def read_whole(store: SessionStore, ref: TranscriptRef, *, everything: bool = False) -> Whole:
    """Read all records of a transcript.

    Args:
        store: The store of the transcript.
        ref: The transcript.
        everything: Filtered messages come as rows of kind `note` instead of being counted only.

    Raises:
        StoreError: The transcript cannot be opened or unpacked.
    """
    records = [_record(entry, everything=everything) for entry in store.forward(ref)]
    entries = [record.entry for record in records]
    flags, has_gap = active_flags(entries)
    on_path = [record for record, flag in zip(records, flags, strict=True) if flag]
    chars = _chars(_in_context(on_path))
    return Whole(
        messages=tuple(
            record.message if flag else replace(record.message, on_path=False)
            for record, flag in zip(records, flags, strict=True)
            if record.message is not None
        ),
        events=sum(entry.kind not in _NOT_RECORDS for entry in entries),
        counts=_counts(records, flags),
        user_chars=chars.by_role["user"],
        assistant_chars=chars.by_role["assistant"],
        thinking_chars=chars.thinking,
        tool_result_chars=chars.results,
        tool_chars=tuple(sorted(chars.by_tool.items(), key=lambda item: (-item[1], item[0]))),
        usage_points=tuple(_usage_points(on_path)),
        has_gap=has_gap,
    )


@dataclass(frozen=True, slots=True)
class _Record:
    """A record without its text, how long that was, and what a reader sees of it."""

    entry: Entry
    text_chars: int
    message: Message | None


@dataclass(slots=True)
class _Chars:
    by_role: Counter[str]
    by_tool: Counter[str]
    thinking: int = 0
    results: int = 0


def _record(entry: Entry, *, everything: bool) -> _Record:
    found = shown(entry)
    message = None if isinstance(found, FilterReason) else found
    if message is None and everything:
        message = unfiltered(entry)
    return _Record(replace(entry, text="") if entry.text else entry, len(entry.text), message)


def _counts(records: Sequence[_Record], flags: Sequence[bool]) -> TranscriptCounts:
    kinds = Counter(record.entry.kind for record in records)
    odd_times = Counter(record.entry.odd_time for record in records)
    last = max((at for at, record in enumerate(records) if _is_message(record)), default=-1)
    return TranscriptCounts(
        unknown=kinds[EntryKind.UNKNOWN],
        unknown_newest=sum(one.entry.kind is EntryKind.UNKNOWN for one in records[last + 1 :]),
        future=odd_times[FUTURE],
        skewed=odd_times[SKEWED],
        damaged=kinds[EntryKind.DAMAGED],
        in_progress=kinds[EntryKind.IN_PROGRESS],
        filtered=sum(
            record.entry.kind is EntryKind.MESSAGE and record.message is None for record in records
        ),
        off_path=sum(
            record.message is not None and not flag
            for record, flag in zip(records, flags, strict=True)
        ),
    )


def _is_message(record: _Record) -> bool:
    return record.entry.kind is EntryKind.MESSAGE


def _in_context(on_path: Sequence[_Record]) -> Sequence[_Record]:
    """Return the records that the model is sent now: those since the last compaction or reset.

    A compaction also keeps what stands from its `firstKeptEntryId` on, when that is on the path.
    """
    for index in range(len(on_path) - 1, -1, -1):
        entry = on_path[index].entry
        if entry.kind is EntryKind.RESET:
            return on_path[index + 1 :]
        if entry.kind is EntryKind.COMPACTION:
            kept = None if entry.compaction is None else entry.compaction.first_kept_id
            return [*_from(on_path[:index], kept), *on_path[index + 1 :]]
    return on_path


def _from(records: Sequence[_Record], first_id: str | None) -> Sequence[_Record]:
    if first_id is not None:
        for index, record in enumerate(records):
            if record.entry.id == first_id:
                return records[index:]
    return ()


def _chars(records: Iterable[_Record]) -> _Chars:
    chars = _Chars(Counter(), Counter())
    for record in records:
        entry = record.entry
        if entry.kind is not EntryKind.MESSAGE or entry.is_injected:
            continue
        chars.by_role[entry.role or ""] += record.text_chars
        chars.thinking += entry.thinking_chars
        for tool in entry.tools:
            chars.by_tool[tool.name] += tool.chars
            if tool.is_result:
                chars.results += tool.chars
            else:
                chars.by_role["assistant"] += tool.chars
    return chars


def _usage_points(records: Iterable[_Record]) -> Iterable[tuple[datetime, int]]:
    for record in records:
        entry = record.entry
        if entry.usage is None or entry.usage.total <= 0 or entry.at is None:
            continue
        if entry.role == "assistant" and not entry.is_injected:
            yield entry.at, entry.usage.total
