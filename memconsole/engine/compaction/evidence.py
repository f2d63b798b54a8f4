"""Reads what transcripts say about their compactions: whole readings, bounded and remembered.

`status` never comes here: it judges the compaction that its tails pass anyway (`fresh_evidence`).
`config check`, health and the console's background read the transcripts themselves, newest first,
each once; of one that grew only what is new.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.compaction import (
    BadCompaction,
    Cascade,
    CompactionEvidence,
    Fault,
    Miscount,
    cascade,
    explain,
    judge_compaction,
    newest_first,
)
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.transcripts.records import EntryKind
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.transcripts.records import Entry, Tail
    from memconsole.ports.platform import SessionStore


TOTAL_BYTES = 128 * 1024 * 1024
"""Of all transcripts that one reading opens; what was read before costs nothing."""

_REMEMBERED = 5_000


class EvidenceReader:
    """Remembers unchanged transcripts; safe from any thread.

    Args:
        store: The transcripts.
        min_duration_ms: `compaction.min_duration_ms`.
        total_bytes: Limit of one call.
    """

    def __init__(
        self, store: SessionStore, *, min_duration_ms: int, total_bytes: int = TOTAL_BYTES
    ) -> None:
        self._store = store
        self._min_duration_ms = min_duration_ms
        self._total_bytes = total_bytes
        self._known: dict[tuple[object, ...], tuple[object, Reading]] = {}
        self._lock = threading.Lock()

    def read(self, sessions: Iterable[SessionView]) -> CompactionEvidence:
        """Judge the compactions of every transcript that is there; one that fails is named."""
        gathered = _Gathered()
        left = self._total_bytes
        passed_over = 0
        with self._store.keep_open():
            for view in _newest_first(sessions):
                ref = view.transcript
                assert ref is not None  # chosen for that
                known = self._remembered(ref)
                if known is None and left <= 0:
                    passed_over += 1
                    continue
                try:
                    reading = known or self._read(ref)
                except StoreError as error:
                    gathered.unread.append(f"the transcript of {_name(view)}: {error}")
                    continue
                left -= 0 if known else reading.read_bytes
                gathered.add(view, reading)
        if passed_over:
            gathered.unread.append(
                f"{plural(passed_over, 'older transcript')}: more than"
                f" {self._total_bytes >> 20} MB would have to be read"
            )
        return gathered.evidence()

    def _remembered(self, ref: TranscriptRef) -> Reading | None:
        with self._lock:
            mark, reading = self._known.get(_place(ref), (None, None))
        return reading if mark == _mark(ref) else None

    def _read(self, ref: TranscriptRef) -> Reading:
        with self._lock:
            _, before = self._known.get(_place(ref), (None, None))
        entries = self._store.backward(ref, limit_bytes=LIMIT_BYTES)
        reading = read_compactions(entries, self._min_duration_ms, before)
        if ref.modified_at is not None:
            with self._lock:
                # One a transcript: what it was before it grew is of no use to anybody.
                self._known.pop(_place(ref), None)
                while len(self._known) >= _REMEMBERED:
                    del self._known[next(iter(self._known))]
                self._known[_place(ref)] = _mark(ref), reading
        return reading


def fresh_evidence(
    sessions: Iterable[SessionView], tails: Mapping[str, Tail], *, min_duration_ms: int
) -> tuple[BadCompaction, ...]:
    """Judge the newest compactions that were passed anyway; only losses, newest first."""
    found = []
    for view in sessions:
        tail = None if view.session_id is None else tails.get(view.session_id)
        if tail is None or tail.last_compaction is None or view.state is not SessionState.LIVE:
            continue
        fault = judge_compaction(tail.last_compaction, min_duration_ms=min_duration_ms)
        if fault is not None and fault.is_loss:
            words = explain(fault, tail.last_compaction)
            tokens = tail.last_compaction.tokens_before
            found.append(_bad(view, Found(tail.last_compaction_at, fault, words, tokens), fault))
    return newest_first(found)


class _Gathered:
    """The evidence of all transcripts so far."""

    def __init__(self) -> None:
        self.unread: list[str] = []
        self._bad: list[BadCompaction] = []
        self._cascades: list[Cascade] = []
        self._miscounts: list[Miscount] = []
        self._compacted_at: dict[str, int] = {}
        self._looked_at = 0

    def add(self, view: SessionView, reading: Reading) -> None:
        """Take one transcript in."""
        self._looked_at += 1
        session_id = view.session_id or ""
        if not reading.is_whole:
            self.unread.append(f"the beginning of {_name(view)}: it is over {LIMIT_BYTES >> 20} MB")
        for one in reading.found:
            if one.fault is not None:
                self._bad.append(_bad(view, one, one.fault))
        times = [one.at for one in reading.found if one.at is not None]
        if (near := cascade(times)) is not None:
            self._cascades.append(Cascade(view.agent, view.key_text, session_id, *near))
        if view.state is SessionState.LIVE and view.key_text is not None:
            self._add_live(view, view.key_text, reading)

    def _add_live(self, view: SessionView, key: str, reading: Reading) -> None:
        before = reading.found[0].tokens_before if reading.found else None
        if before is not None:
            self._compacted_at[key] = before
        counted = _counted(view.stored)
        if reading.is_whole and counted > len(reading.found):
            session_id = view.session_id or ""
            found = len(reading.found)
            self._miscounts.append(Miscount(view.agent, key, session_id, counted, found))

    def evidence(self) -> CompactionEvidence:
        """Return it, newest first."""
        return CompactionEvidence(
            bad=newest_first(self._bad),
            cascades=tuple(sorted(self._cascades, key=lambda one: one.at, reverse=True)),
            miscounts=tuple(self._miscounts),
            compacted_at=self._compacted_at,
            looked_at=self._looked_at,
            unread=tuple(self.unread),
        )


def _newest_first(sessions: Iterable[SessionView]) -> list[SessionView]:
    """Return what is worth a reading: not what was deleted, nor the flood of past cron runs."""
    chosen = [
        view
        for view in sessions
        if view.transcript is not None
        and view.transcript_state is TranscriptState.PRESENT
        and view.stored.archive_reason != "deleted"
        and not view.is_cron_run
    ]
    chosen.sort(key=_updated, reverse=True)
    return chosen


def _updated(view: SessionView) -> tuple[bool, float]:
    """Live sessions come before those that ended, whatever their times."""
    at = view.stored.updated_at or (view.transcript and view.transcript.modified_at)
    return view.state is SessionState.LIVE, at.timestamp() if at else 0.0


def _bad(view: SessionView, one: Found, fault: Fault) -> BadCompaction:
    return BadCompaction(
        agent=view.agent,
        key=view.key_text,
        session_id=view.session_id or "",
        at=one.at,
        fault=fault,
        why=one.why,
        tokens_before=one.tokens_before,
    )


def _counted(stored: StoredSession) -> int:
    """Compactions by the platform's count; unknown where each began a transcript of its own."""
    return 0 if (stored.window_count or 0) > 1 else stored.compactions or 0


