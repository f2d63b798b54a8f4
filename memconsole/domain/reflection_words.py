"""What a reflection tells of itself: what went, what changed, in a few words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memconsole.domain.likeness import same_words
from memconsole.domain.observations import render
from memconsole.domain.reflection import Removed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.observations import ObservationLog
    from memconsole.domain.outcomes import Detail

MOST_CHANGES: Final = 400
"""Lines of a difference that are told; the rest is counted."""

_WORDS: Final = {
    "duplicate-of": "repeated",
    "similar-to": "alike",
    "superseded-by": "superseded",
    "folded-into": "folded",
    "expired-small": "small and old",
    "replaced": "not in the new text",
}


def told(before: int, after: int, removed: Sequence[Removed]) -> str:
    """Return `from 9120 to 5400 words (12 repeated, 40 small and old)`."""
    counts = Counter(_WORDS.get(one.because.partition(":")[0], "expired") for one in removed)
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
