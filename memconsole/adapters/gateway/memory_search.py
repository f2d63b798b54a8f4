"""Asks the platform's own memory search (`memory.search`, since 2026.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.problem import AnswerError
from memconsole.domain.search.agent_view import AgentHit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.gateway.connector import Connection

SEARCH_S: Final = 30.0
"""Seconds; the first search of an agent loads its index and may ask a service for a vector."""

_METHOD: Final = "memory.search"


def search_memory(
    connection: Connection, agent_id: str, query: str, limit: int
) -> tuple[AgentHit, ...]:
    """Return what the agent's own search finds, best first, also below its least score.

    Raises:
        AnswerError: The Gateway refused, or its release has no such method.
        ConnectionLostError: No answer came.
    """
    methods = connection.hello.methods
    if methods is not None and _METHOD not in methods:
        raise AnswerError({"message": f"this release does not know {_METHOD}"})
    params: dict[str, object] = {"query": query, "agentId": agent_id, "maxResults": limit}
    try:
        payload = connection.request(_METHOD, {**params, "minScore": 0}, timeout_s=SEARCH_S)
    except AnswerError as error:
        if "minScore" not in error.words:
            raise
        # A schema refusal is an answer: once more, with what every release knows.
        payload = connection.request(_METHOD, params, timeout_s=SEARCH_S)
    return tuple(_hits(payload.get("results")))


def _hits(results: object) -> Iterator[AgentHit]:
    for row in results if isinstance(results, list) else ():
        found = frames.mapping(row)
        path, score = frames.text(found.get("path")), _number(found.get("score"))
        start, end = frames.whole(found.get("startLine")), frames.whole(found.get("endLine"))
        if path is None or start is None or score is None:
            continue
        vector, words = _number(found.get("vectorScore")), _number(found.get("textScore"))
        yield AgentHit(path, start, start if end is None else end, score, vector, words)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, int | float) else None
