"""Consolidates `observations.md` without a model: deterministic, idempotent, in order.

Repeated lines become one, older ones give way to what contradicts them, of a file that is too large
what is worth least goes, and lines on one topic stand together. Lines with 🔴 stay as they are.
Everything that goes is named with its reason, for the archive; nothing else is lost:
prose, code and headings that are not ours stay in their place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from memconsole.domain.memory.observations import Kind, ObservationLog, render
from memconsole.domain.memory.similarity import (
    Guard,
    differing,
    features,
    is_exact,
    may_be_one_thing,
    same_words,
)
from memconsole.domain.reflect.folding import group_topics, make_room
from memconsole.domain.reflect.working_copy import (
    Budget,
    Conflict,
    Removed,
    WorkingCopy,
    is_ahead,
    is_kept_for_good,
    name_of,
    newest_first,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.memory.observations import Observation


SMALLEST: Final = 0.1
"""Share of the original that must be left of it, unless forced."""

_MOST_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a consolidation made of a file.

    Attributes:
        log: The new file, its header untouched.
        removed: In the order they stood in.
        conflicts: For review.
    """

    log: ObservationLog
    removed: tuple[Removed, ...]
    conflicts: tuple[Conflict, ...]


def budget_of(log: ObservationLog, least: float) -> Budget:
    """Return what may go of a file of which a share must be left.

    Headings are not counted: they go with the last line under them.
    """
    text = "\n".join(map(render, log.observations))
    return Budget((1.0 - least) * words_in(text), (1.0 - least) * tokens_in(text))


def consolidate(
    log: ObservationLog, today: date, *, similar: float, words: int, least: float = 0.0
) -> Reflection:
    """Return the consolidated file; without a `least`, doing it again changes nothing.

    What one round took away can leave a term rare for the next one: it goes round until nothing
    changes.

    Args:
        log: The file as it is.
        today: The user's day.
        similar: `reflector.similarity`, 0 to 100.
        words: `reflector.word_threshold`; the file comes down to it, where it can.
        least: Share of the file that stays at any rate; repeated lines do not count.
    """
    removed: list[Removed] = []
    conflicts: dict[tuple[str, str], Conflict] = {}
    budget: Budget | None = None
    for _ in range(_MOST_ROUNDS):
        before = log.text
        copy = WorkingCopy(list(log.lines))
        merge_exact(copy, today)
        budget = budget or (budget_of(copy.log(), least) if least else None)
        copy.budget = budget
        _shorten(copy, today, similar, words)
        log = copy.log()
        removed += copy.removed
        conflicts |= {(one.older.text, one.newer.text): one for one in copy.conflicts}
        if log.text == before:
            break
    return Reflection(log, tuple(removed), tuple(conflicts.values()))


def _shorten(copy: WorkingCopy, today: date, similar: float, words: int) -> None:
    replace_corrected(copy, today)
    pairs = alike(copy, similar)
    merge_similar(copy, pairs, today)
    supersede(copy, pairs, today)
    make_room(copy, today, words)
    group_topics(copy)


MOST_CHANGES: Final = 400
"""Lines of a difference that are told; the rest is counted."""

_WORDS: Final = {
    "duplicate-of": "repeated",
    "similar-to": "alike",
    "superseded-by": "superseded",
    "folded-into": "folded",
    "least-value": "of least value",
    "replaced": "not in the new text",
}


def reduction(before: int, after: int, removed: Sequence[Removed]) -> str:
    """Return `from 9120 to 5400 words (12 repeated, 40 of least value)`."""
    counts = Counter(_WORDS[one.because.partition(":")[0]] for one in removed)
    parts = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    return f"from {before} to {after} words" + (f" ({parts})" if parts else "")


def helped(notes: Mapping[str, Detail]) -> str:
    """Return what is said of the model in a message; nothing where none is set up."""
    found = notes.get("llm")
    if not isinstance(found, dict):
        return ""
    if found.get("result") == "model":
        return f"; rewritten by {found.get('model')}"
    if found.get("result") == "not-asked":
        return "; the model was not asked"
    return f"; the model's text was not taken: {found.get('because')}"


def lost(old: ObservationLog, new: ObservationLog) -> tuple[Removed, ...]:
    """Return what a text from elsewhere left out or reworded, for the archive."""
    texts = {same_words(one.text) for one in new.observations}
    return tuple(
        Removed(one, "replaced") for one in old.observations if same_words(one.text) not in texts
    )


def changes(old: ObservationLog, new: ObservationLog) -> Iterator[str]:
    """Yield the difference line by line: `- ` for what goes, `+ ` for what comes."""
    before = Counter(render(one) for one in old.observations)
    after = Counter(render(one) for one in new.observations)
    told_of = 0
    for sign, counts in (("-", before - after), ("+", after - before)):
        for line in counts.elements():
            told_of += 1
            if told_of <= MOST_CHANGES:
                yield f"{sign} {line.strip().removeprefix('- ')}"
    if told_of > MOST_CHANGES:
        yield f"… {told_of - MOST_CHANGES} more"


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
        _mark(copy, newer, older, tuple(sorted(guard.value for guard in broken)))


def replace_corrected(copy: WorkingCopy, today: date) -> None:
    """Let a line that corrects an older one take its place, as one that contradicts it would."""
    places = {name_of(one): number for number, one in copy.items()}
    pairs = [(number, one, old) for number, one in copy.items() for old in one.corrects]
    for number, one, old in pairs:
        older = places.get(old)
        if older is None or older == number or copy.lines[older] is None:
            continue
        if is_kept_for_good(copy.at(older), today):
            _mark(copy, number, older, ("correction",))
        elif copy.spares(older):
            copy.drop(older, f"superseded-by:{name_of(one)}")


class _Candidate(NamedTuple):
    """A line to compare; `words` are its folded words, sorted."""

    number: int
    observation: Observation
    words: str


def _pairs(found: Sequence[_Candidate], similar: float) -> Iterator[tuple[int, int]]:
    for place, newer in enumerate(found):
        for older in found[place + 1 :]:
            # The ratio of sorted words is `token_sort_ratio`; lengths alone rule most pairs out.
            score = fuzz.ratio(newer.words, older.words, score_cutoff=similar)
            if score and _are_near(newer.observation, older.observation):
                yield newer.number, older.number


def _mark(copy: WorkingCopy, newer: int, older: int, guards: tuple[str, ...]) -> None:
    """Leave two lines that contradict each other beside each other, for somebody to decide."""
    one, other = copy.at(newer), copy.at(older)
    copy.put(newer, one.noted("mc:conflict", name_of(other)))
    copy.put(older, other.noted("mc:conflict", name_of(one)))
    copy.conflicts.append(Conflict(other, one, guards))


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
