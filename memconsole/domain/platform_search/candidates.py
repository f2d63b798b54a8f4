"""What the platform's search looks at: chunks, how they were found, what age takes from them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from memconsole.domain.platform_search.profile import Limits, Profile

_DAY_S: Final = 86_400.0
_DATED: Final = re.compile(
    r"(?:^|/)memory/(?:[^/]+/)*(\d{4})-(\d{2})-(\d{2})(?:-[^/]+)?\.md", re.ASCII
)
_EVERGREEN: Final = ("MEMORY.md", "USER.md")


class PlatformChunk(NamedTuple):
    """One chunk of the platform's index.

    Attributes:
        path: Relative to the workspace; `sessions/…` for a session.
        source: `memory` or `sessions`.
        importance: 1 to 10 as the note says; None when it does not.
        modified_at: Seconds since 1970 of its document, as indexed.
    """

    id: str
    path: str
    source: str
    start_line: int
    end_line: int
    text: str
    importance: int | None = None
    modified_at: float | None = None


class WordsFound(NamedTuple):
    """One chunk that holds what a plan wanted.

    Attributes:
        term: The text of the plan.
        rank: SQLite's BM25, negative; None where letters were compared.
        is_path: The words stand in the name of its file.
    """

    chunk: PlatformChunk
    term: str
    rank: float | None
    is_path: bool = False


class Placed(NamedTuple):
    """One chunk where the platform's search has it.

    Attributes:
        rank: From 1 among what may be shown; None when it is not shown.
        score: 0 to 1; None when it depends on a vector that nobody here can make.
        vector: Cosine; None when unknown, 0 when it is no candidate of that leg.
        text: BM25 part, 0 to 1.
        words: What the words count in the sum.
        fade: What is left of the score at its age, and of its importance.
        is_named: The query is the name of its file.
    """

    chunk: PlatformChunk
    rank: int | None
    score: float | None
    vector: float | None
    text: float
    words: float
    fade: float
    is_named: bool = False

    def at_best(self, limits: Limits) -> float:
        """Return what it would count if its meaning were the query's."""
        vector = 1.0 if self.vector is None else self.vector
        sum_ = limits.vector_weight * vector + limits.text_weight * self.words
        return sum_ * self.fade


class Rules(NamedTuple):
    """What a ranking goes by.

    Attributes:
        is_text_only: The index has no embedding provider; words alone are ranked.
        now: Seconds since 1970.
    """

    profile: Profile
    limits: Limits
    query: str
    now: float
    is_text_only: bool = False


def weight_of(chunk: PlatformChunk, rules: Rules) -> float:
    """Return what age and importance leave of a score."""
    weight, half = 1.0, rules.limits.half_life_days
    age_s = age_of(chunk, rules.now)
    if half is not None and age_s is not None:
        weight = float(0.5 ** (age_s / _DAY_S / half))
    if rules.profile.weighs_importance and chunk.importance is not None:
        weight *= 0.75 + 0.05 * max(1, min(10, chunk.importance))
    return weight


def age_of(chunk: PlatformChunk, now: float) -> float | None:
    """Return the age in seconds that fades a chunk; None for what never fades.

    The date of a note is the one in its name; sessions, and files beside the memory, have that of
    their last change.
    """
    if chunk.source == "memory":
        dated = _date_of(chunk.path)
        if dated is not None:
            return max(0.0, now - dated)
        if chunk.path in _EVERGREEN or chunk.path.startswith("memory/"):
            return None
    return None if chunk.modified_at is None else max(0.0, now - chunk.modified_at)


def _date_of(path: str) -> float | None:
    found = _DATED.search(path)
    if found is None or found.end() != len(path):
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).timestamp()
    except ValueError:
        return None
