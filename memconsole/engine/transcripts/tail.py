"""Reads transcripts from their end: messages, usage, or everything."""

from __future__ import annotations

import sys
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.transcripts.path import ActivePath
from memconsole.domain.transcripts.records import EntryKind, Tail, TranscriptCounts, Turn
from memconsole.errors import StoreError
from memconsole.text.timestamps import FUTURE, SKEWED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.transcripts.records import Compaction, Entry, Message
    from memconsole.ports.platform import SessionStore

LIMIT_BYTES = 64 * 1024 * 1024
"""Bytes of one transcript that a tail passes at most."""

_age_of = itemgetter(0)
"""Gathered things carry how many records newer than them were passed."""

_CUTS = (EntryKind.COMPACTION, EntryKind.RESET)


def read_tail(
    store: SessionStore,
    ref: TranscriptRef,
    *,
    wanted: int = 60,
    limit_bytes: int = LIMIT_BYTES,
) -> Tail:
    """Read back until enough eligible messages are found, the session begins, or the limit.

    Messages behind an in-place reset or a compaction still count: they are the agent's last work.
    Token counts stop there.

    Args:
        store: The store of the transcript.
        ref: The transcript.
        wanted: Eligible messages on the active path, counted after the filters.
        limit_bytes: Bytes to pass at most.

    Raises:
        StoreError: The transcript cannot be opened or unpacked.
    """
    reading = _Reading(limit_bytes, keeps_messages=True)
    reading.run(
        store.backward(ref, limit_bytes=limit_bytes),
        lambda: store.backward(ref, limit_bytes=limit_bytes),
        lambda: reading.messages_until_now() >= wanted,
    )
    return reading.tail(wanted)


def read_usages(
    store: SessionStore,
    refs: Sequence[TranscriptRef],
    *,
    wanted: int = 1,
    failed: list[Notice] | None = None,
) -> Iterator[tuple[TranscriptRef, Tail]]:
    """Read many transcripts as `read_usage` does; one that cannot be opened is left out.

    Args:
        store: The store of the transcripts.
        refs: The transcripts.
        wanted: Usages above 0 of each.
        failed: Takes what is to be said of those that were left out.
    """
    # A turn has a question, a call, a result and an answer, and about two of them have usages.
    expected = 2 * wanted + 2 if wanted > 1 else 1
    for ref, entries in store.counted(refs, limit_bytes=LIMIT_BYTES, expected=expected):
        try:
            yield ref, _usage(store, ref, entries, wanted)
        except StoreError as error:
            if failed is not None:
                failed.append(Notice(error.code, str(error), str(ref.path), ref.agent.id))


def read_usage(store: SessionStore, ref: TranscriptRef, *, wanted: int = 1) -> Tail:
    """Read back to the last usages above 0, or to the compaction or reset that ends the count.

    The tail has no messages; its counts are of the few records passed.

    Raises:
        StoreError: The transcript cannot be opened or unpacked.
    """
    return _usage(store, ref, store.backward(ref, limit_bytes=LIMIT_BYTES), wanted)


def _usage(store: SessionStore, ref: TranscriptRef, entries: Iterator[Entry], wanted: int) -> Tail:
    reading = _Reading(LIMIT_BYTES, keeps_messages=False)
    reading.run(
        entries,
        lambda: store.backward(ref, limit_bytes=LIMIT_BYTES),
        lambda: reading.is_past_cut_now or reading.points_until_now() >= wanted,
    )
    return reading.tail()


