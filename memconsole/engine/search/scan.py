"""Looks for words in the files themselves, for as long as there is no index of them.

No vectors, no document frequencies: what holds more of the words comes first, the newer one of
equals. It is what an operator gets while an index is built, or with `--read-only`
where none may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.memory.markers import marked_lines
from memconsole.domain.search.chunking import chunks
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source
from memconsole.domain.search.near_hits import folded
from memconsole.domain.search.query import match_spans, parse, snippet
from memconsole.domain.search.values import SearchHit, SearchResult
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.search.open import targets, unread_notices
from memconsole.errors import StoreError, WorkspaceError
from memconsole.text.folding import fold, is_solid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.agents import Home
    from memconsole.domain.search.chunking import Chunk
    from memconsole.domain.search.indexing import Document
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Narrowing, SearchRequest
    from memconsole.domain.settings import Settings
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import StopSignal

_MOST_BYTES: Final = 8_000_000
"""What is read of an agent's files, the newest first: a second's work."""

_POOL: Final = 4
"""Times as many are looked at as are wanted, where many of them say the same."""

_STEM_CHARS: Final = 4
_WEAK_BELOW: Final = 0.5
"""Share of the query's words; a chunk with fewer of them is a weak match."""


def scan(
    ports: SearchNeeds,
    settings: Settings,
    home: Home,
    request: SearchRequest,
    *,
    cancel: StopSignal | None = None,
) -> SearchResult:
    """Answer a search from the memory files, by words alone; reads, and writes nothing.

    Args:
        ports: The engine's ports.
        settings: Those of each agent decide about extra folders and the number of results.
        home: The agents.
        request: What is asked; sessions are left out, explanations too.
        cancel: Ends it early; what it returns then is `is_cancelled`.

    Raises:
        UnknownAgentError: There is no such agent.
    """
    agents = agents_of(home, request.agent_id)
    query = parse(request.text, is_typing=request.is_typing)
    found: list[tuple[SearchHit, str]] = []
    notices: list[Notice] = []
    statuses = {}
    for target in targets(ports, settings, home, agents, (Source.MEMORY,)):
        statuses[target.agent.id, Source.MEMORY] = IndexStatus(
            IndexState.MISSING, because="there is no index yet: words only, from the files"
        )
        for document, text in _texts(target, notices, cancel):
            found += _hits(target, document, text, query, request.narrowing)
    wanted = request.max_results or settings.for_agent(request.agent_id or "").search.max_results
    return SearchResult(
        query=query,
        hits=folded(sorted(found, key=_best_first)[: _POOL * wanted])[:wanted],
        index=next(iter(statuses.values()), IndexStatus(IndexState.MISSING)),
        indexes=statuses,
        notices=tuple(dict.fromkeys(notices)),
        is_cancelled=cancel is not None and cancel.is_set(),
    )


def _texts(
    target: IndexTarget, notices: list[Notice], cancel: StopSignal | None
) -> Iterator[tuple[Document, str]]:
    left = _MOST_BYTES
    documents = target.documents()
    notices += unread_notices(target, documents)
    for document in sorted((one for one in documents if not one.unread), key=_newest_first):
        left -= document.size_bytes
        if left < 0 or (cancel is not None and cancel.is_set()):
            return
        try:
            yield document, target.read(document).text
        except FileNotFoundError:
            continue
        except (WorkspaceError, StoreError) as error:
            notices.append(Notice(error.code, str(error), document.path, target.agent.id))


def _hits(
    target: IndexTarget, document: Document, text: str, query: Query, narrowing: Narrowing
) -> Iterator[tuple[SearchHit, str]]:
    at, since = document.modified_at, narrowing.since
    if not _may_hold(text, query) or (since is not None and (at is None or at < since)):
        return
    tagged = {line: tag for line, tag, _ in marked_lines(text)} if narrowing.tag else {}
    own = target.settings
    for chunk in chunks(text, tokens=own.chunk_tokens, overlap_tokens=own.chunk_overlap):
        lines = range(chunk.start_line, chunk.end_line + 1)
        if narrowing.tag and narrowing.tag not in {tagged.get(line) for line in lines}:
            continue
        share = _share(chunk, query)
        if share:
            yield _hit(target, document, chunk, query, share), chunk.text


def _hit(
    target: IndexTarget, document: Document, chunk: Chunk, query: Query, share: float
) -> SearchHit:
    part, marks = snippet(chunk.text, query)
    return SearchHit(
        agent=target.agent.id,
        source=Source.MEMORY,
        path=document.path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        score=round(share, 4),
        vector_score=None,
        text_score=round(share, 4),
        is_weak=share < _WEAK_BELOW,
        snippet=part,
        marks=marks,
        heading=chunk.heading,
        is_archived=document.is_archived,
        modified_at=document.modified_at,
    )


def _may_hold(text: str, query: Query) -> bool:
    """Look roughly first: most files hold none of the words, and cutting them costs more."""
    folded = fold(text)
    return any(_head(word) in folded for word in query.words)


def _head(word: str) -> str:
    """Return what the forms of a word begin with, roughly."""
    return word[:1] if is_solid(word) else word[:_STEM_CHARS]


def _share(chunk: Chunk, query: Query) -> float:
    """Return which part of the query's words a chunk holds."""
    spans = match_spans(chunk.text, query)
    said = {fold(chunk.text[start:end])[:_STEM_CHARS] for start, end in spans}
    wanted = {word[:_STEM_CHARS] for word in query.words}
    hits = sum(any(one.startswith(part) or part.startswith(one) for part in said) for one in wanted)
    return min(1.0, hits / len(wanted)) if wanted and said else 0.0


def _newest_first(document: Document) -> tuple[float, str]:
    at = document.modified_at
    return 0.0 if at is None else -at.timestamp(), document.path


def _best_first(found: tuple[SearchHit, str]) -> tuple[float, float, str, int]:
    hit = found[0]
    at = hit.modified_at
    return -hit.score, 0.0 if at is None else -at.timestamp(), hit.path, hit.start_line
