"""Makes room in a file that is too large by the value of its lines; puts lines of a topic together.

They are the last steps of a reflection. What is worth least goes first, whatever its age; small
things of a day fold into one line only where what may go is not enough.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import (
    Kind,
    Observation,
    Priority,
    line_of,
    observation_id,
    render,
)
from memconsole.domain.memory.similarity import features
from memconsole.domain.observe.worth import values
from memconsole.domain.reflect.working_copy import (
    Removed,
    is_recent,
    may_go,
    name_of,
    newest_first,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import exceeds, tokens_for, tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from memconsole.domain.reflect.working_copy import WorkingCopy


FOLDED_AFTER: Final = timedelta(days=2)
FOLDED_CHARS: Final = 200

TOPIC_LINES: Final = 3
"""Lines that share a rare term from which they are a topic."""

_COMMON: Final = 0.1
"""A term in a larger share of all lines is no topic."""

_BETWEEN: Final = "; "

_REST: Final = 2
"""What may go has this part of the room at least, however much there is that never goes."""

_EXACTLY: Final = 4
"""Times a line is counted as tokens, so that nothing is rounded off."""


def make_room(copy: WorkingCopy, today: date, words: int) -> None:
    """Drop what is worth least, as long as the sheet spares any, until the file has its size.

    What was said in the last days goes last. What never goes leaves half of the room to the rest:
    a file full of rules is no reason to drop all that is said beside them. Days are folded when
    there still is too much.

    Args:
        copy: The file.
        today: The user's day.
        words: It has its size at so many words and at the tokens that those make.
    """
    if not exceeds(copy.log().text, words):
        return
    over = _Over.of(copy, today, words)
    worth = dict(zip((n for n, _ in copy.items()), values(copy.observations()), strict=True))
    free = [(is_recent(one, today), worth[n], n) for n, one in copy.items() if may_go(one, today)]
    for _, _, number in sorted(free):
        if over and copy.spares(number):
            over.shrink(copy.at(number))
            copy.drop(number, "least-value")
    if exceeds(copy.log().text, words):
        _fold_days(copy, today)


def group_topics(copy: WorkingCopy) -> None:
    """Put three or more 🟡 lines that share a rare term under the newest of them."""
    alone = [
        number
        for number, one in copy.items()
        if one.priority is Priority.MEDIUM and not one.is_child and not copy.children(number)
    ]
    terms = {number: _folded_terms(copy.at(number)) for number in alone}
    counts = Counter(term for found in terms.values() for term in found)
    most = max(TOPIC_LINES, int(_COMMON * sum(1 for _ in copy.items())))
    topics = [term for term, count in counts.items() if TOPIC_LINES <= count <= most]
    for term in sorted(topics, key=lambda it: (-counts[it], it)):
        members = [number for number in alone if term in terms[number]]
        if len(members) >= TOPIC_LINES:
            _group(copy, newest_first(copy, members))
            alone = [number for number in alone if number not in members]


@dataclass(slots=True)
class _Over:
    """What is too much of a file; true while it is too large by either measure."""

    words: float
    tokens: float

    @classmethod
    def of(cls, copy: WorkingCopy, today: date, words: int) -> _Over:
        """Return how much too large a file is, or those of its lines that may go."""
        text, tokens = copy.log().text, tokens_for(words)
        free = "\n".join(render(one) for one in copy.observations() if may_go(one, today))
        return cls(
            min(words_in(text) - words, words_in(free) - words / _REST),
            min(tokens_in(text) - tokens, tokens_in(free) - tokens / _REST),
        )

    def __bool__(self) -> bool:
        return self.words > 0 or self.tokens > 0

    def shrink(self, gone: Observation) -> None:
        """Count a line as gone."""
        line = f"{render(gone)}\n"
        self.words -= words_in(line)
        self.tokens -= tokens_in(line * _EXACTLY) / _EXACTLY


def _fold_days(copy: WorkingCopy, today: date) -> None:
    """Fold the 🟢 lines of each day before the last two into one of at most 200 characters."""
    by_day: dict[date, list[int]] = {}
    for number, one in copy.items():
        is_small = one.priority is Priority.LOW and may_go(one, today)
        if is_small and one.day is not None and today - one.day > FOLDED_AFTER:
            by_day.setdefault(one.day, []).append(number)
    for day, numbers in by_day.items():
        if len(numbers) > 1:
            _fold(copy, day, numbers)


def _fold(copy: WorkingCopy, day: date, numbers: Sequence[int]) -> None:
    ones = [copy.at(number) for number in numbers]
    texts = list(dict.fromkeys(one.text for one in ones))
    kept = list(texts)
    while len(kept) > 1 and len(_joined(kept, len(texts))) > FOLDED_CHARS:
        kept.pop()
    text = _joined(kept, len(texts))
    folded = Observation(
        priority=Priority.LOW,
        text=text,
        day=day,
        kind=Kind.CONTEXT,
        importance=max(one.importance for one in ones),
        refers_to=day,
        id=observation_id(text),
    )
    if not copy.spares(*numbers, into=folded):
        return
    total = sum(int(one.note("mc:folded") or 1) for one in ones if _is_count(one))
    for number in numbers[1:]:
        copy.drop(number, f"folded-into:{name_of(folded)}")
    first = numbers[0]
    copy.removed.append(_gone(copy, first, folded))
    is_child = copy.at(first).is_child
    copy.put(first, replace(folded, is_child=is_child).noted("mc:folded", str(total)))


def _gone(copy: WorkingCopy, number: int, folded: Observation) -> Removed:
    return Removed(copy.at(number), f"folded-into:{name_of(folded)}")


def _joined(texts: Sequence[str], total: int) -> str:
    left = total - len(texts)
    return _BETWEEN.join(texts) + (f"{_BETWEEN}{left} more" if left else "")


def _is_count(observation: Observation) -> bool:
    noted = observation.note("mc:folded")
    return noted is None or (noted.isdecimal() and len(noted) < 6)


def _group(copy: WorkingCopy, numbers: Sequence[int]) -> None:
    """Move lines under the first of them; each keeps the day it is about."""
    parent = numbers[0]
    below = []
    for number in sorted(numbers[1:]):
        one = copy.at(number)
        line = copy.take(number)
        moved = replace(one, is_child=True, refers_to=one.refers_to or one.day)
        below.append(line_of(moved, line.end or "\n"))
    copy.below[parent] = below


def _folded_terms(observation: Observation) -> frozenset[str]:
    found = features(observation.text)
    return found.names | frozenset(it for it in found.numbers if len(it) > 3 and not it.isdigit())
