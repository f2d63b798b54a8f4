"""Decides what an observer run takes of the sessions, and what lines it makes of it.

Text is masked whole, then judged, then dated, then quoted: in this order nothing that is secret or
forged reaches a file. What stands in the log already is not written again, and what the agent reads
aloud from it is no news.
"""

from __future__ import annotations

import hashlib
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import clock, local_day
from memconsole.domain.memory.observations import (
    CORRECTS,
    MEDIUM_SCORE,
    Kind,
    Observation,
    Priority,
    observation_id,
)
from memconsole.domain.memory.similarity import features, is_exact, twin
from memconsole.domain.observe.corrections import corrected, correction_of, is_joke
from memconsole.domain.observe.doubt import is_doubtful
from memconsole.domain.observe.relative_dates import dated
from memconsole.domain.observe.scoring import LINE_CHARS, Found, JudgedMessage, find
from memconsole.domain.observe.sentences import labels_of, without_label
from memconsole.domain.planted import PLANTED, holds_planted, is_order, is_planted, quoted
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.markdown import quote_line
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.memory.observations import ObservationLog
    from memconsole.domain.memory.similarity import Features
    from memconsole.domain.observe.corrections import Correction
    from memconsole.domain.transcripts.records import Message, Tail

MAX_SESSIONS: Final = 10
MAX_LINES: Final = 150
"""Messages of one session that are looked at, and of one batch."""

BY: Final = "mc:by"
"""Metadata word that says who spoke."""

MARK: Final = "mc:mark"
"""Metadata word of a line that is no memory but a warning: `mc:mark=planted-instructions`."""

_JUST_SAID: Final = 4
"""Lines of one speaker, or messages, after which nobody corrects with a word alone."""