def _place(ref: TranscriptRef) -> tuple[object, ...]:
    return ref.path, ref.session_id, ref.generation


def _mark(ref: TranscriptRef) -> tuple[object, ...]:
    return ref.size_bytes, ref.modified_at


def _name(view: SessionView) -> str:
    return view.key_text or view.session_id or "?"


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
        has_words: Somebody spoke in it; None when that may be before what was read.
    """

    found: tuple[Found, ...]
    read_bytes: int
    is_whole: bool
    newest: _Place | None = None
    has_words: bool | None = False


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
    has_words = False
    passed = 0
    for entry in entries:
        place = None if entry.id is None else _Place(entry.position, entry.size_bytes, entry.id)
        if before is not None and place is not None and place == before.newest:
            found += [_judged(one, before.has_words, min_duration_ms) for one in waiting]
            return Reading(
                (*found, *before.found),
                passed,
                before.is_whole,
                newest or before.newest,
                has_words or before.has_words,
            )
        newest = newest or place
        passed += entry.size_bytes
        if entry.kind is EntryKind.COMPACTION and entry.compaction is not None:
            waiting.append(entry)
        elif entry.kind is EntryKind.MESSAGE and entry.role == "user":
            has_words = True
            found += [_judged(one, True, min_duration_ms) for one in waiting]
            waiting.clear()
    is_whole = passed < LIMIT_BYTES
    had_words = None if not is_whole else False
    found += [_judged(one, had_words, min_duration_ms) for one in waiting]
    return Reading(tuple(found), passed, is_whole, newest, has_words or had_words)


def _judged(entry: Entry, has_earlier_words: bool | None, min_duration_ms: int) -> Found:
    compaction = entry.compaction
    assert compaction is not None  # chosen for that
    fault = judge_compaction(
        compaction, has_earlier_words=has_earlier_words, min_duration_ms=min_duration_ms
    )
    why = "" if fault is None else explain(fault, compaction)
    return Found(entry.at, fault, why, compaction.tokens_before)
