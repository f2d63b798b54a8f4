"""Consolidates `observations.md` without a model: deterministic, idempotent, in order.

Repeated lines become one, older ones give way to what contradicts them, of a file that is too large
what is worth least goes, and lines on one topic stand together. Lines with 🔴 stay as they are.
Everything that goes is named with its reason, for the archive; nothing else is lost:
prose, code and headings that are not ours stay in their place.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import ObservationLog, render
from memconsole.domain.memory.similarity import same_words
from memconsole.domain.reflect.folding import group_topics, make_room
from memconsole.domain.reflect.merging import alike, merge_exact, merge_similar, supersede
from memconsole.domain.reflect.working_copy import Budget, Removed, WorkingCopy
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.reflect.working_copy import Conflict


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
        _merge_repeated(copy, today)
        budget = budget or (budget_of(copy.log(), least) if least else None)
        copy.budget = budget
        _shorten(copy, today, similar, words)
        log = copy.log()
        removed += copy.removed
        conflicts |= {(one.older.text, one.newer.text): one for one in copy.conflicts}
        if log.text == before:
            break
    return Reflection(log, tuple(removed), tuple(conflicts.values()))


def _merge_repeated(copy: WorkingCopy, today: date) -> None:
    merge_exact(copy, today)


def _shorten(copy: WorkingCopy, today: date, similar: float, words: int) -> None:
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
