"""Values that say where an agent's own search has a note, and why it cannot see it.

A search carries them; `domain/platform_search/explanation.py` decides what they say.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from memconsole.lazy_dataclass import dataclass


class Reason(StrEnum):
    """Why an agent's own search has a note where it has it."""

    FOUND = "found"
    FAR_DOWN = "far-down"
    NOT_INDEXED = "not-indexed"
    IN_COMMENT = "in-comment"
    STALE = "stale"
    OTHER_MODEL = "other-model"
    NO_VECTOR = "no-vector"
    TOO_OLD = "too-old"
    WORDS = "words"
    BELOW = "below-minimum"
    VECTOR_UNKNOWN = "vector-unknown"
    OFF = "search-off"
    NO_INDEX = "no-index"
    UNREADABLE = "unreadable"
    NOT_COMPARED = "not-compared"


class Vectors(StrEnum):
    """What is known of the vector part of an agent's search."""

    COMPUTED = "computed"
    ASKED = "asked"
    NONE = "none"
    UNKNOWN = "unknown"


class AgentFacts(NamedTuple):
    """What is known of a note in the agent's own search.

    Attributes:
        text_rank: Its place among what has words of the query, from 1; None when it has none.
        text_score: BM25 part, 0 to 1.
        vector_score: Cosine; None when nobody here can tell.
        age_days: Age that counts; None for what does not fade.
        fade: What age and importance leave of its score.
        needs: Cosine from which it is found; None when it is known already.
    """

    text_rank: int | None = None
    text_score: float | None = None
    vector_score: float | None = None
    age_days: float | None = None
    fade: float | None = None
    needs: float | None = None


@dataclass(frozen=True, slots=True)
class AgentView:
    """One note in the agent's own search.

    Attributes:
        rank: From 1; None when it is not found, or nobody can tell.
        score: None when it is not known.
        because: Why it is where it is: a sentence without a full stop.
        help: What would help; empty when nothing has to.
        is_known: Whether it is found is known; False leaves the rank open.
    """

    rank: int | None
    score: float | None
    reason: Reason
    because: str
    help: str = ""
    facts: AgentFacts = AgentFacts()
    is_known: bool = True

    @property
    def place(self) -> str:
        """The rank in words."""
        if self.rank is not None:
            return f"rank {self.rank}"
        return "not found" if self.is_known else "not known"


class AgentSearch(NamedTuple):
    """The search of one agent that hits were compared with.

    Attributes:
        release: Whose rules it goes by; empty when there is no index.
        provider: Provider and model of its vectors.
        because: What stands in the way of an answer; a sentence, or empty.
    """

    agent: str
    release: str = ""
    provider: str = ""
    vectors: Vectors = Vectors.UNKNOWN
    min_score: float | None = None
    max_results: int | None = None
    because: str = ""


class AgentHit(NamedTuple):
    """One result of the agent's own search, as the Gateway tells it.

    Attributes:
        path: Relative to the workspace, untrusted.
        score: On the platform's scale.
        vector_score: Cosine, where the release says it; so does `text_score`.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    vector_score: float | None = None
    text_score: float | None = None
