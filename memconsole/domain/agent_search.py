"""How the agent's own search would have it, to show why it cannot see a note (search.md §3).

As `formats` describes OpenClaw: every word must occur, BM25 r counts r / (1 + r), cosines count as
they are, weights 0.7 and 0.3, at least 0.35, and dated notes fade by half every 30 days. Its
vectors are another provider's; ours stand in for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.domain.search import Candidate, SearchHit

_HALF_LIFE_DAYS: Final = 30.0
_LEAST: Final = 0.35
_VECTOR, _TEXT = 0.7, 0.3
_DAY_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class AgentView:
    """One chunk in the agent's own search.

    Attributes:
        rank: From 1; None when it is not found.
        score: None when it is not known.
        because: Why it is where it is, as a short sentence.
    """

    rank: int | None
    score: float | None
    because: str


class AgentHit(NamedTuple):
    """One result of the agent's own search, as the Gateway tells it.

    Attributes:
        path: Relative to the workspace, untrusted.
        score: On the platform's scale.
    """

    path: str
    start_line: int
    end_line: int
    score: float


def asked_view(hit: SearchHit, answers: Sequence[AgentHit]) -> AgentView:
    """Return where the agent's own search has a hit of ours: the first answer that overlaps it."""
    for rank, one in enumerate(answers, 1):
        if (
            one.path == hit.path
            and one.start_line <= hit.end_line
            and hit.start_line <= one.end_line
        ):
            return AgentView(rank, round(one.score, 4), "it finds it")
    return AgentView(None, None, f"it is not among its first {len(answers)} results")


def agent_views(
    candidates: Sequence[Candidate],
    with_all_words: Mapping[tuple[int, int], float],
    ages_s: Mapping[tuple[int, int], float],
) -> dict[tuple[int, int], AgentView]:
    """Rank all candidates as the agent would.

    Args:
        candidates: Of our own search.
        with_all_words: BM25 of chunks that hold every word, by (scope, id).
        ages_s: Age of dated notes in seconds, by (scope, id); the others do not fade.
    """
    scored = []
    for one in candidates:
        place = (one.scope, one.id)
        r = with_all_words.get(place)
        text = 0.0 if r is None else r / (1 + r)
        plain = _VECTOR * max(0.0, one.cosine or 0.0) + _TEXT * text
        fade = 0.5 ** (max(0.0, ages_s.get(place, 0.0)) / _DAY_S / _HALF_LIFE_DAYS)
        scored.append((plain * fade, place, plain, r is not None))
    scored.sort(key=lambda row: (-row[0], row[1]))
    return {
        place: AgentView(
            rank if score >= _LEAST else None,
            round(score, 4),
            _because(score, plain, has_all=has_all),
        )
        for rank, (score, place, plain, has_all) in enumerate(scored, 1)
    }


def _because(score: float, plain: float, *, has_all: bool) -> str:
    if score >= _LEAST:
        return "it finds it"
    if plain >= _LEAST:
        return "its age takes it below the least score"
    if not has_all:
        return "it does not hold every word, and its meaning is not near enough"
    return "all words are there, but they count too little alone"
