"""Which daily notes have earned a place in MEMORY.md: proposed, never written.

What speaks for a note is that it was found again: how well, how often, by how many questions, on
how many days, and how lately. Weights and gates are settled (`docs/glossary.md`, promotion); how a
count becomes a share of 1 stands beside each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.blocks import is_heading, lines_of, shown_lines
from memconsole.domain.memory.entries import bare, entries_of, is_note, tag_in_front
from memconsole.domain.memory.similarity import ALIKE, features, twin
from memconsole.domain.planted import PLANTED, holds_planted
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in
from memconsole.text.markdown import quote_line, unquoted
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.consolidate.note_hits import NoteHit
    from memconsole.domain.memory.entries import MemoryEntry

SECTION: Final = "Promoted"
"""Heading in MEMORY.md under which accepted notes go."""

LEAST_SCORE: Final = 0.75
LEAST_HITS: Final = 3
LEAST_QUERIES: Final = 3
OLDEST: Final = timedelta(days=30)
MOST_TOKENS: Final = 160
"""Gates of a proposal; the age is that of the last hit."""

MOST_LOST: Final = 0.25
"""Share of the entries of MEMORY.md that an addition may not change."""

_HALF_LIFE: Final = timedelta(days=14)
_MANY_FINDS: Final = 10
_MANY_QUERIES: Final = 5
_MANY_DAYS: Final = 5
_MANY_TAGS: Final = 6
_CHECKPOINT: Final = "### Checkpoint "


@dataclass(frozen=True, slots=True)
class Parts:
    """What the score of a proposal is made of, each 0 to 1.

    Attributes:
        relevance: Mean score of its hits.
        frequency: How often it was found; ten times are enough.
        diversity: By how many questions, or on how many days; five are enough.
        recency: Halves every 14 days since the last hit.
        recurrence: On how many days besides the first; four are enough.
        richness: Markers, names and numbers in it; six are enough.
    """

    relevance: float
    frequency: float
    diversity: float
    recency: float
    recurrence: float
    richness: float

    @property
    def score(self) -> float:
        """The weighted sum, 0 to 1."""
        return round(
            0.30 * self.relevance
            + 0.24 * self.frequency
            + 0.15 * self.diversity
            + 0.15 * self.recency
            + 0.10 * self.recurrence
            + 0.06 * self.richness,
            4,
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """One daily note that could go into MEMORY.md, and what speaks for it.

    Attributes:
        note: As it stands in the daily log.
        text: The line that would be added, without secrets and with nothing in it but text.
        hits: How often it was found.
        queries: By how many different questions.
        days: On how many days.
    """

    note: MemoryEntry
    text: str
    parts: Parts
    hits: int
    queries: int
    days: int
    last_at: datetime

    @property
    def id(self) -> str:
        """Id of the note; another text would have another one."""
        return self.note.id

    @property
    def path(self) -> str:
        """Its daily log, relative to the workspace."""
        return self.note.path

    @property
    def line(self) -> int:
        """Its first line there, from 1."""
        return self.note.line

    @property
    def day(self) -> str | None:
        """Its ISO day; None when nothing says."""
        return self.note.date

    @property
    def score(self) -> float:
        """0 to 1."""
        return self.parts.score

    def passes(self, now: datetime) -> bool:
        """Whether it is proposed; an operator may accept what is not."""
        return (
            self.score >= LEAST_SCORE
            and self.hits >= LEAST_HITS
            and self.queries >= LEAST_QUERIES
            and now - self.last_at <= OLDEST
        )


def notes_of(path: str, text: str) -> tuple[MemoryEntry, ...]:
    """Return the notes of a daily log; what checkpoints wrote into it is none."""
    lines = lines_of(text)
    by_checkpoint, is_one = [], False
    for line, is_shown in zip(lines, shown_lines(lines), strict=True):
        if is_shown and is_heading(line):
            is_one = line.startswith(_CHECKPOINT)
        by_checkpoint.append(is_one)
    entries = entries_of(path, text)
    return tuple(one for one in entries if is_note(one.id) and not by_checkpoint[one.line - 1])


def candidates(
    notes: Iterable[MemoryEntry],
    hits: Iterable[NoteHit],
    known: Iterable[str],
    now: datetime,
) -> tuple[Proposal, ...]:
    """Return every note that was found and that MEMORY.md does not hold yet, the best first.

    Args:
        notes: Entries of daily notes as they are now.
        hits: What searches found.
        known: What long-term memory says already.
        now: Recency counts from here.
    """
    found: Mapping[str, list[NoteHit]] = _by_entry(hits)
    said = [features(bare(text)) for text in known]
    proposed: dict[str, Proposal] = {}
    for note in notes:
        mine = found.get(note.id, ())
        if not mine or note.id in proposed or not _is_short_text(note):
            continue
        if twin(features(bare(note.text)), said, at_least=ALIKE) is None:
            proposed[note.id] = _proposal(note, mine, now)
    return tuple(sorted(proposed.values(), key=lambda one: (-one.score, one.path, one.line)))


def keeps_enough(before: Sequence[MemoryEntry], after: Sequence[MemoryEntry]) -> bool:
    """Whether long-term memory still says nearly all it said before an addition."""
    kept = {one.id for one in after}
    lost = sum(one.id not in kept for one in before)
    return lost <= MOST_LOST * len(before)


def parts_of(note: MemoryEntry, hits: Sequence[NoteHit], now: datetime) -> Parts:
    """Return what speaks for a note that was found at least once."""
    days = {one.day for one in hits}
    queries = {one.query for one in hits}
    age = max(timedelta(), now - max(one.at for one in hits))
    said = features(note.text)
    marks = {*note.tags, *said.names, *said.numbers}
    return Parts(
        relevance=_share(sum(one.score for one in hits), len(hits)),
        frequency=_share(math.log1p(len(hits)), math.log1p(_MANY_FINDS)),
        diversity=_share(max(len(queries), len(days)), _MANY_QUERIES),
        recency=0.5 ** (age / _HALF_LIFE),
        recurrence=_share(len(days) - 1, _MANY_DAYS - 1),
        richness=_share(len(marks), _MANY_TAGS),
    )


def bullet(note: MemoryEntry) -> str:
    """Return the line for MEMORY.md: day, marker, words; masked first, then quoted.

    A note is text of an agent, which may hold what somebody else said: nothing of it but the marker
    in front becomes Markdown.
    """
    tag, said = tag_in_front(note.text), let_out(unquoted(bare(note.text)))
    day = "" if note.date is None else f"{note.date}: "
    return f"- {day}{'' if tag is None else f'[{tag}] '}{quote_line(said)}"


def _proposal(note: MemoryEntry, hits: Sequence[NoteHit], now: datetime) -> Proposal:
    return Proposal(
        note=note,
        text=bullet(note),
        parts=parts_of(note, hits, now),
        hits=len(hits),
        queries=len({one.query for one in hits}),
        days=len({one.day for one in hits}),
        last_at=max(one.at for one in hits),
    )


def _by_entry(hits: Iterable[NoteHit]) -> Mapping[str, list[NoteHit]]:
    found: defaultdict[str, list[NoteHit]] = defaultdict(list)
    for one in hits:
        found[one.entry].append(one)
    return found


def _is_short_text(note: MemoryEntry) -> bool:
    """Whether a note fits into one line of memory; code and planted instructions do not."""
    said = bare(note.text)
    is_text = bool(said) and not said.startswith(("```", "~~~"))
    if PLANTED in note.text or holds_planted(said):
        return False
    return is_text and tokens_in(note.text) <= MOST_TOKENS


def _share(value: float, enough: float) -> float:
    return min(1.0, max(0.0, value / enough))
