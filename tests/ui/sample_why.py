"""Three notes as an agent's own search has them, and indexes that are not whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.platform_search.index import IndexFacts, PlatformIndexHealth
from memconsole.domain.platform_search.profile import FADING
from memconsole.domain.search.agent_view import AgentFacts, AgentSearch, AgentView, Reason, Vectors
from tests.ui.fake_engine import FakeEngine
from tests.ui.fake_search import found

if TYPE_CHECKING:
    from memconsole.domain.search.values import SearchHit, SearchRequest, SearchResult

SEARCH = AgentSearch(
    "main", "2026.9", "openai-compatible text-embedding-3-small", Vectors.UNKNOWN, 0.35, 6
)
_ASK = "`--ask-gateway` asks the agent's own search."
VIEWS = (
    AgentView(
        None,
        None,
        Reason.TOO_OLD,
        "too old: 97 days leave 11% of its score, so it reaches 0.11 at best and needs 0.35",
        "Write what must last into MEMORY.md, or into a file of memory/ without a date in its "
        "name: those do not fade.",
        AgentFacts(text_rank=2, text_score=0.93, age_days=96.9, fade=0.1066, needs=4.3),
    ),
    AgentView(
        None,
        None,
        Reason.VECTOR_UNKNOWN,
        "its words count 0.29 of 0.35; the rest hangs on vectors of openai-compatible "
        "text-embedding-3-small, which memconsole is not set up to ask: a likeness of 0.08 is "
        "enough",
        _ASK,
        AgentFacts(text_rank=1, text_score=0.97, fade=1.0, needs=0.0857),
        is_known=False,
    ),
    AgentView(
        None,
        None,
        Reason.NOT_INDEXED,
        "its file is not in the agent's index",
        "`openclaw memory index --agent main` takes it in.",
    ),
)
ASKED = AgentView(
    2, 0.4711, Reason.FOUND, "it finds it", facts=AgentFacts(1, 0.97, 0.255, None, 1.0)
)


def explained(request: SearchRequest) -> tuple[SearchHit, ...]:
    """Return the usual hits, explained when that was asked for."""
    hits = found(replace(request, is_explained=False))
    if not request.is_explained:
        return hits
    return tuple(replace(hit, agent_view=view) for hit, view in zip(hits, VIEWS, strict=False))


def answered(result: SearchResult) -> SearchResult:
    """Return what the Gateway makes of it: it finds the second note."""
    first, second, *others = result.hits
    searches = tuple(one._replace(vectors=Vectors.ASKED) for one in result.agent_searches)
    hits = (first, replace(second, agent_view=ASKED), *others)
    return replace(result, hits=hits, agent_searches=searches)


def why_engine() -> FakeEngine:
    """Return an engine whose agent does not see what we find."""
    engine = FakeEngine()
    engine.answer, engine.answers = explained, answered
    engine.agent_searches = (SEARCH,)
    return engine


ILL = PlatformIndexHealth(
    agent="main",
    facts=IndexFacts(Path("/db"), FADING, "openai-compatible", "text-embedding-3-small", 1536),
    files=46,
    chunks=310,
    missing=("memory/2026-01-26.md",),
    stale=("MEMORY.md", "memory/projects/shop.md"),
    without_vector=2,
    canary="rehearse database backup",
)


def ill_engine() -> FakeEngine:
    """Return an engine whose agent's own index lacks what stands in its memory."""
    engine = FakeEngine()
    engine.platform_health["main"] = ILL
    return engine
