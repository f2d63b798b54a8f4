"""What `observations.md` can let go: importance that decays with the days.

Nothing of the decay is written into the file: it follows from the importance and the day that
stand there, so that looking twice says the same twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import Kind, Observation, Priority, observation_id
from memconsole.domain.memory.slug import words_of
from memconsole.domain.reflect.working_copy import WorkingCopy, is_pending, name_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in
from memconsole.text.folding import words
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from memconsole.domain.memory.observations import ObservationLog
    from memconsole.domain.reflect.working_copy import Removed

LOSS_A_DAY: Final = {
    Kind.EVENT: 0.5,
    Kind.FACT: 0.1,
    Kind.CONTEXT: 0.1,
    Kind.PREFERENCE: 0.02,
}
"""Importance that a line loses each day; other kinds lose none."""

KEPT_FROM: Final = 9.0
"""Score from which a line never goes."""

RESTS: Final = ((7.0, 7), (5.0, 2), (3.0, 1), (0.0, 0))
"""Days after which a line of at least so much score may go, the highest first."""

HOOK: Final = "mc:hook"
"""Marks the line that stays behind for those that went; it goes itself after two weeks."""

_HOOK_LIFE: Final = timedelta(days=14)
_HOOK_WORDS: Final = 12
_LEAST_WORDS: Final = 3
_WORDS_A_LINE: Final = 2
_SOLID_CHARS: Final = 8


@dataclass(frozen=True, slots=True)
class Decayed:
    """One line that can go.

    Attributes:
        id: `o-` and 8 hex digits.
        line: In the file, from 1.
        score: What is left of its importance, 0 to 10.
        age_days: None when nothing says from when it is.
    """

    observation: Observation
    id: str
    line: int
    score: float
    age_days: int | None

    @property
    def text(self) -> str:
        """What it says; Markdown as it stands in the file."""
        return self.observation.text


@dataclass(frozen=True, slots=True)
class Decay:
    """What a file would let go.

    Attributes:
        log: The file afterwards, with the hook.
        lines: What goes, in the order of the file; hooks whose time is over are among it.
        high: Lines with 🔴 that could go as well, but were not asked to.
        removed: What goes, for the archive.
        hook: The line that stays behind; None when there is nothing to find again.
    """

    log: ObservationLog
    lines: tuple[Decayed, ...]
    high: tuple[Decayed, ...]
    removed: tuple[Removed, ...]
    hook: Observation | None


def score_of(observation: Observation, today: date) -> float:
    """Return what is left of an importance, 0 to 10; without a day nothing is lost."""
    age = _age(observation, today)
    loss = LOSS_A_DAY.get(observation.kind, 0.0) * (0 if age is None else age)
    return round(max(0.0, observation.importance - loss), 2)


def let_go(
    log: ObservationLog, today: date, *, archive: str, target: int = 0, with_high: bool = False
) -> Decay:
    """Take out what has decayed, and leave a hook for it; doing it again changes nothing.

    The lowest score goes first, of one score the oldest line, and no more than the target asks for.

    Args:
        log: The file as it is.
        today: The user's day.
        archive: Where it goes, relative to the workspace; the hook names it.
        target: Tokens that the file may have.
        with_high: Also lines with 🔴.
    """
    found = list(_decayed(WorkingCopy(list(log.lines)), today))
    high = tuple(one for one in found if one.observation.priority is Priority.HIGH)
    may_go = [one for one in found if with_high or one.observation.priority is not Priority.HIGH]
    may_go.sort(key=lambda one: (one.score, -(one.age_days or 0), one.line))

    def fits(number: int) -> bool:
        return tokens_in(_without(log, may_go[:number], today, archive).log.text) <= target

    number = 0 if fits(0) else bisect_left(range(len(may_go)), True, key=fits)
    decay = _without(log, may_go[:number], today, archive)
    return replace(decay, high=() if with_high else high)


def _without(log: ObservationLog, lines: Sequence[Decayed], today: date, archive: str) -> Decay:
    copy = WorkingCopy(list(log.lines))
    lines = sorted(lines, key=lambda one: one.line)
    for one in lines:
        copy.drop(one.line - 1, f"decayed-to:{one.score:.1f}")
    gone = [one.observation for one in lines if one.observation.note(HOOK) is None]
    left = copy.log()
    hook = _hook(gone, left, today, archive) if gone else None
    return Decay(
        left if hook is None else add(left, (hook,)),
        tuple(lines),
        (),
        tuple(copy.removed),
        hook,
    )


def _decayed(copy: WorkingCopy, today: date) -> Iterator[Decayed]:
    for number, one in copy.items():
        if _stays(one, today):
            continue
        score, age = score_of(one, today), _age(one, today)
        if score >= KEPT_FROM:
            continue
        rest = next(days for least, days in RESTS if score >= least)
        if rest == 0 or (age is not None and age >= rest):
            yield Decayed(one, name_of(one), number + 1, score, age)


def _stays(observation: Observation, today: date) -> bool:
    """Whether a line may not go at all: about the future, an open task, or a young hook."""
    if observation.note(HOOK) is not None:
        age = _age(observation, today)
        return age is not None and timedelta(days=age) <= _HOOK_LIFE
    return is_pending(observation, today)


def _age(observation: Observation, today: date) -> int | None:
    day = observation.latest_day
    return None if day is None else max(0, (today - day).days)


def _hook(
    gone: Sequence[Observation], left: ObservationLog, today: date, archive: str
) -> Observation:
    """Return the line that stays: how many went, words that only they had, and where they are.

    It has as many words as there is room for: more than a few shall not make it longer than what
    went.
    """
    known = {word for one in left.observations for word in _telling(one.text)}
    said = [_telling(one.text) for one in gone]
    counts = Counter(word for line in said for word in set(line))
    chosen: dict[str, None] = {}
    for line in said:
        own = [word for word in dict.fromkeys(line) if word not in known]
        own.sort(key=lambda word: (counts[word], -len(word)))
        chosen |= dict.fromkeys(own[:_WORDS_A_LINE])
    number = "1 line" if len(gone) == 1 else f"{len(gone)} lines"
    text = _hook_text(number, list(chosen)[:_HOOK_WORDS], archive)
    room = sum(len(one.text) for one in gone)
    while len(chosen) > _LEAST_WORDS and len(text) > room:
        chosen.popitem()
        text = _hook_text(number, list(chosen)[:_HOOK_WORDS], archive)
    return Observation(
        Priority.MEDIUM,
        text,
        day=today,
        kind=Kind.EVENT,
        id=observation_id(text),
        extra=(f"{HOOK}={archive}",),
    )


def _hook_text(number: str, words: Sequence[str], archive: str) -> str:
    about = f" about {', '.join(words)}" if words else ""
    return f"Archived {number}{about}: see {archive}"


def _telling(text: str) -> tuple[str, ...]:
    """Return words that a text can be found again by; letters and digits, so never Markdown."""
    shown = let_out(text)
    other = (word for word in words(shown) if not word.isascii() and word.isalnum())
    return words_of(shown) or tuple(word[:_SOLID_CHARS] for word in other)