_SHORT_ID: Final = 8
_OWN: Final = (
    rf"[ \t>]*(?:[-*+][ \t]+)?\\?[{''.join(Priority)}]"
    r"|[ \t>]*(?:Maintained by memconsole|Last reflection:|# Observations Log)"
    r"|[ \t>]*Date: \d{4}-\d{2}-\d{2}"
)
_OWN_COMMENT: Final = r"\b(?:dc|mc):\w+="


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last message of a session that was observed.

    Attributes:
        message_id: Its id in the transcript; None when it had none.
        position: Byte offset or seq; another store counts otherwise.
        at: Its time.
        is_whole: Whether every message before it was looked at too; None where that is not known.
    """

    message_id: str | None
    position: int
    at: datetime | None
    is_whole: bool | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Messages of one session that one batch looks at, oldest first.

    Attributes:
        is_whole: As of `Cursor`.
        told: How many of the first messages an earlier run told already: they are there for what
            is said behind them, and make no line. Alone, without what stood before them, they may
            say what was taken back since.
    """

    session_id: str
    messages: tuple[Message, ...]
    is_whole: bool | None = None
    told: int = 0

    @property
    def cursor(self) -> Cursor:
        """Where the next run goes on."""
        last = self.messages[-1]
        return Cursor(last.id, last.position, last.at, self.is_whole)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of one batch.

    Attributes:
        observations: New ones, by day and time.
        found: Lines worth keeping, before the duplicates were left out.
        duplicates: Of them, those that the log says already.
        over: New ones beyond `observer.max_items`, the least important.
        masked: Messages that held a secret.
        planted: Messages that held planted instructions.
    """

    observations: tuple[Observation, ...]
    found: int
    duplicates: int
    over: int
    masked: int
    planted: int = 0


def unseen(
    messages: Sequence[Message], cursor: Cursor | None, cutoff: datetime
) -> tuple[Message, ...]:
    """Return the messages behind the cursor or newer than the cutoff, whichever is more.

    A message without a time belongs to the one before it.
    """
    if cursor is None and all(one.at is None for one in messages):
        return tuple(messages)
    behind = len(messages) if cursor is None else _behind(messages, cursor)
    recent = next(
        (place for place, one in enumerate(messages) if one.at is not None and one.at > cutoff),
        len(messages),
    )
    return tuple(messages[min(behind, recent) :])


def is_reached(messages: Sequence[Message], cursor: Cursor) -> bool:
    """Whether a reading goes back to the cursor, so that nothing behind it is missing."""
    return _behind(messages, cursor) > 0


def is_whole(tail: Tail, new: Sequence[Message], cursor: Cursor | None) -> bool | None:
    """Whether a run that looks at these messages leaves none behind it that nobody looked at.

    Args:
        tail: What was read of the session.
        new: Its last messages, which the run looks at.
        cursor: How far an earlier run came.
    """
    if tail.is_whole and len(new) == len(tail.messages):
        return True
    if cursor is not None and (tail.is_whole or is_reached(tail.messages, cursor)):
        return cursor.is_whole
    return False


def told_before(messages: Sequence[Message], new: Sequence[Message], cursor: Cursor | None) -> int:
    """Return how many of the last messages, which a run looks at, are not behind the cursor."""
    if cursor is None:
        return 0
    return max(0, _behind(messages, cursor) - (len(messages) - len(new)))


def _behind(messages: Sequence[Message], cursor: Cursor) -> int:
    """Return the place behind the cursor; by id, else by time, else by position."""
    if cursor.message_id is not None:
        places = (n for n, one in enumerate(messages) if one.id == cursor.message_id)
        if (place := next(places, None)) is not None:
            return place + 1
    if cursor.at is not None and any(one.at is not None for one in messages):
        later = (n for n, one in enumerate(messages) if one.at is not None and one.at > cursor.at)
        return next(later, len(messages))
    later = (n for n, one in enumerate(messages) if one.position > cursor.position)
    return next(later, len(messages))


def batches(parts: Iterable[Part]) -> tuple[tuple[Part, ...], ...]:
    """Return the parts in batches of at most 150 messages, the older ones first."""
    made: list[tuple[Part, ...]] = []
    batch: list[Part] = []
    free = MAX_LINES
    for part in parts:
        rest, told = part.messages, part.told
        while rest:
            taken, rest = rest[:free], rest[free:]
            batch.append(Part(part.session_id, taken, part.is_whole, min(told, len(taken))))
            told -= batch[-1].told
            free -= len(taken)
            if not free:
                made.append(tuple(batch))
                batch, free = [], MAX_LINES
    return (*made, tuple(batch)) if batch else tuple(made)


def input_hash(parts: Iterable[Part]) -> str:
    """Return a hash of what a run looks at: sessions, roles, words and times, in order."""
    digest = hashlib.sha256()
    for part in parts:
        for one in part.messages:
            words = (part.session_id, one.role or "", one.text, str(one.at))
            for word in words:
                data = word.encode("utf-8", errors="replace")
                digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Observer:
    """How a run extracts.

    Attributes:
        agent_id: Named in the source of every line.
        mask: Replaces secrets.
        now: For messages without a time.
        keys: Returns the key of each session by how its sources begin: what is said under one key
            may be corrected under the same one, and nowhere else.
    """

    agent_id: str
    mask: Callable[[str], str]
    zone: Zone
    now: datetime
    min_score: float = 2.0
    max_items: int = 20
    keys: Callable[[], Mapping[str, str]] = dict

    def extract(self, parts: Sequence[Part], log: ObservationLog) -> Extracted:
        """Return what is worth adding to the log."""
        texts = [one.text for one in log.observations]
        made: list[Observation] = []
        masked = 0
        for part in parts:
            judged = [self.judged(message) for message in part.messages]
            masked += sum(is_masked for _, is_masked in judged)
            made += self._told(part, [words for words, _ in judged], texts, log)
        planted = sum(holds_planted(one.text) for part in parts for one in part.messages)
        return replace(self.new_ones(parts, made, log, masked), planted=planted)

    def _told(
        self,
        part: Part,
        messages: Sequence[JudgedMessage],
        texts: Sequence[str],
        log: ObservationLog,
    ) -> Iterator[Observation]:
        """Yield the lines of one session; what was taken back in it is left out."""
        lines: dict[int, list[Observation]] = {}
        labels = labels_of([one.text for one in messages])
        for line in find(messages, texts):
            if line.score >= self.min_score and not is_doubtful(line.text, line.kind, labels):
                lines.setdefault(line.index, []).append(self.made(part, line))
        said = _Said(self, part, messages, log, labels)
        for index in range(len(messages)):
            said.add(index, lines.get(index, []))
        return (made for _, made in said.lines)

    def new_ones(
        self,
        parts: Sequence[Part],
        made: Sequence[Observation],
        log: ObservationLog,
        masked: int,
    ) -> Extracted:
        """Return those that the log does not say already, the most important ones."""
        told = {self.source(part, one) for part in parts for one in part.messages[: part.told]}
        foreign = (one for one in log.lines if one.observation is None and not one.is_blank)
        known = [features(line.text) for line in foreign]
        said = [features(one.text) for one in log.observations]
        new: list[Observation] = []
        for one in made:
            looks = features(one.text)
            if one.source not in told and not _is_known(looks, said, known):
                new.append(one)
                said.append(looks)
        ranked = sorted(range(len(new)), key=lambda place: -new[place].importance)
        best = [new[place] for place in sorted(ranked[: self.max_items])]
        kept = tuple(sorted(best, key=_when))
        found = len(made)
        return Extracted(kept, found, found - len(new), len(new) - len(kept), masked)

    def judged(self, message: Message) -> tuple[JudgedMessage, bool]:
        """Return what is listened to of a message, and whether it held a secret."""
        text = self.mask(message.text)
        foreign = "\n".join(line for line in text.split("\n") if not _is_own(line))
        return JudgedMessage(
            message.role or "", foreign, bool(message.attachments)
        ), text != message.text

    def source(self, part: Part, message: Message) -> str:
        """Return where a line comes from: agent, session, record."""
        return f"{source_of(self.agent_id, part.session_id)}#{message.position}"

    def made(self, part: Part, line: Found) -> Observation:
        """Return the observation of a line: dated, quoted, and guarded."""
        message = part.messages[line.index]
        at = message.at or self.now
        day = local_day(at, self.zone)
        said = dated(line.text, day)
        text = quote_line(said.text)
        made = Observation(
            priority=Priority.of_score(line.score),
            text=text,
            day=day,
            clock=None if message.at is None else clock(message.at, self.zone),
            kind=line.kind,
            importance=line.score,
            refers_to=said.day or day,
            id=observation_id(text),
            source=self.source(part, message),
            extra=(f"{BY}={message.role}",),
        )
        return guarded(made, line.text, message.text)


@dataclass(slots=True)
class _Said:
    """The lines of one session as it goes on: a message may take back what was said before.

    Attributes:
        lines: Each with the place of its message.
    """

    observer: Observer
    part: Part
    messages: Sequence[JudgedMessage]
    log: ObservationLog
    labels: frozenset[str]
    lines: list[tuple[int, Observation]] = field(default_factory=list)

    def add(self, index: int, new: list[Observation]) -> None:
        """Add the lines of one message, and see to what it takes back."""
        label, body = without_label(self.messages[index].text, self.labels)
        if is_joke(body):
            meant = self._spoken_before(index)
            self.lines = [(at, one) for at, one in self.lines if at != meant]
            return
        correction = correction_of(body) if len(body) <= LINE_CHARS else None
        if correction is not None:
            own = self.observer.made(self.part, _line(index, label, body))
            if not self._is_told(own, label):
                new = self._corrected(correction, own, new, label)
        self.lines += [(index, one) for one in new]

    def _is_told(self, own: Observation, label: str) -> bool:
        """Whether the file holds this very correction: it takes nothing back a second time."""
        said = own.text.removeprefix(label)
        return any(one.source == own.source and said in one.text for one in self.log.observations)

    def _corrected(
        self, correction: Correction, own: Observation, new: list[Observation], label: str
    ) -> list[Observation]:
        """Return the lines of a message that corrects another one, with what it is about.

        A line of this run that is corrected goes at once. One that stands in the file already is
        named: what is handed out leaves it out, and the next consolidation takes it away.
        """
        standing = [one for one in self.log.observations if self._is_of(one, own, label)]
        here = [one for _, one in self.lines if self._is_of(one, own, label)]
        before = [*standing, *here]
        place = corrected(correction, [one.text for one in before], just_said=_JUST_SAID)
        if place is None:
            return new
        old = before[place]
        if new and correction.says_it_all(old.text):
            made, *rest = new
        else:
            made, rest = _together(old, own, label, correction), []
        score = max(made.importance, old.importance)
        made = replace(made, importance=score, priority=Priority.of_score(score))
        self.lines = [
            (at, one)
            for at, one in self.lines
            if one is not old
            and (label or one.note(BY) == own.note(BY) or not correction.undoes(one.text, old.text))
        ]
        repeated = (
            one
            for one in self.log.observations
            if not label and one.note(BY) != own.note(BY) and self._is_of_one_key(one, own)
            if correction.undoes(one.text, old.text)
        )
        stands = old.id in {one.id for one in standing}
        ids = [*([old.id] if stands else old.corrects), *(one.id for one in repeated)]
        gone = ",".join(one for one in ids if one is not None)
        return [made.noted(CORRECTS, gone) if gone else made, *rest]

    def _is_of(self, one: Observation, own: Observation, label: str) -> bool:
        """Whether a line was said by the same speaker under the same key."""
        if one.note(BY) != own.note(BY) or not one.text.startswith(label):
            return False
        return self._is_of_one_key(one, own)

    def _is_of_one_key(self, one: Observation, own: Observation) -> bool:
        mine, other = ((it.source or "").partition("#")[0] for it in (own, one))
        if mine == other:
            return True
        keys = self.observer.keys()
        return mine in keys and keys[mine] == keys.get(other)

    def _spoken_before(self, index: int) -> int:
        """Return the place of what the same speaker said last; -1 when that is long ago."""
        said = [(one.role, without_label(one.text, self.labels)[0]) for one in self.messages]
        places = range(max(0, index - _JUST_SAID), index)
        return max((place for place in places if said[place] == said[index]), default=-1)


def _together(
    old: Observation, own: Observation, label: str, correction: Correction
) -> Observation:
    """Return a line and the words that correct it, which say nothing alone, as one line."""
    said, day = own.text.removeprefix(label), own.refers_to
    if day == own.day:
        weekday = next(iter(correction.slots.get("weekday", ())), "")
        meant = None if own.day is None else dated(f"on {weekday}", own.day).day
        is_of_a_day = bool(correction.slots.keys() & {"number", "month", "weekday"})
        day = (own.day if is_of_a_day else old.refers_to) if meant is None else meant
        said += "" if meant is None else f" ({meant})"
    text = f"{old.text} \N{EM DASH} {said}"
    return replace(own, text=text, id=observation_id(text), kind=old.kind, refers_to=day)


def _line(index: int, label: str, body: str) -> Found:
    """Return a whole message as one line."""
    return Found(index, label + one_line(body), MEDIUM_SCORE, Kind.FACT)


def source_of(agent_id: str, session_id: str) -> str:
    """Return how the source of every line of a session begins."""
    return f"{agent_id}/{session_id[:_SHORT_ID]}"


def guarded(observation: Observation, said: str, message: str) -> Observation:
    """Return an observation; a planted instruction as a quotation that ranks as no rule.

    Args:
        observation: What was made of a message.
        said: Its words, not yet quoted.
        message: The whole message: an order beside planted instructions belongs to them.
    """
    if not (is_planted(said) or (is_order(said) and holds_planted(message))):
        return observation
    text = quoted(observation.text)
    return replace(
        observation,
        priority=Priority.MEDIUM,
        text=text,
        kind=Kind.CONTEXT,
        importance=min(observation.importance, MEDIUM_SCORE),
        id=observation_id(text),
        extra=(*observation.extra, f"{MARK}={PLANTED}"),
    )


def distinct(observations: Iterable[Observation], log: ObservationLog) -> tuple[Observation, ...]:
    """Return the observations with ids that no other line has, for two texts of one hash."""
    taken = {one.id: one.text for one in log.observations if one.id is not None}
    made = []
    for one in observations:
        unique, number = one, 1
        while unique.id in taken and taken[unique.id] != one.text:
            number += 1
            unique = replace(one, id=observation_id(f"{one.text} {number}"))
        taken[unique.id or ""] = one.text
        made.append(unique)
    return tuple(made)


def _is_own(line: str) -> bool:
    """Whether a line was read aloud from the log."""
    comment = line.partition("<!--")[2]
    return (
        compiled(_OWN).match(line) is not None or compiled(_OWN_COMMENT).search(comment) is not None
    )


def _is_known(looks: Features, said: Sequence[Features], lines: Iterable[Features]) -> bool:
    """Whether the log says it already: as an observation, or as a line of other hands."""
    if twin(looks, said) is not None:
        return True
    return any(one.fingerprint == looks.fingerprint and is_exact(looks, one) for one in lines)


def _when(observation: Observation) -> tuple[object, str]:
    return observation.day, observation.clock or ""