class _Reading:
    """What one way back through a transcript has gathered."""

    def __init__(self, limit_bytes: int, *, keeps_messages: bool) -> None:
        self.messages: list[tuple[int, Message]] = []
        self.points: list[tuple[int, datetime | None, int]] = []
        self._cut_age: int | None = None
        self._limit_bytes = limit_bytes
        self._keeps_messages = keeps_messages
        self._path = ActivePath()
        self._read_bytes = 0
        self._position = -1
        self._age = 0
        self._is_again = False
        self._damaged = 0
        self._in_progress = 0
        self._filtered = 0
        self._off_path = 0
        self._unknown = 0
        self._unknown_newest = 0
        self._odd_times: Counter[str] = Counter()
        self._is_whole = False
        self._compaction_age = sys.maxsize
        self._last_compaction_at: datetime | None = None
        self._compaction: Compaction | None = None
        self._spoke_at: datetime | None = None
        self._spoke_before: tuple[int, datetime | None] | None = None
        self._has_message = False
        self._turn: Turn | None = None

    def run(
        self,
        entries: Iterator[Entry],
        again: Callable[[], Iterator[Entry]],
        is_enough: Callable[[], bool],
    ) -> None:
        """Read until enough; `again` over older records when a parent does not exist."""
        for self._age, entry in enumerate(entries, start=1):
            self._pass(entry)
            # While a parent is sought, what was skipped may turn out to belong.
            if is_enough() and not self._path.is_lost:
                return
        self._is_whole = self._position == 0 or self._read_bytes < self._limit_bytes
        if self._path.is_lost and (self._is_whole or self._path.saw_damage):
            self._resume(again(), is_enough)

    def tail(self, wanted: int | None = None) -> Tail:
        """Return what was gathered, oldest first.

        Args:
            wanted: Only that many of the newest messages.
        """
        newest_first = [message for _, message in sorted(self.messages, key=_age_of)][:wanted]
        cut_age = sys.maxsize if self._cut_age is None else self._cut_age
        known = sorted(self.points, key=_age_of)
        points = [(at, tokens) for age, at, tokens in known if age < cut_age]
        last = self._compaction
        return Tail(
            messages=tuple(reversed(newest_first)),
            counts=TranscriptCounts(
                self._damaged,
                self._in_progress,
                self._filtered,
                self._off_path,
                unknown=self._unknown,
                unknown_newest=self._unknown_newest,
                future=self._odd_times[FUTURE],
                skewed=self._odd_times[SKEWED],
            ),
            is_whole=self._is_whole,
            has_gap=self._path.has_gap,
            read_bytes=self._read_bytes,
            usage_tokens=points[0][1] if points else None,
            usage_points=tuple((at, tokens) for at, tokens in reversed(points) if at is not None),
            last_compaction_at=self._last_compaction_at,
            tokens_before_compaction=None if last is None else last.tokens_before,
            last_compaction=last,
            spoke_at=self._spoke_at,
            spoke_before_at=None if self._spoke_before is None else self._spoke_before[1],
            turn=self._turn,
        )

    def messages_until_now(self) -> int:
        """Return how many of the messages are not older than the record at hand."""
        if not self._is_again:
            return len(self.messages)
        return sum(age <= self._age for age, _ in self.messages)

    def points_until_now(self) -> int:
        """Return how many of the usages are not older than the record at hand."""
        if not self._is_again:
            return len(self.points)
        return sum(age <= self._age for age, _, _ in self.points)

    @property
    def is_past_cut_now(self) -> bool:
        """Whether a count ends here: at a reset, or at the last message before a compaction."""
        if self._cut_age is None or self._cut_age > self._age:
            return False
        return self._compaction_age != self._cut_age or self._spoke_before is not None

    def _resume(self, entries: Iterator[Entry], is_enough: Callable[[], bool]) -> None:
        """Judge the records before the last taken one anew."""
        self._is_again = True
        behind = self._path.last_taken
        self._path.resume()
        for self._age, entry in enumerate(entries, start=1):
            if behind is not None:
                if (entry.position, entry.id) == behind:
                    behind = None
            elif self._path.can_take(entry) and self._path.offer(entry):
                self._off_path -= 1
                self._take(entry)
                if is_enough():
                    return

    def _pass(self, entry: Entry) -> None:
        self._read_bytes += entry.size_bytes
        self._position = entry.position
        is_on_path = self._path.offer(entry)
        if entry.odd_time:
            self._odd_times[entry.odd_time] += 1
        if entry.kind is EntryKind.UNKNOWN:
            self._unknown += 1
            self._unknown_newest += not self._has_message
        elif entry.kind is EntryKind.DAMAGED:
            self._damaged += 1
        elif entry.kind is EntryKind.IN_PROGRESS:
            self._in_progress += 1
        elif is_on_path:
            self._take(entry)
        else:
            self._off_path += 1

    def _take(self, entry: Entry) -> None:
        if entry.kind in _CUTS:
            self._cut(entry)
        elif entry.kind is EntryKind.MESSAGE:
            if not self._has_message:
                self._turn = _turn(entry)
            self._has_message = True
            self._spoke_at = self._spoke_at or entry.at
            if self._spoke_before is None and self._age > self._compaction_age:
                self._spoke_before = self._age, entry.at
            self._measure(entry)
            if self._keeps_messages:
                self._keep(entry)

    def _cut(self, entry: Entry) -> None:
        """Counts end at the newest compaction or reset."""
        if self._cut_age is None or self._age < self._cut_age:
            self._cut_age = self._age
        if entry.kind is EntryKind.COMPACTION and self._age < self._compaction_age:
            self._compaction_age = self._age
            self._last_compaction_at = entry.at
            self._compaction = entry.compaction

    def _measure(self, entry: Entry) -> None:
        usage = entry.usage
        if usage is None or usage.total <= 0 or entry.role != "assistant" or entry.is_injected:
            return
        if self._cut_age is None or self._age < self._cut_age:
            self.points.append((self._age, entry.at, usage.total))

    def _keep(self, entry: Entry) -> None:
        # A count alone needs no words, and the filters for them are dear to load.
        from memconsole.domain.transcripts.messages import FilterReason, message_of  # noqa: PLC0415

        message = message_of(entry)
        if isinstance(message, FilterReason):
            self._filtered += 1
        else:
            self.messages.append((self._age, message))


def _turn(entry: Entry) -> Turn | None:
    """Return whose a message is; None for a role that is nobody's."""
    if entry.role == "assistant":
        return Turn.TOOL_CALL if entry.stop_reason == "toolUse" else Turn.ASSISTANT
    return _TURNS.get(entry.role or "")


_TURNS = {"user": Turn.USER, "toolResult": Turn.TOOL_RESULT, "tool": Turn.TOOL_RESULT}
